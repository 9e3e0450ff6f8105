import type { Attempt } from '../contract/time-travel.ts'
import { sha256 } from '../hashing.ts'
import { summaryHash } from '../memory/summary-hash.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import type { Sources } from '../systems/reading/sources.ts'
import type { WindowItem } from '../window/window.ts'
import type { AcceptedSummary } from './escalation.ts'

const queries = {
  range: /* sql */ `
    SELECT ordinal, item_type AS type, message_id AS messageId, summary_id AS summaryId, created_at AS placedAtMs
    FROM context_items
    WHERE conversation_id = :conversationId AND ordinal BETWEEN :first AND :last
    ORDER BY ordinal`,
  sameId: /* sql */ `
    SELECT s.summary_hash AS hash, s.conversation_id AS conversationId,
      EXISTS (SELECT 1 FROM context_items AS c WHERE c.summary_id = s.summary_id) AS isInWindow,
      EXISTS (SELECT 1 FROM summary_sources AS e WHERE e.source_summary_id = s.summary_id) AS hasDependent,
      (SELECT json_group_array(source) FROM (
        SELECT 'msg_' || message_id AS source, ordinal FROM summary_messages WHERE summary_id = :id
        UNION ALL SELECT source_summary_id, ordinal FROM summary_sources WHERE summary_id = :id
        ORDER BY ordinal)) AS sources
    FROM summaries AS s WHERE s.summary_id = :id`,
  insertSummary: /* sql */ `
    INSERT INTO summaries
      (summary_id, conversation_id, kind, depth, token_count, source_token_count, descendant_count, earliest_at,
       latest_at, created_at, level, model, prompt_version, summary_hash, file_ids, content)
    VALUES (:id, :conversationId, :kind, :depth, :tokens, :canonicalTokens, :descendants, :earliestAtMs,
       :latestAtMs, :nowMs, :level, :model, :promptVersion, :hash, :fileIds, :content)`,
  insertLeafEdges: /* sql */ `
    INSERT INTO summary_messages (summary_id, message_id, ordinal)
    SELECT :id, value, key FROM json_each(:sources)`,
  insertEdges: /* sql */ `
    INSERT INTO summary_sources (summary_id, source_summary_id, ordinal)
    SELECT :id, value, key FROM json_each(:sources)`,
  removeRange: /* sql */ `
    DELETE FROM context_items WHERE conversation_id = :conversationId AND ordinal BETWEEN :first AND :last`,
  insertItem: /* sql */ `
    INSERT INTO context_items (conversation_id, ordinal, item_type, summary_id, created_at)
    VALUES (:conversationId, :first, 'summary', :id, :nowMs)`,
  insertPart: /* sql */ `
    INSERT INTO message_parts
      (part_id, message_id, session_id, part_type, ordinal, is_synthetic, compaction_auto, metadata)
    SELECT :partId, :messageId, v.session_id, 'compaction',
      (SELECT coalesce(max(p.ordinal) + 1, 0) FROM message_parts AS p WHERE p.message_id = :messageId), 1, :isAuto, :metadata
    FROM conversations AS v WHERE v.conversation_id = :conversationId`,
  insertEvent: /* sql */ `
    INSERT INTO compaction_events
      (run_id, conversation_id, at, pass, summary_id, ordinal, removed, level, source_tokens, tokens, duration_ms,
       attempts, newest_seq)
    VALUES (:runId, :conversationId, :nowMs, :pass, :id, :first, :removed, :level, :sourceTokens, :tokens, :durationMs,
       :attempts, (SELECT max(seq) FROM messages WHERE conversation_id = :conversationId))`,
} as const

/** A summary that is ready to replace a range of the window. */
export type NodeDraft = {
  readonly conversationId: number
  readonly runId: string
  readonly isAutomatic: boolean
  readonly depth: number
  /** The items as they were read. The write is refused when the window does not hold exactly these any more. */
  readonly items: readonly WindowItem[]
  readonly sources: Sources
  readonly summary: AcceptedSummary
  /** Every call that was made for it. The accepted one is last. */
  readonly attempts: readonly Attempt[]
  /** The tokens of the items in the window. */
  readonly windowTokens: number
  /** The most tokens that the summary may have. With Infinity it only has to be smaller than its sources. */
  readonly mostTokens: number
  readonly durationMs: number
}

/**
 * The id and the text that a node will have. `exists`: the node is in the file already, from a replacement that was
 * undone since.
 */
type Identity = {
  readonly id: string
  readonly hash: string
  readonly content: string
  readonly tokens: number
  readonly exists: boolean
}

/** `placedAtMs`: when the replaced entries were put into the window. */
export type CheckedDraft = Identity & { readonly placedAtMs: readonly number[] }

/**
 * Decides whether a draft may still be written. `stale`: the window no longer holds what was read. `taken`: every text
 * that is small enough would have the id of another node. Call it in the transaction that writes.
 */
export function checkDraft(db: WriteDb, draft: NodeDraft, estimator: TokenEstimator): CheckedDraft | 'stale' | 'taken' {
  const rows = db.all<StoredRow>(queries.range, rangeOf(draft))
  if (!standsAsRead(rows, draft)) return 'stale'
  const identity = identify(db, draft, estimator)
  return identity ? { ...identity, placedAtMs: rows.map((row) => row.placedAtMs) } : 'taken'
}

/**
 * Replaces the sources in the window by their summary: stores the node, its links, the window entry, the mark on the
 * last message and the event. Ordinals are not renumbered. The summary takes the first one of the range, so another
 * process can append at the end meanwhile.
 */
export function replaceInWindow(db: WriteDb, draft: NodeDraft, node: CheckedDraft, nowMs: number): void {
  const { conversationId, items, sources, runId } = draft
  const range = rangeOf(draft)
  if (!node.exists) insertNode(db, draft, node, nowMs)
  expectChanges(db.run(queries.removeRange, range), items.length)
  db.run(queries.insertItem, { conversationId, first: range.first, id: node.id, nowMs })
  const mark = {
    partId: `prt_${sha256(`${runId}|${node.id}|${range.first}`).slice(0, 20)}`,
    messageId: sources.lastMessageId,
    isAuto: draft.isAutomatic ? 1 : 0,
    metadata: JSON.stringify({ run: runId, summary: node.id }),
  }
  expectChanges(db.run(queries.insertPart, { conversationId, ...mark }), 1)
  db.run(queries.insertEvent, {
    runId,
    conversationId,
    nowMs,
    pass: draft.depth === 0 ? 'leaf' : 'condensed',
    id: node.id,
    first: range.first,
    removed: JSON.stringify(items.map((item, index) => [item.ordinal, typeOf(item), item.id, node.placedAtMs[index]])),
    level: draft.summary.level,
    sourceTokens: draft.windowTokens,
    tokens: node.tokens,
    durationMs: Math.round(draft.durationMs),
    attempts: JSON.stringify(draft.attempts),
  })
}

function insertNode(db: WriteDb, draft: NodeDraft, node: Identity, nowMs: number): void {
  const { conversationId, depth, items, sources, summary } = draft
  db.run(queries.insertSummary, {
    id: node.id,
    conversationId,
    kind: depth === 0 ? 'leaf' : 'condensed',
    depth,
    tokens: node.tokens,
    canonicalTokens: sources.canonicalTokens,
    descendants: sources.descendants,
    earliestAtMs: sources.earliestAtMs,
    latestAtMs: sources.latestAtMs,
    nowMs,
    level: summary.level,
    model: summary.model,
    promptVersion: summary.promptVersion,
    hash: node.hash,
    fileIds: JSON.stringify(sources.fileIds),
    content: node.content,
  })
  const edges = JSON.stringify(items.map((item) => (depth === 0 ? item.messageId : item.summaryId)))
  const insertEdges = depth === 0 ? queries.insertLeafEdges : queries.insertEdges
  expectChanges(db.run(insertEdges, { id: node.id, sources: edges }), items.length)
}

const rangeOf = ({ conversationId, items }: NodeDraft): { conversationId: number; first: number; last: number } => ({
  conversationId,
  first: items[0]?.ordinal ?? 0,
  last: items.at(-1)?.ordinal ?? -1,
})

const typeOf = (item: WindowItem): 'message' | 'summary' => (item.kind === 'message' ? 'message' : 'summary')

type StoredRow = {
  readonly ordinal: number
  readonly type: string
  readonly messageId: number | null
  readonly summaryId: string | null
  readonly placedAtMs: number
}

const standsAsRead = (rows: readonly StoredRow[], { items }: NodeDraft): boolean =>
  rows.length === items.length &&
  rows.every((row, index) => {
    const item = items[index]
    return (
      item !== undefined &&
      row.ordinal === item.ordinal &&
      row.type === typeOf(item) &&
      row.messageId === item.messageId &&
      row.summaryId === item.summaryId
    )
  })

/**
 * The id is derived from sources and text, so equal messages elsewhere in the file (a forked session, a repeated
 * exchange) would give the same id. In that case the text names its sources, which no two nodes share.
 */
function identify(db: WriteDb, draft: NodeDraft, estimator: TokenEstimator): Identity | null {
  const { items, sources, summary, windowTokens, mostTokens } = draft
  const range = `Stands for ${items[0]?.id}–${items.at(-1)?.id}.`
  for (const content of [summary.text, `${summary.text}\n${range}`, range]) {
    const tokens = content === summary.text ? summary.tokens : estimator.count(content)
    if (tokens >= windowTokens || tokens > mostTokens) continue
    const hash = summaryHash(sources.hashes, content)
    const id = `sum_${hash.slice(0, 16)}`
    const same = db.get<{
      hash: string
      conversationId: number
      isInWindow: number
      hasDependent: number
      sources: string
    }>(queries.sameId, { id })
    if (!same) return { id, hash, content, tokens, exists: false }
    const isOurs =
      same.hash === hash &&
      same.conversationId === draft.conversationId &&
      same.isInWindow === 0 &&
      same.hasDependent === 0 &&
      same.sources === JSON.stringify(items.map((item) => item.id))
    if (isOurs) return { id, hash, content, tokens, exists: true }
  }
  return null
}

function expectChanges(changes: number, expected: number): void {
  if (changes !== expected) throw new Error(`a compaction step changed ${changes} rows instead of ${expected}`)
}
