import { expect } from 'vitest'
import type { ReadDb } from '#core/sqlite/read-db.ts'

/** What no compaction may ever change: every canonical row, byte for byte, synthetic parts apart. */
export function canonicalRows(db: ReadDb): string {
  return JSON.stringify([
    db.all('SELECT * FROM messages ORDER BY message_id'),
    db.all('SELECT * FROM message_parts WHERE is_synthetic = 0 ORDER BY message_id, ordinal'),
  ])
}

export type WindowEntry = {
  readonly ordinal: number
  readonly messageId: number | null
  readonly summaryId: string | null
  readonly role: string | null
  readonly tokens: number
}

export const windowOf = (db: ReadDb, conversationId: number): WindowEntry[] =>
  db.all(
    `SELECT c.ordinal AS ordinal, c.message_id AS messageId, c.summary_id AS summaryId, m.role AS role,
       coalesce(m.token_count, s.token_count) AS tokens
     FROM context_items AS c
     LEFT JOIN messages AS m ON m.message_id = c.message_id
     LEFT JOIN summaries AS s ON s.summary_id = c.summary_id
     WHERE c.conversation_id = :c ORDER BY c.ordinal`,
    { c: conversationId },
  )

/** Returns the messages that an entry of the window covers, in order, found through the links alone. */
export function coveredMessages(db: ReadDb, summaryId: string): number[] {
  const leaves = db.column<number>('SELECT message_id FROM summary_messages WHERE summary_id = :id ORDER BY ordinal', {
    id: summaryId,
  })
  const sources = db.column<string>(
    'SELECT source_summary_id FROM summary_sources WHERE summary_id = :id ORDER BY ordinal',
    { id: summaryId },
  )
  return [...leaves, ...sources.flatMap((source) => coveredMessages(db, source))]
}

/** Lossless, in order, nothing twice: the window expands to exactly the messages of the conversation. */
export function expectLossless(db: ReadDb, conversationId: number): void {
  const expanded = windowOf(db, conversationId).flatMap((entry) =>
    entry.summaryId === null ? [entry.messageId] : coveredMessages(db, entry.summaryId),
  )
  const all = db.column<number>('SELECT message_id FROM messages WHERE conversation_id = :c ORDER BY seq', {
    c: conversationId,
  })
  expect(expanded).toEqual(all)
}

type Node = {
  id: string
  conversation: number
  kind: string
  depth: number
  tokens: number
  sourceTokens: number
  descendants: number
  earliest: number | null
  latest: number | null
}
type Source = {
  conversation: number
  depth: number
  tokens: number
  canonical: number
  own: number
  from: number
  to: number
}

/** Every node has the shape and the numbers that its sources give, and is smaller than they are. */
export function expectSoundGraph(db: ReadDb): void {
  const nodes = db.all<Node>(
    `SELECT summary_id AS id, conversation_id AS conversation, kind, depth, token_count AS tokens,
       source_token_count AS sourceTokens, descendant_count AS descendants, earliest_at AS earliest, latest_at AS latest
     FROM summaries`,
  )
  for (const node of nodes) {
    const sources = sourcesOf(db, node.id)
    const sum = (value: (source: Source) => number): number =>
      sources.reduce((total, source) => total + value(source), 0)
    expect(sources.length, `${node.id} has sources`).toBeGreaterThan(0)
    expect(sources.every((source) => source.conversation === node.conversation)).toBe(true)
    expect(node.depth).toBe(Math.max(...sources.map((source) => source.depth)) + 1)
    expect(node.kind).toBe(node.depth === 0 ? 'leaf' : 'condensed')
    expect(node.tokens).toBeLessThan(sum((source) => source.tokens))
    expect(node.tokens).toBeGreaterThan(0)
    expect(node.sourceTokens).toBe(sum((source) => source.canonical))
    expect(node.descendants).toBe(node.depth === 0 ? 0 : sum((source) => source.own + 1))
    expect(node.earliest).toBe(Math.min(...sources.map((source) => source.from)))
    expect(node.latest).toBe(Math.max(...sources.map((source) => source.to)))
  }
}

function sourcesOf(db: ReadDb, id: string): Source[] {
  return db.all<Source>(
    `SELECT m.conversation_id AS conversation, -1 AS depth, m.token_count AS tokens, m.token_count AS canonical,
       0 AS own, m.created_at AS "from", m.created_at AS "to"
     FROM summary_messages AS e JOIN messages AS m ON m.message_id = e.message_id WHERE e.summary_id = :id
     UNION ALL
     SELECT s.conversation_id, s.depth, s.token_count, s.source_token_count, s.descendant_count, s.earliest_at, s.latest_at
     FROM summary_sources AS e JOIN summaries AS s ON s.summary_id = e.source_summary_id WHERE e.summary_id = :id`,
    { id },
  )
}

/** No leaf holds a call without its result or a result without its call, of those whose both halves exist. */
export function expectWholePairs(db: ReadDb): void {
  const split = db.all(
    `SELECT a.message_id AS call, r.message_id AS result
     FROM message_parts AS p
     JOIN messages AS a ON a.message_id = p.message_id AND a.role = 'assistant'
     JOIN message_parts AS q ON q.tool_call_id = p.tool_call_id
     JOIN messages AS r ON r.message_id = q.message_id AND r.role = 'tool' AND r.conversation_id = a.conversation_id
     LEFT JOIN summary_messages AS x ON x.message_id = a.message_id
     LEFT JOIN summary_messages AS y ON y.message_id = r.message_id
     WHERE a.seq < r.seq AND x.summary_id IS NOT y.summary_id`,
  )
  expect(split).toEqual([])
}
