import { hash } from 'node:crypto'
import type { MemoryInfo, SystemId } from '../../contract/memory.ts'
import type { CheckContext, Finding, TextRow } from './check.ts'
import { hermesFacts } from './hermes-facts.ts'
import type { BrokenLink } from './lineage-links.ts'
import { oncePerScan } from './once-per-scan.ts'

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
  /** Whether the sources of a summary are numbered from 0 without gaps, and stay so. */
  readonly hasDenseLinks: boolean
  /** `kept`: numbers follow each other; `pruned`: the system itself takes some messages out; `free`: anything goes. */
  readonly sequence: 'kept' | 'pruned' | 'free'
  /** Times of summaries may be shifted by the writer's offset from UTC. */
  readonly shiftsTimes: boolean
  /** Whether it stores how many tokens a summary was made from. */
  readonly recordsSourceTokens: boolean
  readonly messageHash: MessageHash | null
  readonly jsonColumns: readonly JsonColumn[]
  /** Triggers that keep its indexes in step, by the table that they watch. */
  readonly triggers: readonly { readonly name: string; readonly needs: readonly string[]; readonly why: string }[]
  /** Whether this conversation has a window that has to lead to all its messages. */
  readonly hasWindow: (context: CheckContext, conversationId: number) => boolean
  /** Whether the model sees messages beside the window that are not stored in the file. */
  readonly hidesMessages: boolean
  /** Whether only the newest summaries are shown and the others merely named, so that an agent may ask for them. */
  readonly showsOnlyNewest: boolean
  readonly isUncoveredByDesign: (context: CheckContext, place: number) => boolean
  /** Whether nothing has to lead to this summary. */
  readonly isOrphanByDesign: (context: CheckContext, summary: number) => boolean
  /** Sources of a kind that the system does not know. */
  readonly oddKinds: (context: CheckContext) => Iterable<Finding>
  /** Whether the missing end of a link was taken away by the system's own rules. */
  readonly isPruned: (context: CheckContext, link: BrokenLink) => boolean
  /** Whether the links of a summary are lost in a broken text, which another check names. */
  readonly isUnreadableLineage: (context: CheckContext, summaryId: string) => boolean
}

const queries = {
  softResets: /* sql */ `
    SELECT conversation_id, unixepoch(soft_reset_pruned_at) * 1000
    FROM main.conversation_bootstrap_state
    WHERE unixepoch(soft_reset_pruned_at) IS NOT NULL`,
}

const sha256 = (text: string): string => hash('sha256', text)

const windowOwners = oncePerScan(
  ({ facts }): ReadonlySet<number> => new Set(facts.window.conversations.subarray(0, facts.window.length)),
)

/** Whether anything at all is in the window of a conversation. */
export const hasItems = (context: CheckContext, conversationId: number): boolean =>
  windowOwners(context).has(conversationId)

/** One that is put aside has no window any more, and loses nothing by it; a derived one exists where there are items. */
function hasStoredWindow(context: CheckContext, conversationId: number): boolean {
  if (hasItems(context, conversationId)) return true
  const archivedAtMs = context.facts.conversations.get(conversationId)?.archivedAtMs ?? null
  return context.info.capabilities.storedWindow && archivedAtMs === null
}

export const usual: DialectFacts = {
  firstOrdinal: 0,
  hasDenseWindow: false,
  hasDenseLinks: false,
  sequence: 'free',
  shiftsTimes: false,
  recordsSourceTokens: false,
  messageHash: null,
  jsonColumns: [],
  triggers: [],
  hasWindow: hasStoredWindow,
  hidesMessages: false,
  showsOnlyNewest: false,
  isUncoveredByDesign: () => false,
  isOrphanByDesign: () => false,
  oddKinds: () => [],
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
  recordsSourceTokens: true,
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
  hasDenseLinks: true,
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

/** When a conversation was begun anew and its window emptied by its own system. */
const softResets = oncePerScan(({ db, probe }): ReadonlyMap<number, number> => {
  if (!probe.has('conversation_bootstrap_state', 'soft_reset_pruned_at')) return new Map()
  return new Map(db.iterateRaw<[number, number]>(queries.softResets))
})

const losslessClaw: DialectFacts = {
  ...losslessFamily,
  isUncoveredByDesign: (context, place) => {
    const { messages } = context.facts
    const resetAtMs = softResets(context).get(messages.conversations[place] as number)
    return resetAtMs !== undefined && (messages.atMs[place] as number) <= resetAtMs
  },
  isOrphanByDesign: (context, summary) => {
    const { summaries, extents } = context.facts
    const resetAtMs = softResets(context).get(summaries.at(summary).conversationId)
    return resetAtMs !== undefined && (extents.latestAtMs[summary] as number) <= resetAtMs
  },
  messageHash: {
    column: ['messages', 'identity_hash'],
    sql: '(SELECT x.identity_hash FROM main.messages AS x WHERE x.message_id = m.message_id)',
    of: ({ kind, content }) => sha256(`${kind}\0${content ?? ''}`),
  },
}

const jsonOf = (table: string, column: string, of: 'message' | 'summary', shape: JsonColumn['shape']): JsonColumn => {
  const row =
    of === 'message' ? 'messages AS m WHERE m.message_id = t.rowid' : 'summaries AS m WHERE m.summary_rowid = t.rowid'
  const id = of === 'message' ? `'msg_' || t.rowid` : `(SELECT m.summary_id FROM temp.${row})`
  return { table, column, id, conversation: `(SELECT m.conversation_id FROM temp.${row})`, shape }
}

const hermes: DialectFacts = {
  ...usual,
  ...hermesFacts,
  recordsSourceTokens: true,
  jsonColumns: [
    jsonOf('summary_nodes', 'source_ids', 'summary', 'array'),
    jsonOf('messages', 'tool_calls', 'message', 'any'),
  ],
  triggers: [
    ...['insert', 'update', 'delete'].map((on) => indexTrigger(`msg_fts_${on}`, ['messages_fts'])),
    ...['insert', 'delete'].map((on) => indexTrigger(`nodes_fts_${on}`, ['nodes_fts'])),
  ],
}

const argentos: DialectFacts = {
  ...usual,
  jsonColumns: [jsonOf('messages', 'content_blocks', 'message', 'array')],
  triggers: ['insert', 'delete'].map((on) => indexTrigger(`messages_fts_${on}`, ['messages_fts'])),
}

const piLcm: DialectFacts = {
  ...usual,
  sequence: 'free',
  hidesMessages: true,
  showsOnlyNewest: true,
  jsonColumns: [
    jsonOf('messages', 'content_json', 'message', 'any'),
    jsonOf('summaries', 'metadata_json', 'summary', 'any'),
  ],
  triggers: ['ai', 'ad', 'au'].map((on) => indexTrigger(`messages_fts_${on}`, ['messages_fts'])),
  isUncoveredByDesign: ({ facts }, place) => facts.coverage.leaf[place] !== -1,
  isOrphanByDesign: () => true,
}

const FACTS: Readonly<Record<SystemId, DialectFacts>> = {
  native,
  'lossless-claw': losslessClaw,
  'lossless-claude': { ...losslessFamily, shiftsTimes: true },
  'hermes-lcm': hermes,
  argentos,
  'pi-lcm': piLcm,
  decapod: { ...usual, jsonColumns: [jsonOf('summaries', 'original_hashes', 'summary', 'array')] },
}

/** What counts as wrong in a picture of the coverage, by the way its system works. */
export const markRulesOf = ({ system, capabilities }: MemoryInfo) => ({
  overlaps: capabilities.freeSummaries !== true,
  unshown: !FACTS[system].showsOnlyNewest,
})

export const dialectFactsOf = (system: SystemId): DialectFacts => FACTS[system]
