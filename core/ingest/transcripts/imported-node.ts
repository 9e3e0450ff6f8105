import type { SummaryLevel } from '#core/contract/ids.ts'
import { sha256 } from '#core/hashing.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { prunedByMessage, readPruned } from '#core/systems/reading/pruned-outputs.ts'

const queries = {
  ofMessages: /* sql */ `
    SELECT coalesce(sum(token_count), 0) AS tokens, min(created_at) AS earliestAtMs, max(created_at) AS latestAtMs,
      0 AS descendants, -1 AS deepest
    FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  ofSummaries: /* sql */ `
    SELECT coalesce(sum(source_token_count), 0) AS tokens, min(earliest_at) AS earliestAtMs,
      max(latest_at) AS latestAtMs, sum(descendant_count + 1) AS descendants, max(depth) AS deepest
    FROM summaries WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  isTaken: /* sql */ `
    SELECT 1 FROM summaries WHERE summary_id = :id`,
  insertSummary: /* sql */ `
    INSERT INTO summaries
      (summary_id, conversation_id, kind, depth, token_count, source_token_count, descendant_count, earliest_at,
       latest_at, created_at, level, model, prompt_version, summary_hash, file_ids, content)
    VALUES (:id, :conversationId, :kind, :depth, :tokens, :sourceTokens, :descendants, :earliestAtMs,
       :latestAtMs, :atMs, :level, :model, :promptVersion, :hash, '[]', :content)`,
  insertLeafEdges: /* sql */ `
    INSERT INTO summary_messages (summary_id, message_id, ordinal)
    SELECT :id, value, key FROM json_each(:ids)`,
  insertEdges: /* sql */ `
    INSERT INTO summary_sources (summary_id, source_summary_id, ordinal)
    SELECT :id, value, key FROM json_each(:ids)`,
  remove: /* sql */ `
    DELETE FROM context_items
    WHERE conversation_id = :conversationId AND ordinal IN (SELECT value FROM json_each(:ordinals))`,
  place: /* sql */ `
    INSERT INTO context_items (conversation_id, ordinal, item_type, summary_id, created_at)
    VALUES (:conversationId, :ordinal, 'summary', :id, :atMs)`,
  mark: /* sql */ `
    INSERT INTO message_parts
      (part_id, message_id, session_id, part_type, ordinal, is_synthetic, compaction_auto, metadata)
    SELECT :partId, :messageId, v.session_id, 'compaction',
      (SELECT coalesce(max(p.ordinal) + 1, 0) FROM message_parts AS p WHERE p.message_id = :messageId), 1, :isAuto,
      :metadata
    FROM conversations AS v WHERE v.conversation_id = :conversationId
    ON CONFLICT (part_id) DO NOTHING`,
  event: /* sql */ `
    INSERT INTO compaction_events
      (run_id, conversation_id, at, pass, summary_id, ordinal, removed, level, source_tokens, tokens, duration_ms,
       attempts, newest_seq)
    VALUES (:runId, :conversationId, :atMs, :pass, :id, :ordinal, :removed, :level, :windowTokens, :tokens, 0,
       '[]', :newestSeq)`,
}

/** An item of the window that becomes a source of a node. */
export type NodeItem = {
  readonly ordinal: number
  readonly messageId: number | null
  readonly summaryId: string | null
  readonly placedAtMs: number
  /** The tokens that it takes in the window. */
  readonly tokens: number
  /** For a note, the tokens of its messages. For a message with pruned outputs, its remaining tokens. */
  readonly replacedTokens?: number
  /** The hash of its content, or of the summary. */
  readonly hash: string
}

/** Reduces the items of a window to what their agent saw of them last. */
export function asSeen<Item extends NodeItem>(db: WriteDb, conversationId: number, items: readonly Item[]): Item[] {
  const pruned = prunedByMessage(readPruned(db, conversationId))
  return items.map((item) => {
    const gone = pruned.get(item.messageId ?? -1)?.tokens ?? 0
    return gone === 0 ? item : { ...item, replacedTokens: Math.max(0, item.tokens - gone) }
  })
}

export type ImportedNode = {
  readonly db: WriteDb
  readonly estimator: TokenEstimator
  readonly conversationId: number
  readonly runId: string
  /** 0 for a node over messages, `above` for a node over summaries. */
  readonly depth: 0 | 'above'
  /** The sources in the order of the window. */
  readonly items: readonly NodeItem[]
  /** The first text that is smaller than its sources is used, or else the last. */
  readonly texts: readonly string[]
  readonly level: SummaryLevel
  readonly model: string | null
  readonly promptVersion: string | null
  readonly isAuto: boolean | null
  readonly atMs: number
  /** The seq of the message at which the compaction happened. */
  readonly newestSeq: number
  /** The newest message that it covers, if that message gets a part that names the compaction. */
  readonly markedId: number | null
}

/**
 * Writes a node in the place of its sources: the node, its links, the window, the mark on its last message and the
 * event.
 */
export function insertNode(node: ImportedNode): NodeItem {
  const { db, conversationId, items, runId, level } = node
  const isLeaf = node.depth === 0
  const ids = JSON.stringify(items.map((item) => (isLeaf ? item.messageId : item.summaryId)))
  type Sources = { tokens: number; earliestAtMs: number; latestAtMs: number; descendants: number; deepest: number }
  const sources = db.get<Sources>(isLeaf ? queries.ofMessages : queries.ofSummaries, { ids })
  if (!sources) throw new Error('an aggregate gives a row')
  const { id, hash, content, tokens } = nameNode(node, sources.tokens)
  const atMs = Math.round(node.atMs)
  const ordinal = items[0]?.ordinal ?? 0
  db.run(queries.insertSummary, {
    id,
    conversationId,
    kind: isLeaf ? 'leaf' : 'condensed',
    depth: sources.deepest + 1,
    tokens,
    sourceTokens: sources.tokens,
    descendants: sources.descendants,
    earliestAtMs: sources.earliestAtMs,
    latestAtMs: sources.latestAtMs,
    atMs,
    level,
    model: node.model,
    promptVersion: node.promptVersion,
    hash,
    content,
  })
  expectChanges(db.run(isLeaf ? queries.insertLeafEdges : queries.insertEdges, { id, ids }), items.length)
  const windowTokens = items.reduce((sum, item) => sum + (item.replacedTokens ?? item.tokens), 0)
  const ordinals = JSON.stringify(items.map((item) => item.ordinal))
  expectChanges(db.run(queries.remove, { conversationId, ordinals }), items.length)
  db.run(queries.place, { conversationId, ordinal, id, atMs })
  if (node.markedId !== null) mark(node, node.markedId, id, ordinal)
  db.run(queries.event, {
    runId,
    conversationId,
    atMs,
    pass: isLeaf ? 'leaf' : 'condensed',
    id,
    ordinal,
    removed: JSON.stringify(items.map(logged)),
    level,
    windowTokens,
    tokens,
    newestSeq: node.newestSeq,
  })
  return { ordinal, messageId: null, summaryId: id, placedAtMs: atMs, tokens, hash, replacedTokens: windowTokens }
}

function mark(
  { db, conversationId, runId, isAuto }: ImportedNode,
  messageId: number,
  id: string,
  ordinal: number,
): void {
  // Parts are never deleted, so a compaction that was withdrawn and came back has its mark already.
  db.run(queries.mark, {
    partId: `prt_${sha256(`${runId}|${id}|${ordinal}`).slice(0, 20)}`,
    messageId,
    conversationId,
    isAuto: isAuto === null ? null : Number(isAuto),
    metadata: JSON.stringify({ run: runId, summary: id }),
  })
}

const logged = (item: NodeItem): [number, 'message' | 'summary', string, number] => [
  item.ordinal,
  item.messageId === null ? 'summary' : 'message',
  item.messageId === null ? (item.summaryId ?? '') : `msg_${item.messageId}`,
  item.placedAtMs,
]

/**
 * The id follows from sources and text. Equal messages elsewhere in the file (a forked session) would lead to the same
 * id, and then the text names its sources.
 */
function nameNode({ db, estimator, items, texts, runId }: ImportedNode, sourceTokens: number) {
  const wanted = texts.find((text) => estimator.count(text.toWellFormed()) < sourceTokens) ?? texts.at(-1) ?? '…'
  const text = wanted.toWellFormed()
  const name = (item: NodeItem | undefined): string => item?.summaryId ?? `msg_${item?.messageId}`
  const range = `Stands for ${name(items[0])}–${name(items.at(-1))}.`
  const hashes = items.map((item) => item.hash).join(',')
  for (const content of [text, `${text}\n${range}`, `${text}\n${range} (${runId})`]) {
    const hash = sha256(`${hashes}|${content}`)
    const id = `sum_${hash.slice(0, 16)}`
    const isTaken = db.value(queries.isTaken, { id }) !== undefined
    if (!isTaken) return { id, hash, content, tokens: estimator.count(content) }
  }
  throw new Error(`no id is left for the summary of ${range}`)
}

function expectChanges(changes: number, expected: number): void {
  if (changes !== expected) throw new Error(`a compaction step changed ${changes} rows instead of ${expected}`)
}
