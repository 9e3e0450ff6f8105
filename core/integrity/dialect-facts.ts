import { createHash } from 'node:crypto'
import type { System } from '../contract/memory.ts'
import type { CheckContext, TextRow } from './check.ts'
import type { BrokenLink } from './lineage-links.ts'

/** A hash that a system stores with each message. */
export type MessageHash = {
  /** The table and columns of the file itself that keep it. */
  readonly column: readonly [table: string, column: string]
  /** SQL of the stored hash of the message `m`. */
  readonly sql: string
  readonly of: (row: TextRow) => string
}

/** A column of the file itself whose text is JSON. */
export type JsonColumn = {
  readonly table: string
  readonly column: string
  /** SQL over the table `t`: the node that a row belongs to, and its conversation. */
  readonly id: string
  readonly conversation: string
  /** `document`: begins like an object or array, and only then has to be one. */
  readonly shape: 'any' | 'array' | 'document'
}

/** What is true of the files of one system, and expected there, although it would be damage in another's. */
export type DialectFacts = {
  /** The number of the first item of a window. */
  readonly firstOrdinal: number
  readonly hasDenseWindow: boolean
  /** Whether a new summary takes the place of what it stands for. */
  readonly putsSummariesInPlace: boolean
  /** `kept`: numbers follow each other; `pruned`: the system itself takes some messages out; `free`: anything goes. */
  readonly sequence: 'kept' | 'pruned' | 'free'
  /** Times of summaries may be shifted by the writer's offset from UTC. */
  readonly shiftsTimes: boolean
  readonly messageHash: MessageHash | null
  readonly jsonColumns: readonly JsonColumn[]
  /** Triggers that keep its indexes in step, by the table that they watch. */
  readonly triggers: readonly { readonly name: string; readonly needs: readonly string[]; readonly why: string }[]
  /** Whether this conversation has a window that has to lead to all its messages. */
  readonly hasWindow: (context: CheckContext, conversationId: number) => boolean
  readonly isUncoveredByDesign: (context: CheckContext, place: number) => boolean
  /** Whether the missing end of a link was taken away by the system's own rules. */
  readonly isPruned: (context: CheckContext, link: BrokenLink) => boolean
  /** Whether the links of a summary are lost in a broken text, which another check names. */
  readonly isUnreadableLineage: (context: CheckContext, summaryId: string) => boolean
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The conversations that have any item in their window; computed once for each scan. */
const windowOwners = new WeakMap<object, ReadonlySet<number>>()
function hasItems({ facts }: CheckContext, conversationId: number): boolean {
  let owners = windowOwners.get(facts)
  if (!owners) {
    owners = new Set(facts.window.conversations.subarray(0, facts.window.length))
    windowOwners.set(facts, owners)
  }
  return owners.has(conversationId)
}

/** One that is put aside has no window any more, and loses nothing by it; a derived one exists where there are items. */
function hasStoredWindow(context: CheckContext, conversationId: number): boolean {
  if (hasItems(context, conversationId)) return true
  const archivedAtMs = context.facts.conversations.get(conversationId)?.archivedAtMs ?? null
  return context.info.capabilities.storedWindow && archivedAtMs === null
}

const usual: DialectFacts = {
  firstOrdinal: 0,
  hasDenseWindow: false,
  putsSummariesInPlace: true,
  sequence: 'free',
  shiftsTimes: false,
  messageHash: null,
  jsonColumns: [],
  triggers: [],
  hasWindow: hasStoredWindow,
  isUncoveredByDesign: () => false,
  isPruned: () => false,
  isUnreadableLineage: () => false,
}

const ofPart = (column: string, shape: JsonColumn['shape']): JsonColumn => ({
  table: 'message_parts',
  column,
  id: `'msg_' || t.message_id`,
  conversation: '(SELECT m.conversation_id FROM main.messages AS m WHERE m.message_id = t.message_id)',
  shape,
})
const ofSummary = (column: string): JsonColumn => ({
  table: 'summaries',
  column,
  id: 't.summary_id',
  conversation: 't.conversation_id',
  shape: 'array',
})
const ofConversation = (table: string, column: string): JsonColumn => ({
  table,
  column,
  id: 'NULL',
  conversation: 't.conversation_id',
  shape: 'any',
})

const indexTrigger = (name: string, needs: readonly string[]) => ({
  name,
  needs,
  why: 'without it the full-text index falls behind',
})

const native: DialectFacts = {
  ...usual,
  sequence: 'kept',
  messageHash: {
    column: ['messages', 'content_hash'],
    sql: 'm.content_hash',
    of: ({ content }) => sha256(content ?? ''),
  },
  jsonColumns: [
    ofSummary('file_ids'),
    ofPart('metadata', 'any'),
    { ...ofConversation('compaction_events', 'removed'), id: 't.summary_id', shape: 'array' },
    { ...ofConversation('compaction_events', 'attempts'), id: 't.summary_id', shape: 'array' },
    ofConversation('compaction_runs', 'configuration'),
  ],
  triggers: [
    indexTrigger('messages_index_insert', ['messages_fts']),
    indexTrigger('message_parts_index_insert', ['messages_fts']),
    ...['insert', 'update', 'delete'].map((on) => indexTrigger(`summaries_index_${on}`, ['summaries_fts'])),
    ...['messages_immutable', 'messages_undeletable', 'message_parts_immutable', 'message_parts_undeletable'].map(
      (name) => ({ name, needs: ['message_parts'], why: 'without it messages can be changed' }),
    ),
  ],
}

/** The family of lossless-claw shares its tables. */
const losslessFamily: DialectFacts = {
  ...usual,
  hasDenseWindow: true,
  sequence: 'pruned',
  jsonColumns: [
    ofPart('metadata', 'any'),
    ofPart('tool_input', 'document'),
    ofPart('patch_files', 'document'),
    ofSummary('file_ids'),
    { ...ofConversation('messages', 'openclaw_sender_metadata'), id: `'msg_' || t.message_id`, shape: 'document' },
    { ...ofConversation('focus_briefs', 'raw_result_json'), shape: 'document' },
    ofConversation('conversation_transcript_epochs', 'metadata_json'),
    ofConversation('pending_compaction_batches', 'session_target_json'),
  ],
}

const losslessClaw: DialectFacts = {
  ...losslessFamily,
  messageHash: {
    column: ['messages', 'identity_hash'],
    sql: '(SELECT x.identity_hash FROM main.messages AS x WHERE x.message_id = m.message_id)',
    of: ({ kind, content }) => sha256(`${kind}\0${content ?? ''}`),
  },
}

const FACTS: Readonly<Record<System, DialectFacts>> = {
  native,
  'lossless-claw': losslessClaw,
  'lossless-claude': { ...losslessFamily, shiftsTimes: true },
  'hermes-lcm': usual,
  argentos: { ...usual, putsSummariesInPlace: false },
  'pi-lcm': usual,
  decapod: usual,
}

export const dialectFactsOf = (system: System): DialectFacts => FACTS[system]
