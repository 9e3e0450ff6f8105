import type Database from 'better-sqlite3'

/** Nodes of the small story that are damaged, by their role, because ids differ from file to file. */
export type Landmarks = {
  readonly leaf: string
  /** The first two nodes of depth 1 and the last one, the node above them, and the newest beside it in the window. */
  readonly first: string
  readonly second: string
  readonly third: string
  readonly root: string
  readonly newer: string
  readonly newestLeaf: string
  readonly leafWithFile: string
  readonly log: string
  readonly output: string
  readonly callOfResult12: string
}

export function landmarksOf(db: Database.Database): Landmarks {
  const id = (sql: string): string => String(db.prepare(sql).pluck().get())
  const root = id('SELECT summary_id FROM summaries WHERE depth = 2')
  const source = (place: number): string =>
    id(`SELECT parent_summary_id FROM summary_parents WHERE summary_id = '${root}' AND ordinal = ${place}`)
  return {
    leaf: id('SELECT summary_id FROM summary_messages WHERE message_id = 1'),
    first: source(0),
    second: source(1),
    third: source(2),
    root,
    newer: id('SELECT summary_id FROM context_items WHERE ordinal = 1'),
    newestLeaf: id('SELECT summary_id FROM summary_messages ORDER BY message_id DESC'),
    leafWithFile: id(`SELECT summary_id FROM summaries WHERE file_ids <> '[]' ORDER BY rowid`),
    log: id(`SELECT file_id FROM large_files WHERE file_name = 'server.log'`),
    output: id(`SELECT file_id FROM large_files WHERE file_name = 'bash.txt'`),
    callOfResult12: id('SELECT tool_call_id FROM message_parts WHERE message_id = 12'),
  }
}

type Damage = {
  /** The check that names the fault, and an id to which one of its samples leads. */
  readonly check: string
  readonly at: (marks: Landmarks) => string | null
  readonly sql: (marks: Landmarks) => string
}
const nowhere = (): null => null

/** One fault each, made in the small story in a file of lossless-claw. */
export const CLAW_DAMAGE: Readonly<Record<string, Damage>> = {
  archived_but_active_flag: {
    check: 'archived_but_active_flag',
    at: nowhere,
    sql: () => `UPDATE conversations SET archived_at = '2025-09-03 00:00:00', archive_cause = 'manual-reset'`,
  },
  context_chronology_inverted: {
    check: 'context_order',
    at: ({ root }) => root,
    sql: ({ root, newer }) =>
      `UPDATE context_items SET summary_id = iif(ordinal = 0, '${newer}', '${root}') WHERE ordinal < 2`,
  },
  context_dangling_summary: {
    check: 'dangling_item',
    at: () => 'sum_0000000000000000',
    sql: () => `UPDATE context_items SET summary_id = 'sum_0000000000000000' WHERE ordinal = 0`,
  },
  context_ordinal_gap: {
    check: 'ordinal_gap',
    at: () => 'msg_62',
    sql: () => 'UPDATE context_items SET ordinal = ordinal + 1000 WHERE ordinal > 4',
  },
  dag_cycle: {
    check: 'lineage_cycle',
    at: ({ third }) => third,
    sql: ({ third, root }) => `INSERT INTO summary_parents VALUES ('${third}', '${root}', 50)`,
  },
  depth_wrong: {
    check: 'depth_mismatch',
    at: ({ first }) => first,
    sql: ({ first }) => `UPDATE summaries SET depth = 4 WHERE summary_id = '${first}'`,
  },
  emergency_model: {
    check: 'fallback_summary',
    at: ({ leaf }) => leaf,
    sql: ({ leaf }) => `UPDATE summaries SET model = 'emergency-fallback' WHERE summary_id = '${leaf}'`,
  },
  fallback_marker: {
    check: 'fallback_summary',
    at: ({ leaf }) => leaf,
    sql: ({ leaf }) => `
      UPDATE summaries SET content = content || char(10) || '[Truncated from 593 tokens]' WHERE summary_id = '${leaf}'`,
  },
  fts_missing_rows: {
    check: 'fts_in_sync',
    at: () => 'msg_',
    sql: () => 'DELETE FROM messages_fts WHERE rowid % 2 = 0',
  },
  fts_table_dropped: { check: 'fts_in_sync', at: nowhere, sql: () => 'DROP TABLE summaries_fts' },
  identity_hash_wrong: {
    check: 'content_hash',
    at: () => 'msg_10',
    sql: () => `UPDATE messages SET identity_hash = '00' WHERE message_id = 10`,
  },
  large_file_missing_on_disk: {
    check: 'file_missing',
    at: ({ output }) => output,
    sql: () => `UPDATE large_files SET storage_uri = storage_uri || '.gone'`,
  },
  large_file_row_missing: {
    check: 'file_reference_unknown',
    at: ({ leafWithFile }) => leafWithFile,
    sql: ({ log }) => `DELETE FROM large_files WHERE file_id = '${log}'`,
  },
  message_covered_twice: {
    check: 'double_coverage',
    at: () => 'msg_1',
    sql: ({ newestLeaf }) => `INSERT INTO summary_messages VALUES ('${newestLeaf}', 1, 99)`,
  },
  message_lost_from_context: {
    check: 'coverage_gap',
    at: () => 'msg_59',
    sql: () => `DELETE FROM context_items WHERE message_id = 59;
      UPDATE context_items SET ordinal = ordinal - 1 WHERE ordinal > 2`,
  },
  message_token_count_zero: {
    check: 'token_drift',
    at: () => 'msg_40',
    sql: () => 'UPDATE messages SET token_count = 0 WHERE message_id % 5 = 0',
  },
  orphan_summary: {
    check: 'summary_without_source',
    at: () => 'sum_deadbeefdeadbeef',
    sql: () => `INSERT INTO summaries (summary_id, conversation_id, kind, content, token_count, created_at)
      VALUES ('sum_deadbeefdeadbeef', 1, 'leaf', 'orphan', 2, '2026-05-05T00:00:00.000Z')`,
  },
  part_metadata_bad_json: {
    check: 'malformed_json',
    at: () => 'msg_22',
    sql: () => `UPDATE message_parts SET metadata = '{bad'
      WHERE part_id IN (SELECT part_id FROM message_parts WHERE message_id >= 22 ORDER BY message_id, ordinal LIMIT 12)`,
  },
  self_parent: {
    check: 'lineage_cycle',
    at: ({ first }) => first,
    sql: ({ first }) => `INSERT INTO summary_parents VALUES ('${first}', '${first}', 51)`,
  },
  stale_maintenance_running: {
    check: 'stale_lock',
    at: nowhere,
    sql: () => `INSERT INTO conversation_compaction_maintenance (conversation_id, pending, requested_at, reason, running, last_started_at)
      VALUES (1, 1, '2025-09-01 00:00:00', 'threshold', 1, '2025-09-01 00:00:01')`,
  },
  time_range_outside_sources: {
    check: 'time_range',
    at: ({ leaf }) => leaf,
    sql: ({ leaf }) => `UPDATE summaries SET latest_at = '2031-01-01T00:00:00.000Z' WHERE summary_id = '${leaf}'`,
  },
  tool_result_orphan: {
    check: 'tool_pair_split',
    at: () => 'msg_6',
    sql: () => `UPDATE message_parts SET tool_call_id = 'call_of_nobody_' || message_id, metadata = '{}'
      WHERE message_id IN (61, 64, 66)`,
  },
}

/** What a file in long use has in addition: an archived sibling, briefs, debt, and how far a transcript was read. */
export const RICHER = ({ root, newer }: Landmarks): string => `
INSERT INTO conversations (conversation_id, session_id, session_key, active, archived_at, archive_cause, title, created_at, updated_at)
VALUES (2, 'session-old', 'agent:main:main', 0, '2025-09-03 00:00:00', 'rollover-fallback', 'Archived sibling', '2025-08-30 00:00:00',
  '2025-09-03 00:00:00');
INSERT INTO messages (message_id, conversation_id, seq, role, content, token_count, created_at)
VALUES (69, 2, 1, 'user', 'older segment', 4, '2025-08-30 00:00:00');
INSERT INTO messages_fts (rowid, content) VALUES (69, 'older segment');
INSERT INTO context_items (conversation_id, ordinal, item_type, message_id, created_at)
VALUES (2, 0, 'message', 69, '2025-08-30 00:00:00');
INSERT INTO focus_briefs (brief_id, conversation_id, prompt, content, status, covered_message_seq)
VALUES ('focus_1', 1, 'p', 'c', 'superseded', 58), ('focus_2', 1, 'p', 'c', 'active', 58), ('focus_3', 1, 'p', '', 'failed', 58);
INSERT INTO focus_brief_sources (brief_id, summary_id, role)
SELECT brief_id, '${newer}', 'expanded' FROM focus_briefs UNION ALL SELECT brief_id, '${root}', 'active_input' FROM focus_briefs;
INSERT INTO conversation_compaction_maintenance (conversation_id, pending, requested_at, reason, token_budget, current_token_count)
VALUES (1, 1, '2025-09-03T00:00:00.000Z', 'threshold', 3000, 2900);
INSERT INTO conversation_bootstrap_state (conversation_id, session_file_path, last_seen_size, last_seen_mtime_ms, last_processed_offset)
VALUES (1, '/home/agent/.openclaw/agents/main/sessions/s.jsonl', 123456, 1756713600000, 123456);`
