import type { SqlParams } from '../../core/sqlite/read-db.ts'
import { STORY_BEGINS_MS, type TestMemory } from '../builders/memory.ts'

/** A source of chance that a property test hands out. */
export type Pick = <T>(list: readonly T[]) => T

/** One kind of damage; `inject` says whether there was something to damage. */
export type Fault = {
  readonly name: string
  /** The check that names it. */
  readonly check: string
  readonly inject: (memory: TestMemory, pick: Pick) => boolean
}

const SUMMARIES = 'SELECT summary_id FROM summaries ORDER BY summary_rowid'
const LEAVES = "SELECT summary_id FROM summaries WHERE kind = 'leaf' ORDER BY summary_rowid"
const CONDENSED = "SELECT summary_id FROM summaries WHERE kind = 'condensed' ORDER BY summary_rowid"
const IN_WINDOW = 'SELECT summary_id FROM context_items WHERE summary_id IS NOT NULL ORDER BY ordinal'
/** The newest message stays: without it another check speaks as well. */
const RAW = `
  SELECT c.message_id FROM context_items AS c JOIN messages AS m ON m.message_id = c.message_id
  WHERE m.seq < (SELECT max(seq) FROM messages AS n WHERE n.conversation_id = m.conversation_id)
  ORDER BY c.ordinal`

/** Damage by one statement about something that a query finds. */
const one = (name: string, check: string, of: string, sql: string, more: SqlParams = {}): Fault => ({
  name,
  check,
  inject: (memory, pick) => {
    const found = memory.db.column<string | number>(of)
    if (found.length === 0) return false
    memory.damage(sql, { id: pick(found), ...more })
    return true
  },
})

export const faults: readonly Fault[] = [
  one(
    'a summary lost its links',
    'summary_without_source',
    LEAVES,
    'DELETE FROM summary_messages WHERE summary_id = :id',
  ),
  one(
    'a condensed node lost its links',
    'summary_without_source',
    CONDENSED,
    'DELETE FROM summary_sources WHERE summary_id = :id',
  ),
  {
    name: 'a summary lost its links, and nothing tells which',
    check: 'summary_without_source',
    inject: (memory, pick) => {
      const leaves = memory.db.column<string>(LEAVES)
      if (leaves.length === 0) return false
      const id = pick(leaves)
      memory.damage('DELETE FROM summary_messages WHERE summary_id = :id', { id })
      memory.damage("UPDATE summaries SET content = content || ' Altered.' WHERE summary_id = :id", { id })
      memory.damage('DELETE FROM compaction_events WHERE summary_id = :id', { id })
      return true
    },
  },
  one(
    'a leaf lost one message',
    'summary_hash',
    LEAVES,
    'DELETE FROM summary_messages WHERE summary_id = :id AND ordinal = (SELECT min(ordinal) FROM summary_messages WHERE summary_id = :id)',
  ),
  one(
    'a leaf calls itself condensed',
    'kind_mismatch',
    LEAVES,
    "UPDATE summaries SET kind = 'condensed' WHERE summary_id = :id",
  ),
  one(
    'a condensed node calls itself a leaf',
    'kind_mismatch',
    CONDENSED,
    "UPDATE summaries SET kind = 'leaf' WHERE summary_id = :id",
  ),
  one(
    'a summary was deleted beneath another',
    'dangling_edge',
    'SELECT source_summary_id FROM summary_sources ORDER BY 1',
    'DELETE FROM summaries WHERE summary_id = :id',
  ),
  one(
    'a link leads to no message',
    'dangling_edge',
    LEAVES,
    'INSERT INTO summary_messages VALUES (:id, 987654321, 999)',
  ),
  one(
    'a link leads to no summary',
    'dangling_edge',
    CONDENSED,
    "INSERT INTO summary_sources VALUES (:id, 'sum_never', 999)",
  ),
  one(
    'links of nobody',
    'dangling_edge',
    'SELECT message_id FROM messages ORDER BY 1',
    "INSERT INTO summary_messages VALUES ('sum_nobody', :id, 0)",
  ),
  one('a summary is its own source', 'lineage_cycle', CONDENSED, 'INSERT INTO summary_sources VALUES (:id, :id, 999)'),
  {
    name: 'a summary is made from what is made from it',
    check: 'lineage_cycle',
    inject: (memory, pick) => {
      const edges = memory.db.all<{ made: string; source: string }>(
        `SELECT e.summary_id AS made, e.source_summary_id AS source FROM summary_sources AS e
         JOIN summaries AS s ON s.summary_id = e.source_summary_id AND s.kind = 'condensed' ORDER BY 1, 2`,
      )
      if (edges.length === 0) return false
      memory.damage('INSERT INTO summary_sources VALUES (:source, :made, 999)', pick(edges))
      return true
    },
  },
  one('a wrong depth', 'depth_mismatch', SUMMARIES, 'UPDATE summaries SET depth = depth + 3 WHERE summary_id = :id'),
  one('a summary nobody leads to', 'orphan_summary', IN_WINDOW, 'DELETE FROM context_items WHERE summary_id = :id'),
  {
    name: 'a message under two leaves',
    check: 'double_coverage',
    inject: (memory, pick) => {
      const leaves = memory.db.column<string>(IN_WINDOW)
      if (leaves.length < 2) return false
      const [first, second] = [leaves[0] ?? '', leaves[1] ?? '']
      const leafUnder = (id: string): string => memory.db.value<string>(UNDER, { id }) ?? ''
      const messages = memory.db.column<number>(
        'SELECT message_id FROM summary_messages WHERE summary_id = :id ORDER BY ordinal',
        {
          id: leafUnder(first),
        },
      )
      if (messages.length < 2 || leafUnder(second) === '') return false
      memory.damage('INSERT INTO summary_messages VALUES (:leaf, :message, 999)', {
        leaf: leafUnder(second),
        message: pick(messages),
      })
      return true
    },
  },
  {
    name: 'links in the wrong order',
    check: 'source_order',
    inject: (memory, pick) => {
      const leaves = memory.db.column<string>(
        'SELECT summary_id FROM summary_messages GROUP BY summary_id HAVING count(*) > 1 ORDER BY 1',
      )
      if (leaves.length === 0) return false
      memory.damage('UPDATE summary_messages SET ordinal = 1000 - ordinal WHERE summary_id = :id', { id: pick(leaves) })
      return true
    },
  },
  {
    name: 'a link into another conversation',
    check: 'cross_conversation_edge',
    inject: (memory, pick) => {
      const leaves = memory.db.column<string>(LEAVES)
      if (leaves.length === 0) return false
      const id = pick(leaves)
      const other = memory.db.column<number>(
        `SELECT message_id FROM messages WHERE conversation_id <> (SELECT conversation_id FROM summaries WHERE summary_id = :id)
         ORDER BY message_id`,
        { id },
      )
      if (other.length === 0) return false
      memory.damage('INSERT INTO summary_messages VALUES (:id, :message, 999)', { id, message: pick(other) })
      return true
    },
  },
  one('a message fell out of the window', 'coverage_gap', RAW, 'DELETE FROM context_items WHERE message_id = :id'),
  one(
    'a window entry leads to no message',
    'dangling_item',
    'SELECT conversation_id FROM conversations',
    "INSERT INTO context_items VALUES (:id, 900000, 'message', 987654321, NULL, 0)",
  ),
  one(
    'a window entry leads to no summary',
    'dangling_item',
    'SELECT conversation_id FROM conversations',
    "INSERT INTO context_items VALUES (:id, 900001, 'summary', NULL, 'sum_never', 0)",
  ),
  one(
    'a summary stands behind what came later',
    'context_order',
    IN_WINDOW,
    'UPDATE context_items SET ordinal = ordinal + 1000000 WHERE summary_id = :id',
  ),
  {
    name: 'a message stands beside its summary',
    check: 'double_inclusion',
    inject: (memory, pick) => {
      const roots = memory.db.all<{ id: string; conversation: number }>(
        'SELECT summary_id AS id, conversation_id AS conversation FROM context_items WHERE summary_id IS NOT NULL ORDER BY ordinal',
      )
      if (roots.length === 0) return false
      const { id, conversation } = pick(roots)
      const leaf = memory.db.value<string>(UNDER, { id })
      const messages = memory.db.column<number>(
        'SELECT message_id FROM summary_messages WHERE summary_id = :leaf AND message_id NOT IN (SELECT message_id FROM context_items WHERE message_id IS NOT NULL) ORDER BY ordinal',
        { leaf: leaf ?? '' },
      )
      if (messages.length === 0) return false
      memory.damage("INSERT INTO context_items VALUES (:conversation, 900002, 'message', :message, NULL, 0)", {
        conversation,
        message: pick(messages),
      })
      return true
    },
  },
  {
    name: 'the newest message was summarised',
    check: 'fresh_tail_compacted',
    inject: (memory, pick) => {
      const conversation = pick(memory.conversationIds)
      const raw = memory.db.column<number>(
        `SELECT message_id FROM context_items WHERE conversation_id = :c AND message_id IS NOT NULL
           AND ordinal > coalesce((SELECT max(ordinal) FROM context_items WHERE conversation_id = :c AND summary_id IS NOT NULL), -1)
         ORDER BY ordinal`,
        { c: conversation },
      )
      if (raw.length < 2) return false
      memory.leaf(conversation, raw.slice(-2), { content: 'The end.', tokens: 2 })
      return true
    },
  },
  one(
    'a wrong time range',
    'time_range',
    SUMMARIES,
    'UPDATE summaries SET earliest_at = earliest_at - 90061000 WHERE summary_id = :id',
  ),
  one(
    'a time range that ends before it begins',
    'time_range',
    SUMMARIES,
    'UPDATE summaries SET earliest_at = latest_at + 5000, latest_at = earliest_at - 5000 WHERE summary_id = :id',
  ),
  one(
    'a wrong number of descendants',
    'descendant_count',
    SUMMARIES,
    'UPDATE summaries SET descendant_count = descendant_count + 7 WHERE summary_id = :id',
  ),
  one(
    'a wrong number of source tokens',
    'descendant_count',
    SUMMARIES,
    'UPDATE summaries SET source_token_count = source_token_count + 700 WHERE summary_id = :id',
  ),
  one(
    'a summary with a wrong number of tokens',
    'token_drift',
    SUMMARIES,
    'UPDATE summaries SET token_count = 90000 WHERE summary_id = :id',
  ),
  one(
    'a message without a number of tokens',
    'token_drift',
    'SELECT message_id FROM messages WHERE length(content) > 200 ORDER BY message_id',
    'UPDATE messages SET token_count = 0 WHERE message_id = :id',
  ),
  one('a wrong hash', 'summary_hash', SUMMARIES, 'UPDATE summaries SET summary_hash = :hash WHERE summary_id = :id', {
    hash: 'f'.repeat(64),
  }),
  one(
    'a text that was changed',
    'summary_hash',
    SUMMARIES,
    "UPDATE summaries SET content = content || ' And more.' WHERE summary_id = :id",
  ),
  one(
    'a summary that says nothing',
    'empty_summary',
    SUMMARIES,
    "UPDATE summaries SET content = '' WHERE summary_id = :id",
  ),
  one(
    'a list of files that is no list',
    'malformed_json',
    SUMMARIES,
    "UPDATE summaries SET file_ids = '[\"file_' WHERE summary_id = :id",
  ),
  one('an impossible kind', 'invalid_value', SUMMARIES, "UPDATE summaries SET kind = 'branch' WHERE summary_id = :id"),
  {
    name: 'a message that the index lacks',
    check: 'fts_in_sync',
    inject: (memory, pick) => {
      // Another fault may have taken the whole index away.
      if (memory.db.value("SELECT 1 FROM sqlite_schema WHERE name = 'messages_fts'") === undefined) return false
      const id = pick(memory.db.column<number>('SELECT message_id FROM messages ORDER BY 1'))
      memory.damage(
        `INSERT INTO messages_fts (messages_fts, rowid, content, tool_input, tool_output, reasoning)
         SELECT 'delete', message_id, content, tool_input, tool_output, reasoning FROM message_text WHERE message_id = :id`,
        { id },
      )
      return true
    },
  },
  {
    name: 'a trigger of the index is gone',
    check: 'fts_trigger_missing',
    inject: (memory, pick) => {
      const triggers = memory.db.column<string>(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%index%' ORDER BY 1",
      )
      if (triggers.length === 0) return false
      memory.db.exec(`DROP TRIGGER ${pick(triggers)}`)
      return true
    },
  },
  {
    name: 'an index is gone',
    check: 'fts_in_sync',
    inject: (memory, pick) => {
      const indexes = ['messages_fts', 'messages_trigram', 'summaries_fts', 'summaries_trigram']
      memory.db.exec(`DROP TABLE IF EXISTS ${pick(indexes)}`)
      return true
    },
  },
  one(
    'a lock whose owner is gone',
    'stale_lock',
    'SELECT conversation_id FROM conversations WHERE conversation_id NOT IN (SELECT conversation_id FROM conversation_locks)',
    "INSERT INTO conversation_locks VALUES (:id, 'gone', 0, :until)",
    { until: STORY_BEGINS_MS },
  ),
  one(
    'a run that never ended',
    'abandoned_run',
    'SELECT conversation_id FROM conversations WHERE conversation_id NOT IN (SELECT conversation_id FROM conversation_locks)',
    `INSERT OR IGNORE INTO compaction_runs (run_id, conversation_id, reason, mode, summarizer, configuration, owner, started_at, tokens_before)
     VALUES ('run_cut_' || :id, :id, 'manual', 'full', 'deterministic', '{}', 'gone', 5, 100)`,
  ),
]

/** A leaf under a summary, the first one. */
const UNDER = `
  WITH RECURSIVE beneath (id) AS (
    VALUES (:id) UNION SELECT e.source_summary_id FROM beneath AS b JOIN summary_sources AS e ON e.summary_id = b.id
  )
  SELECT l.summary_id FROM beneath AS b JOIN summary_messages AS l ON l.summary_id = b.id ORDER BY l.message_id LIMIT 1`
