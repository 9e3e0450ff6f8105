import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { Draft, keptPath } from './kept-files.ts'

const SESSION_MESSAGES = 50
/** A message of 500 characters and its rows and index entries take about 1.3 KB. */
const MESSAGES_A_MB = 750

const WORDS = 'lease cursor billing ledger webhook retry payload tenant snapshot rollout beacon harbour '.repeat(6)

/** `n` is the number of a message, and `s` that of its session. */
const NUMBERED = `
  WITH RECURSIVE numbered (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbered WHERE n + 1 < :count)`

const TABLES = {
  opencode: `
    CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, directory TEXT NOT NULL,
      title TEXT NOT NULL, revert TEXT, time_created INTEGER NOT NULL);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, data TEXT NOT NULL);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL, data TEXT NOT NULL);
    CREATE INDEX message_of ON message (session_id, time_created, id);
    CREATE INDEX part_of ON part (message_id, id)`,
  openclaw: `
    CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, event_zstd BLOB,
      PRIMARY KEY (session_id, seq));
    CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT NOT NULL, entry_json TEXT);
    CREATE INDEX node_of ON session_nodes (current_session_id)`,
} as const

const FILLED = {
  opencode: [
    `INSERT INTO session ${NUMBERED} SELECT printf('ses_%07d', n), 'prj', NULL, '/srv/bench', 'Session ' || n, NULL, n
     FROM numbered WHERE n < :count / ${SESSION_MESSAGES}`,
    `INSERT INTO message ${NUMBERED}
     SELECT printf('msg_%08d', n), printf('ses_%07d', n / ${SESSION_MESSAGES}), 1.7e12 + n,
       json_object('role', iif(n % 2, 'assistant', 'user'), 'time', json_object('created', 1.7e12 + n)) FROM numbered`,
    `INSERT INTO part ${NUMBERED}
     SELECT printf('prt_%08d', n), printf('msg_%08d', n), printf('ses_%07d', n / ${SESSION_MESSAGES}),
       json_object('type', 'text', 'text', 'message ' || n || ' ${WORDS}') FROM numbered`,
  ],
  // One session, as an agent has that never begins another.
  openclaw: [
    `INSERT INTO transcript_events ${NUMBERED}
     SELECT 'long', n, json_object('type', 'message', 'id', 'e' || n, 'parentId', iif(n = 0, NULL, 'e' || (n - 1)),
       'timestamp', 1.7e12 + n, 'message', json_object('role', iif(n % 2, 'assistant', 'user'), 'content',
       'message ' || n || ' ${WORDS}')), NULL FROM numbered`,
  ],
} as const

type AgentOfStore = keyof typeof TABLES

/** The database of an agent, of about so many megabytes; made once and kept with the temporary files. */
export function agentDatabase(agent: AgentOfStore, megabytes: number): string {
  const path = keptPath(`${agent}-${megabytes}.db`)
  if (existsSync(path)) return path
  using draft = new Draft(path)
  const db = new Database(draft.path)
  db.pragma('synchronous = OFF')
  db.pragma('journal_mode = WAL')
  db.exec(TABLES[agent])
  const count = megabytes * MESSAGES_A_MB
  for (const sql of FILLED[agent]) db.prepare(sql).run({ count })
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  draft.keep()
  return path
}
