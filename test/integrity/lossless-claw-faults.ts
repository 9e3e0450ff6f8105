import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { FIXTURES } from '../db/fixtures.ts'
import { marksOf } from './marks.ts'

/** Something that happens to files of lossless-claw, and the check that has to name it. */
export type Fault = {
  readonly name: string
  readonly check: string
  /** An id that one of the samples has to name. */
  readonly at?: string
  readonly damage: string | ((db: Database.Database) => void)
}

const MARKS = marksOf(join(FIXTURES, 'lossless-claw/small.db'))
const { leaf: LEAF, first: FIRST, second: SECOND, root: ROOT, newer: NEWER } = MARKS
const { leafWithFile: WITH_FILE, log: LOG, callOfResult12: CALL } = MARKS

/** Drops a table and makes it anew from its rows without keys and checks. */
const loose = (table: string): string =>
  `CREATE TABLE loose AS SELECT * FROM ${table}; DROP TABLE ${table}; ALTER TABLE loose RENAME TO ${table};`

/** Messages with their numbers as the only key. */
const looseMessages = `CREATE TABLE loose (message_id INTEGER PRIMARY KEY, conversation_id, seq, role, content, token_count,
    identity_hash, openclaw_sender_metadata, transcript_entry_id, created_at, large_content, stable_event_key);
  INSERT INTO loose SELECT * FROM messages; DROP TABLE messages; ALTER TABLE loose RENAME TO messages;`

const otherConversation = `INSERT INTO conversations (conversation_id, session_id, session_key, active)
  VALUES (7, 'session-7', 'agent:other:main', 1);
  INSERT INTO messages (message_id, conversation_id, seq, role, content, token_count, identity_hash, created_at)
  VALUES (700, 7, 1, 'user', 'elsewhere', 3, 'c3abe2e6ea3cf6a8a2e8c9ee8b7f3ba2cbd4b9ea56e7e8f0a0b0c0d0e0f00011', '2025-09-01 08:10:00');
  UPDATE messages SET identity_hash = NULL WHERE message_id = 700;
  INSERT INTO messages_fts (rowid, content) VALUES (700, 'elsewhere');
  INSERT INTO context_items (conversation_id, ordinal, item_type, message_id) VALUES (7, 0, 'message', 700);`

/** A leaf over the two newest messages, right in itself. */
const newestLeaf = `INSERT INTO summaries (summary_id, conversation_id, kind, depth, content, token_count, earliest_at, latest_at, source_message_token_count)
  SELECT 'sum_1111111111111111', 1, 'leaf', 0, 'The newest.', 3, strftime('%Y-%m-%dT%H:%M:%SZ', min(created_at)),
    strftime('%Y-%m-%dT%H:%M:%SZ', max(created_at)), sum(token_count) FROM messages WHERE message_id IN (67, 68);
  INSERT INTO summary_messages VALUES ('sum_1111111111111111', 67, 0), ('sum_1111111111111111', 68, 1);
  INSERT INTO summaries_fts (summary_id, content) VALUES ('sum_1111111111111111', 'The newest.');
  INSERT INTO summaries_fts_cjk (summary_id, content) VALUES ('sum_1111111111111111', 'The newest.');`

/** One of each family and more, all done to the sound small file. */
const lineageFaults: readonly Fault[] = [
  {
    name: 'leaf without messages',
    check: 'summary_without_source',
    at: LEAF,
    damage: `DELETE FROM summary_messages WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'condensed without summaries',
    check: 'summary_without_source',
    at: FIRST,
    damage: `DELETE FROM summary_parents WHERE summary_id = '${FIRST}'`,
  },
  {
    name: 'leaf that calls itself condensed',
    check: 'kind_mismatch',
    at: LEAF,
    damage: `UPDATE summaries SET kind = 'condensed' WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'condensed that calls itself a leaf',
    check: 'kind_mismatch',
    at: FIRST,
    damage: `UPDATE summaries SET kind = 'leaf' WHERE summary_id = '${FIRST}'`,
  },
  {
    name: 'unknown kind',
    check: 'invalid_value',
    at: LEAF,
    damage: `UPDATE summaries SET kind = 'rolled' WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'edge to a summary that is gone',
    check: 'dangling_edge',
    at: FIRST,
    damage: `UPDATE summary_parents SET parent_summary_id = 'sum_ffffffffffffffff' WHERE parent_summary_id = '${LEAF}'`,
  },
  {
    name: 'edge of a summary that is gone',
    check: 'dangling_edge',
    damage: `INSERT INTO summary_parents VALUES ('sum_ffffffffffffffff', '${LEAF}', 0)`,
  },
  {
    name: 'message link that leads nowhere',
    check: 'dangling_edge',
    at: LEAF,
    damage: `INSERT INTO summary_messages VALUES ('${LEAF}', 9999, 9)`,
  },
  {
    name: 'message that was deleted',
    check: 'dangling_edge',
    at: LEAF,
    damage:
      'DELETE FROM message_parts WHERE message_id = 2; DELETE FROM messages_fts WHERE rowid = 2; DELETE FROM messages WHERE message_id = 2',
  },
  {
    name: 'summary that was deleted',
    check: 'dangling_edge',
    at: FIRST,
    damage: `DELETE FROM summaries_fts WHERE summary_id = '${LEAF}'; DELETE FROM summaries_fts_cjk WHERE summary_id = '${LEAF}'; DELETE FROM summaries WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'message of another conversation',
    check: 'cross_conversation_edge',
    at: LEAF,
    damage: `${otherConversation} INSERT INTO summary_messages VALUES ('${LEAF}', 700, 9)`,
  },
  {
    name: 'summary of another conversation',
    check: 'cross_conversation_edge',
    at: FIRST,
    damage: `${otherConversation} UPDATE summaries SET conversation_id = 7 WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'cycle of three',
    check: 'lineage_cycle',
    at: ROOT,
    damage: `INSERT INTO summary_parents VALUES ('${LEAF}', '${ROOT}', 9)`,
  },
  {
    name: 'depth too small',
    check: 'depth_mismatch',
    at: ROOT,
    damage: `UPDATE summaries SET depth = 0 WHERE summary_id = '${ROOT}'`,
  },
  {
    name: 'leaf with a depth',
    check: 'depth_mismatch',
    at: LEAF,
    damage: `UPDATE summaries SET depth = 2 WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'negative depth',
    check: 'invalid_value',
    at: LEAF,
    damage: `UPDATE summaries SET depth = -1 WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'edge listed twice',
    check: 'duplicate_edge',
    at: FIRST,
    damage: `${loose('summary_parents')} INSERT INTO summary_parents VALUES ('${FIRST}', '${LEAF}', 9)`,
  },
  {
    name: 'message listed twice',
    check: 'duplicate_edge',
    at: LEAF,
    damage: `${loose('summary_messages')} INSERT INTO summary_messages VALUES ('${LEAF}', 1, 9)`,
  },
  {
    name: 'messages of a leaf in the wrong order',
    check: 'source_order',
    at: LEAF,
    damage: `UPDATE summary_messages SET ordinal = 10 - ordinal WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'sources in the wrong order',
    check: 'source_order',
    at: FIRST,
    damage: `UPDATE summary_parents SET ordinal = 10 - ordinal WHERE summary_id = '${FIRST}'`,
  },
  {
    name: 'summary that fell out of the window',
    check: 'orphan_summary',
    at: NEWER,
    damage: `DELETE FROM context_items WHERE summary_id = '${NEWER}'; UPDATE context_items SET ordinal = ordinal - 1 WHERE ordinal > 1`,
  },
  {
    name: 'source taken from its dependent',
    check: 'orphan_summary',
    at: LEAF,
    damage: `DELETE FROM summary_parents WHERE parent_summary_id = '${LEAF}'`,
  },
]

const contextFaults: readonly Fault[] = [
  {
    name: 'item of a message that is gone',
    check: 'dangling_item',
    damage: 'UPDATE context_items SET message_id = 9999 WHERE message_id = 60',
  },
  {
    name: 'item of another conversation',
    check: 'dangling_item',
    damage: `${otherConversation} DELETE FROM context_items WHERE conversation_id = 7; INSERT INTO context_items VALUES (1, 12, 'message', 700, NULL, datetime('now'))`,
  },
  {
    name: 'window that begins at one',
    check: 'ordinal_gap',
    damage: 'UPDATE context_items SET ordinal = ordinal + 100; UPDATE context_items SET ordinal = ordinal - 99',
  },
  {
    name: 'two items in one place',
    check: 'ordinal_duplicate',
    damage: `${loose('context_items')} UPDATE context_items SET ordinal = 4 WHERE ordinal = 5`,
  },
  {
    name: 'messages in the wrong order',
    check: 'context_order',
    at: 'msg_60',
    damage:
      'UPDATE context_items SET ordinal = 103 WHERE ordinal = 3; UPDATE context_items SET ordinal = 3 WHERE ordinal = 4; UPDATE context_items SET ordinal = 4 WHERE ordinal = 103',
  },
  {
    name: 'summary behind the newest message',
    check: 'context_order',
    at: NEWER,
    damage: `UPDATE context_items SET ordinal = 12 WHERE summary_id = '${NEWER}'; UPDATE context_items SET ordinal = ordinal + 100 WHERE ordinal > 1; UPDATE context_items SET ordinal = ordinal - 101 WHERE ordinal > 100`,
  },
  { name: 'window without items', check: 'coverage_gap', at: 'msg_1', damage: 'DELETE FROM context_items' },
  {
    name: 'message twice in the window',
    check: 'double_inclusion',
    at: 'msg_60',
    damage: `INSERT INTO context_items VALUES (1, 12, 'message', 60, NULL, datetime('now'))`,
  },
  {
    name: 'summary twice in the window',
    check: 'double_inclusion',
    at: NEWER,
    damage: `INSERT INTO context_items VALUES (1, 12, 'summary', NULL, '${NEWER}', datetime('now'))`,
  },
  {
    name: 'message beside its summary',
    check: 'double_inclusion',
    at: 'msg_58',
    damage: `UPDATE context_items SET ordinal = ordinal + 100 WHERE ordinal > 1; UPDATE context_items SET ordinal = ordinal - 99 WHERE ordinal > 1; INSERT INTO context_items VALUES (1, 2, 'message', 58, NULL, datetime('now'))`,
  },
  {
    name: 'source beside its dependent',
    check: 'double_inclusion',
    at: SECOND,
    damage: `UPDATE context_items SET ordinal = ordinal + 100 WHERE ordinal > 0; UPDATE context_items SET ordinal = ordinal - 99 WHERE ordinal > 0; INSERT INTO context_items VALUES (1, 1, 'summary', NULL, '${SECOND}', datetime('now'))`,
  },
  {
    name: 'newest message compacted',
    check: 'fresh_tail_compacted',
    at: 'msg_68',
    damage: `${newestLeaf} DELETE FROM context_items WHERE message_id IN (67, 68); INSERT INTO context_items VALUES (1, 10, 'summary', NULL, 'sum_1111111111111111', datetime('now'))`,
  },
  {
    name: 'result stored twice',
    check: 'duplicate_tool_result',
    at: 'msg_16',
    damage: `UPDATE message_parts SET tool_call_id = '${CALL}' WHERE message_id = 16`,
  },
]

const contentFaults: readonly Fault[] = [
  {
    name: 'text that was changed',
    check: 'content_hash',
    at: 'msg_10',
    damage: `UPDATE messages SET content = 'forged' WHERE message_id = 10; UPDATE messages_fts SET content = 'forged' WHERE rowid = 10`,
  },
  {
    name: 'huge number of tokens',
    check: 'token_drift',
    at: 'msg_10',
    damage: 'UPDATE messages SET token_count = 900000 WHERE message_id = 10',
  },
  {
    name: 'negative number of tokens',
    check: 'invalid_value',
    at: 'msg_10',
    damage: 'UPDATE messages SET token_count = -5 WHERE message_id = 10',
  },
  {
    name: 'summary with a huge number of tokens',
    check: 'token_drift',
    at: LEAF,
    damage: `UPDATE summaries SET token_count = 90000 WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'summary with no tokens',
    check: 'token_drift',
    at: LEAF,
    damage: `UPDATE summaries SET token_count = 0 WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'range that ends before it begins',
    check: 'time_range',
    at: LEAF,
    damage: `UPDATE summaries SET earliest_at = latest_at, latest_at = earliest_at WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'range that is missing',
    check: 'time_range',
    at: LEAF,
    damage: `UPDATE summaries SET earliest_at = NULL, latest_at = NULL WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'range that is no time',
    check: 'time_range',
    at: LEAF,
    damage: `UPDATE summaries SET earliest_at = 'yesterday' WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'message time that is no time',
    check: 'impossible_time',
    at: 'msg_10',
    damage: `UPDATE messages SET created_at = 'soon' WHERE message_id = 10`,
  },
  {
    name: 'message of the future',
    check: 'impossible_time',
    at: 'msg_10',
    damage: `UPDATE messages SET created_at = '2099-01-01 00:00:00' WHERE message_id = 10`,
  },
  {
    name: 'wrong number of descendants',
    check: 'descendant_count',
    at: ROOT,
    damage: `UPDATE summaries SET descendant_count = 3 WHERE summary_id = '${ROOT}'`,
  },
  {
    name: 'wrong tokens of descendants',
    check: 'descendant_count',
    at: ROOT,
    damage: `UPDATE summaries SET descendant_token_count = 3 WHERE summary_id = '${ROOT}'`,
  },
  {
    name: 'wrong tokens of messages',
    check: 'descendant_count',
    at: ROOT,
    damage: `UPDATE summaries SET source_message_token_count = 3 WHERE summary_id = '${ROOT}'`,
  },
  {
    name: 'numbers that were left at zero',
    check: 'descendant_count',
    at: FIRST,
    damage: `UPDATE summaries SET descendant_count = 0, descendant_token_count = 0, source_message_token_count = 0 WHERE summary_id = '${FIRST}'`,
  },
  {
    name: 'empty summary',
    check: 'empty_summary',
    at: LEAF,
    damage: `UPDATE summaries SET content = '', token_count = 0 WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'blank summary',
    check: 'empty_summary',
    at: LEAF,
    damage: `UPDATE summaries SET content = char(10) || '  ' WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'mark of a fallback',
    check: 'fallback_summary',
    at: LEAF,
    damage: `UPDATE summaries SET content = content || char(10) || '[LCM fallback summary; truncated for context management]' WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'mark of a cut',
    check: 'fallback_summary',
    at: LEAF,
    damage: `UPDATE summaries SET content = content || char(10) || '[Truncated from 9,000 tokens]' WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'mark of a cap',
    check: 'truncated_summary',
    at: LEAF,
    damage: `UPDATE summaries SET content = content || char(10) || '[Capped from 5000 tokens to ~2400]' WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'reasoning in place of a summary',
    check: 'fallback_summary',
    at: LEAF,
    damage: `UPDATE summaries SET content = '<think>The user wants a digest.</think>' WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'summary larger than its sources',
    check: 'not_smaller_than_sources',
    at: LEAF,
    damage: `UPDATE summaries SET content = (SELECT group_concat(content, char(10)) FROM (SELECT content FROM messages LIMIT 12)), token_count = 1500 WHERE summary_id = '${LEAF}'; UPDATE summaries_fts SET content = (SELECT content FROM summaries WHERE summary_id = '${LEAF}') WHERE summary_id = '${LEAF}'; UPDATE summaries_fts_cjk SET content = (SELECT content FROM summaries WHERE summary_id = '${LEAF}') WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'unknown role',
    check: 'invalid_value',
    at: 'msg_10',
    damage: `UPDATE messages SET role = 'robot' WHERE message_id = 10`,
  },
  {
    name: 'message without text',
    check: 'invalid_value',
    at: 'msg_10',
    damage: `${looseMessages} UPDATE messages SET content = NULL WHERE message_id = 10; DELETE FROM messages_fts WHERE rowid = 10`,
  },
  {
    name: 'unknown type of part',
    check: 'invalid_value',
    at: 'msg_10',
    damage: `UPDATE message_parts SET part_type = 'hologram' WHERE message_id = 10`,
  },
  {
    name: 'number used twice',
    check: 'sequence_duplicate',
    at: 'msg_11',
    damage: `${looseMessages} UPDATE messages SET seq = 10 WHERE message_id = 11`,
  },
  {
    name: 'gap in the numbers',
    check: 'sequence_gap',
    at: 'msg_31',
    damage: 'UPDATE messages SET seq = seq + 1000 WHERE seq > 30',
  },
]

const fileFaults: readonly Fault[] = [
  {
    name: 'broken list of files',
    check: 'malformed_json',
    at: WITH_FILE,
    damage: `UPDATE summaries SET file_ids = '["file_bc41' WHERE summary_id = '${WITH_FILE}'`,
  },
  {
    name: 'list of files that is none',
    check: 'malformed_json',
    at: LEAF,
    damage: `UPDATE summaries SET file_ids = '{}' WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'broken arguments of a call',
    check: 'malformed_json',
    at: 'msg_22',
    damage: `UPDATE message_parts SET tool_input = '{"path":' WHERE message_id = 22`,
  },
  {
    name: 'file of another size',
    check: 'file_size',
    at: LOG,
    damage: `UPDATE large_files SET byte_size = 1 WHERE file_id = '${LOG}'`,
  },
  {
    name: 'file outside the store',
    check: 'file_outside_store',
    at: LOG,
    damage: `UPDATE large_files SET storage_uri = '/etc/passwd' WHERE file_id = '${LOG}'`,
  },
  {
    name: 'path that climbs out',
    check: 'file_outside_store',
    at: LOG,
    damage: `UPDATE large_files SET storage_uri = '/home/agent/.openclaw/lcm-files/1/../../../../etc/${LOG}.log' WHERE file_id = '${LOG}'`,
  },
  {
    name: 'file of another conversation',
    check: 'file_outside_store',
    at: LOG,
    damage: `UPDATE large_files SET storage_uri = replace(storage_uri, '/1/', '/2/') WHERE file_id = '${LOG}'`,
  },
  {
    name: 'message that names an unknown file',
    check: 'file_reference_unknown',
    at: 'msg_10',
    damage: `UPDATE messages SET large_content = 'file_0000000000000000' WHERE message_id = 10`,
  },
  {
    name: 'summary that names an unknown file',
    check: 'file_reference_unknown',
    at: LEAF,
    damage: `UPDATE summaries SET file_ids = '["file_0000000000000000"]' WHERE summary_id = '${LEAF}'`,
  },
  { name: 'index of messages dropped', check: 'fts_in_sync', damage: 'DROP TABLE messages_fts' },
  { name: 'substring index dropped', check: 'fts_in_sync', damage: 'DROP TABLE summaries_fts_cjk' },
  {
    name: 'index with an old text',
    check: 'fts_in_sync',
    at: 'msg_10',
    damage: `UPDATE messages_fts SET content = 'what it was' WHERE rowid = 10`,
  },
  {
    name: 'index of summaries with an old text',
    check: 'fts_in_sync',
    at: LEAF,
    damage: `UPDATE summaries_fts SET content = 'what it was' WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'index without some summaries',
    check: 'fts_in_sync',
    at: LEAF,
    damage: `DELETE FROM summaries_fts WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'index with rows too many',
    check: 'fts_in_sync',
    damage: `INSERT INTO messages_fts (rowid, content) VALUES (999, 'nobody')`,
  },
  {
    name: 'index that lists a summary twice',
    check: 'fts_in_sync',
    at: LEAF,
    damage: `INSERT INTO summaries_fts (summary_id, content) SELECT summary_id, content FROM summaries WHERE summary_id = '${LEAF}'`,
  },
  {
    name: 'part of a message that is gone',
    check: 'foreign_keys',
    damage: `UPDATE message_parts SET message_id = 9999 WHERE message_id = 51`,
  },
  { name: 'conversation that is gone', check: 'foreign_keys', damage: 'DELETE FROM conversations' },
  {
    name: 'migration that is not recorded',
    check: 'schema_incomplete',
    damage: `DELETE FROM lcm_migration_state WHERE step_name = 'backfillSummaryDepths'`,
  },
  { name: 'index that is missing', check: 'schema_incomplete', damage: 'DROP INDEX messages_conv_seq_idx' },
  { name: 'table that is missing', check: 'schema_incomplete', damage: 'DROP TABLE lcm_migration_state' },
]

const operationFaults: readonly Fault[] = [
  {
    name: 'conversation neither active nor archived',
    check: 'archived_but_active_flag',
    damage: 'UPDATE conversations SET active = 0',
  },
  {
    name: 'debt that fails again and again',
    check: 'compaction_failing',
    damage: `INSERT INTO conversation_compaction_maintenance (conversation_id, pending, running, retry_attempts, last_failure_summary) VALUES (1, 1, 0, 12, 'provider timeout')`,
  },
  {
    name: 'transcript read beyond its end',
    check: 'ingest_state',
    damage: `INSERT INTO conversation_bootstrap_state (conversation_id, session_file_path, last_seen_size, last_seen_mtime_ms, last_processed_offset) VALUES (1, '/tmp/s.jsonl', 100, 0, 5000)`,
  },
  {
    name: 'transcript without a name',
    check: 'ingest_state',
    damage: `INSERT INTO conversation_bootstrap_state (conversation_id, session_file_path, last_seen_size, last_seen_mtime_ms, last_processed_offset) VALUES (1, '', 100, 0, 50)`,
  },
  {
    name: 'brief that rests on nothing',
    check: 'focus_source_missing',
    damage: `INSERT INTO focus_briefs (brief_id, conversation_id, prompt, content, status) VALUES ('focus_1', 1, 'p', 'c', 'active'); INSERT INTO focus_brief_sources (brief_id, summary_id, role) VALUES ('focus_1', 'sum_ffffffffffffffff', 'active_input')`,
  },
  {
    name: 'work under way for months',
    check: 'stale_lock',
    damage: `INSERT INTO conversation_compaction_maintenance (conversation_id, pending, running, last_started_at) VALUES (1, 1, 1, '2025-09-01 00:00:01')`,
  },
]

export const allFaults: readonly Fault[] = [
  ...lineageFaults,
  ...contextFaults,
  ...contentFaults,
  ...fileFaults,
  ...operationFaults,
]
