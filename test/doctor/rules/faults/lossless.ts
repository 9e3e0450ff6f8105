import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { marksOf } from '#test/doctor/integrity/marks.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'

/** Damage to a small sound file of lossless-claw, which its rule alone finds. */
export type LosslessFault = {
  readonly name: string
  /** The id of the rule that finds it. */
  readonly rule: string
  /** An id that one of the samples has to name. */
  readonly at?: string
  readonly damage: string | ((db: Database.Database) => void)
}

export const SMALL = join(FIXTURES, 'lossless-claw/small.db')
const MARKS = marksOf(SMALL)
export const { leaf: LEAF, first: FIRST, second: SECOND, root: ROOT, newer: NEWER } = MARKS
export const { leafWithFile: WITH_FILE, log: LOG, output: OUTPUT, callOfResult12: CALL } = MARKS

/** Drops a table and makes it anew from its rows without keys and checks. */
export const loose = (table: string): string =>
  `CREATE TABLE loose AS SELECT * FROM ${table}; DROP TABLE ${table}; ALTER TABLE loose RENAME TO ${table};`

/** Messages with their numbers as the only key. */
export const looseMessages = `CREATE TABLE loose (message_id INTEGER PRIMARY KEY, conversation_id, seq, role, content, token_count,
    identity_hash, openclaw_sender_metadata, transcript_entry_id, created_at, large_content, stable_event_key);
  INSERT INTO loose SELECT * FROM messages; DROP TABLE messages; ALTER TABLE loose RENAME TO messages;`

export const otherConversation = `INSERT INTO conversations (conversation_id, session_id, session_key, active)
  VALUES (7, 'session-7', 'agent:other:main', 1);
  INSERT INTO messages (message_id, conversation_id, seq, role, content, token_count, identity_hash, created_at)
  VALUES (700, 7, 1, 'user', 'elsewhere', 3, 'c3abe2e6ea3cf6a8a2e8c9ee8b7f3ba2cbd4b9ea56e7e8f0a0b0c0d0e0f00011', '2025-09-01 08:10:00');
  UPDATE messages SET identity_hash = NULL WHERE message_id = 700;
  INSERT INTO messages_fts (rowid, content) VALUES (700, 'elsewhere');
  INSERT INTO context_items (conversation_id, ordinal, item_type, message_id) VALUES (7, 0, 'message', 700);`

/** A leaf over the two newest messages, right in itself. */
export const newestLeaf = `INSERT INTO summaries (summary_id, conversation_id, kind, depth, content, token_count, earliest_at, latest_at, source_message_token_count)
  SELECT 'sum_1111111111111111', 1, 'leaf', 0, 'The newest.', 3, strftime('%Y-%m-%dT%H:%M:%SZ', min(created_at)),
    strftime('%Y-%m-%dT%H:%M:%SZ', max(created_at)), sum(token_count) FROM messages WHERE message_id IN (67, 68);
  INSERT INTO summary_messages VALUES ('sum_1111111111111111', 67, 0), ('sum_1111111111111111', 68, 1);
  INSERT INTO summaries_fts (summary_id, content) VALUES ('sum_1111111111111111', 'The newest.');
  INSERT INTO summaries_fts_cjk (summary_id, content) VALUES ('sum_1111111111111111', 'The newest.');`

/** A message behind the others that says what the last one says. */
export const twin = (columns: string): string => `
  INSERT INTO messages (message_id, conversation_id, seq, role, content, token_count, identity_hash, created_at)
    SELECT 69, 1, 69, ${columns} FROM messages WHERE message_id = 68;
  INSERT INTO messages_fts (rowid, content) SELECT 69, content FROM messages WHERE message_id = 69;
  INSERT INTO context_items VALUES (1, 12, 'message', 69, NULL, datetime('now'));
  INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, text_content)
    SELECT 'twin', 69, 'session-small-0', 'text', 0, content FROM messages WHERE message_id = 69;`
