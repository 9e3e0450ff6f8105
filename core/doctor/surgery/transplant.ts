import type { RowChange } from '../../contract/repair.ts'
import type { SurgeryOperation } from '../../contract/surgery.ts'
import { LcmError } from '../../errors.ts'
import { sha256 } from '../../hashing.ts'
import { diffSummary } from '../../memory/row-changes.ts'
import type { DraftSummary } from '../../memory/summaries.ts'
import { indexAtOnce } from '../../sqlite/ingest-index.ts'
import type { ReadDb, SqlValue, WriteDb } from '../../sqlite/read-db.ts'
import { withoutTriggers } from '../../sqlite/take-triggers.ts'
import { describeChanges, describeMade, fingerprintOf } from '../repair/describe-changes.ts'
import type { FileDraft } from '../repair/file-draft.ts'
import { fillIndexes, INDEXES } from '../repair/fill-indexes.ts'
import { beneath, bottomUp, messagesUnder } from '../repair/reach.ts'
import { shownChanges } from '../repair/shown-plan.ts'
import { type Operated, windowTokens } from './operated.ts'

const queries = {
  session: /* sql */ `SELECT session_id AS sessionId FROM conversations WHERE conversation_id = :id`,
  messageIndexes: /* sql */ `
    SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name IN ('messages_fts', 'messages_trigram')`,
  nextMessage: /* sql */ `SELECT coalesce(max(message_id), 0) + 1 FROM messages`,
  nextSeq: /* sql */ `SELECT coalesce(max(seq) + 1, 0) FROM messages WHERE conversation_id = :id`,
  alreadyThere: /* sql */ `
    SELECT s.summary_id FROM summaries AS s
    WHERE s.conversation_id = :id AND s.summary_hash IN (SELECT value FROM json_each(:hashes))`,
  copied: /* sql */ `
    SELECT message_id FROM messages
    WHERE conversation_id = :id AND external_id IN (SELECT value FROM json_each(:externalIds))`,
  copyMessage: /* sql */ `
    INSERT INTO messages
      (message_id, conversation_id, seq, role, token_count, created_at, external_id, content_hash, content)
    SELECT CAST(:messageId AS INTEGER), CAST(:conversationId AS INTEGER), CAST(:seq AS INTEGER), role, token_count,
      created_at, :externalId, content_hash, content
    FROM messages WHERE message_id = :from`,
  parts: /* sql */ `SELECT * FROM message_parts WHERE message_id = :from AND is_synthetic = 0 ORDER BY ordinal`,
  insertPart: (columns: readonly string[]) => /* sql */ `
    INSERT INTO message_parts (${columns.join(', ')}) VALUES (:${columns.join(', :')})`,
} as const

/** What the external id of a copied message begins with; conversation and number of the original follow. */
export const COPY_PREFIX = 'transplant:'

type Transplant = Extract<SurgeryOperation, { kind: 'transplant' }>
type Copies = { readonly messages: ReadonlyMap<number, number>; readonly summaries: ReadonlyMap<string, string> }

/**
 * Copies a summary with everything beneath it into another conversation: summaries under new ids, and the messages that
 * they stand for as new messages at the end of that conversation, each naming its original. The original stays as it is.
 * In the target's window the summary stands at the end: what stood there before keeps its place.
 * @throws LcmError not_found, invalid_argument for the same conversation, missing sources, or what is there already
 */
export function transplant(model: FileDraft, operation: Transplant, path: string): Operated {
  const { id, toConversationId } = operation
  const source = model.summaries.get(id) as DraftSummary
  const session = model.db.get<{ sessionId: string }>(queries.session, { id: toConversationId })
  if (!session) {
    throw new LcmError('not_found', `There is no conversation ${toConversationId} in ${path}: "lcm stats" lists them.`)
  }
  if (source.conversationId === toConversationId) {
    throw new LcmError(
      'invalid_argument',
      `${id} is in conversation ${toConversationId} already: choose another one.`,
      { id },
    )
  }
  const nodes = wholeSubtree(model, id)
  const messages = [...new Set(messagesUnder(model, nodes))].toSorted(bySeq(model))
  refuseDuplicates(model, operation, source, nodes, messages)
  const copies = copiesOf(model, toConversationId, nodes, messages)
  const changes = [
    ...summaryRows(model, operation, nodes, copies),
    ...edgeRows(model, nodes, copies),
    windowRow(model, operation, copies),
  ]
  const title = `Transplant ${id} to conversation ${toConversationId}`
  const copied = `messages: ${messages.length} copied, each with its parts.`
  const before = model.window(toConversationId)
  const placed = copies.summaries.get(id) ?? ''
  const after = [...before, { ordinal: 0, messageId: null, summaryId: placed, placedAtMs: null }]
  return {
    batches: [{ step: null, changes }],
    conversationIds: [source.conversationId, toConversationId],
    prepare: (db) => copyMessages(db, source.conversationId, toConversationId, session.sessionId, copies),
    records: [
      {
        conversationId: toConversationId,
        kind: 'transplant',
        nodeId: placed,
        summary: `${title}. ${copied} ${describeMade(changes)}`,
        window: { before, after },
        detail: { from: id, fromConversationId: source.conversationId, copies: Object.fromEntries(copies.summaries) },
      },
    ],
    preview: {
      // Numbers of rows may be others by the time it is done: what is copied, and where it comes to stand, may not.
      previewId: fingerprintOf(
        operation,
        nodes.map((node) => [node, model.summaries.get(node)?.hash ?? null]),
        messages,
      ),
      operation,
      title,
      description: `${copied} ${describeChanges(changes)}`,
      nodes: [],
      kept: [],
      window: {
        conversationId: toConversationId,
        removed: [],
        placed: [placed],
        tokensBefore: windowTokens(model, before),
        tokensAfter: windowTokens(model, before) + (source.tokens ?? 0),
      },
      copies: nodes.map((node) => ({ from: node, to: copies.summaries.get(node) ?? '' })),
      messages: messages.length,
      rows: changes.length + messages.length,
      changes: shownChanges(changes),
      warnings: [
        'Messages are never changed or moved: the target gets copies at its end, the original conversation keeps its own.',
      ],
      modelTokens: { input: 0, output: 0 },
    },
  }
}

/** Everything beneath a node, sources first. */
function wholeSubtree(model: FileDraft, id: string): string[] {
  const all = beneath(model, [id])
  const order = bottomUp(model).filter((one) => all.has(one))
  const isWhole = (one: string): boolean =>
    !model.isEmpty(one) &&
    model.sourceLinks(one).every(({ to }) => all.has(to)) &&
    model.messageLinks(one).every(({ to }) => model.messages.has(to))
  const broken = order.length < all.size ? id : order.find((one) => !isWhole(one))
  if (broken === undefined) return order
  throw new LcmError(
    'invalid_argument',
    `${broken} has sources that are missing or lead in a circle: repair its links first.`,
    {
      id: broken,
    },
  )
}

const bySeq =
  (model: FileDraft) =>
  (a: number, b: number): number =>
    (model.messages.seqOf(a) ?? 0) - (model.messages.seqOf(b) ?? 0)

const externalIdOf = (conversationId: number, messageId: number): string =>
  `${COPY_PREFIX}${conversationId}:${messageId}`

/** The hash is over sources and text: the same hash in the target is the same summary. */
function refuseDuplicates(
  { db, summaries }: FileDraft,
  { id, toConversationId }: Transplant,
  source: DraftSummary,
  nodes: readonly string[],
  messages: readonly number[],
): void {
  const hashes = JSON.stringify(nodes.flatMap((node) => summaries.get(node)?.hash ?? []))
  const externalIds = JSON.stringify(messages.map((message) => externalIdOf(source.conversationId, message)))
  const there = [
    ...db.column<string>(queries.alreadyThere, { id: toConversationId, hashes }),
    ...db.column<number>(queries.copied, { id: toConversationId, externalIds }).map((message) => `msg_${message}`),
  ]
  if (there.length === 0) return
  const some = `${there.slice(0, 3).join(', ')}${there.length > 3 ? ', …' : ''}`
  throw new LcmError(
    'invalid_argument',
    `Conversation ${toConversationId} has ${there.length === 1 ? 'a copy' : `${there.length} copies`} of what ${id} is made of already (${some}): nothing was copied.`,
    { id, duplicates: there.slice(0, 20) },
  )
}

function copiesOf(model: FileDraft, target: number, nodes: readonly string[], messages: readonly number[]): Copies {
  const first = model.db.value<number>(queries.nextMessage) ?? 1
  const taken = new Set(model.summaries.keys())
  const summaries = new Map<string, string>()
  for (const node of nodes) {
    let made = ''
    for (let number = 0; made === '' || taken.has(made); number += 1) {
      const hash = sha256(`${node}|${target}|${number}`)
      made = `sum_${hash.slice(0, 16)}`
    }
    taken.add(made)
    summaries.set(node, made)
  }
  return { summaries, messages: new Map(messages.map((message, index) => [message, first + index])) }
}

function summaryRows(
  model: FileDraft,
  { toConversationId }: Transplant,
  nodes: readonly string[],
  { summaries }: Copies,
): RowChange[] {
  return nodes.flatMap((node) => {
    const stored = model.summaries.get(node)
    if (!stored) return []
    const copy = {
      ...stored,
      id: summaries.get(node) ?? '',
      conversationId: toConversationId,
      content: model.textOf(node),
    }
    return diffSummary(undefined, copy)
  })
}

function edgeRows(model: FileDraft, nodes: readonly string[], copies: Copies): RowChange[] {
  return nodes.flatMap((node): RowChange[] => {
    const summary_id = copies.summaries.get(node) ?? ''
    const add = (table: string, column: string, to: string | number, ordinal: number): RowChange => ({
      table,
      key: { summary_id, [column]: to },
      before: null,
      after: { ordinal },
    })
    return [
      ...model
        .messageLinks(node)
        .map(({ to, ordinal }) => add('summary_messages', 'message_id', copies.messages.get(to) ?? -1, ordinal)),
      ...model
        .sourceLinks(node)
        .map(({ to, ordinal }) => add('summary_sources', 'source_summary_id', copies.summaries.get(to) ?? '', ordinal)),
    ]
  })
}

function windowRow(model: FileDraft, { id, toConversationId }: Transplant, { summaries }: Copies): RowChange {
  const ordinal = (model.window(toConversationId).at(-1)?.ordinal ?? -1) + 1
  return {
    table: 'context_items',
    key: { conversation_id: toConversationId, ordinal },
    before: null,
    after: {
      ordinal,
      item_type: 'summary',
      message_id: null,
      summary_id: summaries.get(id) ?? null,
      created_at: model.summaries.get(id)?.createdAtMs ?? 0,
    },
  }
}

function copyMessages(db: WriteDb, from: number, to: number, sessionId: string, { messages }: Copies): void {
  const firstSeq = db.value<number>(queries.nextSeq, { id: to }) ?? 0
  indexed(db, () => {
    let seq = firstSeq
    for (const [original, messageId] of messages) {
      db.run(queries.copyMessage, {
        messageId,
        conversationId: to,
        seq,
        externalId: externalIdOf(from, original),
        from: original,
      })
      seq += 1
      for (const part of partsOf(db, original)) {
        const row = {
          ...part,
          part_id: partId(to, original, Number(part.ordinal)),
          message_id: messageId,
          session_id: sessionId,
        }
        db.run(queries.insertPart(Object.keys(row)), row)
      }
    }
  })
}

/** Of indexes that the file has lost, none is written, and none is made: that is a repair. */
function indexed(db: WriteDb, body: () => void): void {
  if (db.value<number>(queries.messageIndexes) === INDEXES.filter(([, kind]) => kind === 'message').length) {
    indexAtOnce(db, body)
    return
  }
  withoutTriggers(db, ['messages_index_*', 'message_parts_index_*'], body)
  fillIndexes(db, ['message'])
}

const partsOf = (db: ReadDb, from: number): Record<string, SqlValue>[] =>
  db.all<Record<string, SqlValue>>(queries.parts, { from }).map((part) =>
    // Most columns of most parts are empty.
    Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null)),
  )

function partId(conversationId: number, messageId: number, ordinal: number): string {
  const hash = sha256(`${COPY_PREFIX}${conversationId}:${messageId}`)
  return `prt_t${hash.slice(0, 24)}_${ordinal}`
}
