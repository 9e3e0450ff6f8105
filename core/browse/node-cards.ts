import { ROLES, type Role } from '../contract/ids.ts'
import type { NodeCard } from '../contract/lineage.ts'
import { VISIBILITIES } from '../memory/summary-graph.ts'
import { EXCERPT_BYTES, opening, openingExcerpt } from '../sqlite/opening.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { coversOfMessages } from '../systems/covers.ts'
import type { HistoryIndex } from '../systems/history-index.ts'
import { messageNodeId, messageNumber } from '../systems/node-id.ts'

const queries = {
  messages: /* sql */ `
    SELECT
      m.message_id AS messageId,
      m.conversation_id AS conversationId,
      m.role,
      m.seq,
      m.token_count AS tokens,
      m.created_at AS createdAtMs,
      ${opening('m.content')} AS start,
      (SELECT count(*) FROM summary_messages AS l WHERE l.message_id = m.message_id) AS dependents,
      (m.conversation_id, m.message_id) IN (
        SELECT c.conversation_id, c.message_id FROM context_items AS c
        WHERE c.message_id IN (SELECT value FROM json_each(:ids))
      ) AS inWindow
    FROM messages AS m
    WHERE m.message_id IN (SELECT value FROM json_each(:ids))`,
  summaries: /* sql */ `
    SELECT summary_id AS id, conversation_id AS conversationId, ${opening('content')} AS start
    FROM summaries
    WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
}

type MessageRow = {
  readonly messageId: number
  readonly conversationId: number
  readonly role: Role
  readonly seq: number
  readonly tokens: number
  readonly createdAtMs: number | null
  readonly start: string
  readonly dependents: number
  readonly inWindow: number
}
type SummaryStart = { readonly id: string; readonly conversationId: number; readonly start: string }

/** One card an id, in the same order; what is not in the file is a `missing` card. */
export function nodeCards(db: ReadDb, histories: HistoryIndex, ids: readonly string[]): NodeCard[] {
  const cards = new Map<string, NodeCard>()
  const numbers = ids.flatMap((id) => messageNumber(id) ?? [])
  if (numbers.length > 0) for (const card of messageCards(db, numbers)) cards.set(card.id, card)
  const others = ids.filter((id) => !cards.has(id))
  if (others.length > 0) for (const card of summaryCards(db, histories, others)) cards.set(card.id, card)
  return ids.map((id) => cards.get(id) ?? missingCard(id))
}

function messageCards(db: ReadDb, messageIds: readonly number[]): NodeCard[] {
  const rows = db.all<MessageRow>(queries.messages, { ids: JSON.stringify(messageIds), bytes: EXCERPT_BYTES })
  const covers = coversOfMessages(
    db,
    rows.map((row) => ({ id: row.messageId, conversationId: row.conversationId })),
  )
  return rows.map((row) => ({
    id: messageNodeId(row.messageId),
    kind: 'message',
    conversationId: row.conversationId,
    depth: -1,
    role: ROLES.includes(row.role) ? row.role : null,
    seq: row.seq,
    tokens: row.tokens,
    sourceTokens: null,
    messages: 1,
    firstSeq: row.seq,
    lastSeq: row.seq,
    createdAtMs: row.createdAtMs,
    sources: 0,
    dependents: row.dependents,
    visibility:
      row.inWindow === 1
        ? 'in_window'
        : covers.get(row.messageId)?.some((cover) => cover.inWindow)
          ? 'covered'
          : 'absent',
    excerpt: openingExcerpt(row.start),
  }))
}

function summaryCards(db: ReadDb, histories: HistoryIndex, ids: readonly string[]): NodeCard[] {
  return db.all<SummaryStart>(queries.summaries, { ids: JSON.stringify(ids), bytes: EXCERPT_BYTES }).map((row) => {
    const graph = histories.graph(row.conversationId)
    const index = graph.indexOf(row.id)
    const node = graph.nodes[index]
    if (!node || node.kind === 'missing') return missingCard(row.id)
    const span = graph.seqSpan(node)
    return {
      id: row.id,
      kind: node.kind,
      conversationId: row.conversationId,
      depth: node.depth,
      role: null,
      seq: null,
      tokens: node.tokens,
      sourceTokens: graph.messageTokens(node),
      messages: graph.messageCount(node),
      firstSeq: span?.firstSeq ?? null,
      lastSeq: span?.lastSeq ?? null,
      createdAtMs: node.createdAtMs,
      sources: (graph.sources[index]?.length ?? 0) + node.messageEdges,
      dependents: graph.dependents[index]?.length ?? 0,
      visibility: VISIBILITIES[graph.nodeStates[index] ?? 0] ?? 'absent',
      excerpt: openingExcerpt(row.start),
    }
  })
}

function missingCard(id: string): NodeCard {
  return {
    id,
    kind: 'missing',
    conversationId: null,
    depth: -1,
    role: null,
    seq: null,
    tokens: 0,
    sourceTokens: null,
    messages: 0,
    firstSeq: null,
    lastSeq: null,
    createdAtMs: null,
    sources: 0,
    dependents: 0,
    visibility: 'absent',
    excerpt: '',
  }
}
