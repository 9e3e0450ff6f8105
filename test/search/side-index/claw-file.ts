import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { NewMessage } from '#core/ingest/new-message.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const SCHEMA = `
CREATE TABLE conversations (
  conversation_id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, session_key TEXT, title TEXT,
  created_at TEXT NOT NULL DEFAULT (datetime('now')), updated_at TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE TABLE messages (
  message_id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id INTEGER NOT NULL, seq INTEGER NOT NULL,
  role TEXT NOT NULL, content TEXT NOT NULL, token_count INTEGER NOT NULL,
  created_at TEXT NOT NULL DEFAULT '2026-03-02 09:00:00', UNIQUE (conversation_id, seq)
);
CREATE TABLE message_parts (
  part_id TEXT PRIMARY KEY, message_id INTEGER NOT NULL, session_id TEXT NOT NULL, part_type TEXT NOT NULL,
  ordinal INTEGER NOT NULL, text_content TEXT, is_ignored INTEGER, is_synthetic INTEGER, tool_call_id TEXT,
  tool_name TEXT, tool_input TEXT, tool_output TEXT, metadata TEXT, UNIQUE (message_id, ordinal)
);
CREATE INDEX message_parts_message ON message_parts (message_id);
CREATE TABLE summaries (
  summary_id TEXT PRIMARY KEY, conversation_id INTEGER NOT NULL, kind TEXT NOT NULL, depth INTEGER NOT NULL DEFAULT 0,
  content TEXT NOT NULL, token_count INTEGER NOT NULL, model TEXT, descendant_count INTEGER NOT NULL DEFAULT 0,
  source_message_token_count INTEGER NOT NULL DEFAULT 1, created_at TEXT NOT NULL DEFAULT '2026-03-02T09:00:00.000Z'
);
CREATE TABLE summary_messages (summary_id TEXT, message_id INTEGER, ordinal INTEGER, PRIMARY KEY (summary_id, message_id));
CREATE TABLE summary_parents (summary_id TEXT, parent_summary_id TEXT, ordinal INTEGER, PRIMARY KEY (summary_id, parent_summary_id));
CREATE TABLE context_items (
  conversation_id INTEGER, ordinal INTEGER, item_type TEXT, message_id INTEGER, summary_id TEXT,
  created_at TEXT DEFAULT '2026-03-02 09:00:00', PRIMARY KEY (conversation_id, ordinal)
);
CREATE TABLE large_files (
  file_id TEXT PRIMARY KEY, conversation_id INTEGER, file_name TEXT, mime_type TEXT, byte_size INTEGER,
  storage_uri TEXT, exploration_summary TEXT, created_at TEXT
);
CREATE TABLE lcm_migration_state (step_name TEXT PRIMARY KEY);
INSERT INTO conversations (session_id) VALUES ('main');
`

/** A file as lossless-claw lays it out, open for writing as its agent has it. */
export class ClawFile {
  readonly path: string
  readonly db: Database.Database

  constructor(path = join(temporaryFolder(), 'lcm.db')) {
    this.path = path
    this.db = new Database(path)
    this.db.pragma('journal_mode = WAL')
    this.db.pragma('synchronous = OFF')
    this.db.exec(SCHEMA)
  }

  /** Its number. */
  add(
    content: string,
    part?: { readonly input?: string; readonly output?: string; readonly thought?: string },
    role = 'user',
  ): number {
    const added = this.db
      .prepare(
        `INSERT INTO messages (conversation_id, seq, role, content, token_count)
         SELECT 1, coalesce(max(seq), 0) + 1, ?, ?, 1 FROM messages WHERE conversation_id = 1`,
      )
      .run(role, content)
    const id = Number(added.lastInsertRowid)
    if (part) this.addPart(id, part)
    return id
  }

  addPart(id: number, part: { readonly input?: string; readonly output?: string; readonly thought?: string }): void {
    this.db
      .prepare(
        `INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, tool_input, tool_output, text_content)
         SELECT hex(randomblob(8)), @id, 'main', @type, coalesce(max(ordinal), -1) + 1, @input, @output, @thought
         FROM message_parts WHERE message_id = @id`,
      )
      .run({
        id: BigInt(id),
        type: part.thought === undefined ? 'tool' : 'reasoning',
        input: part.input ?? null,
        output: part.output ?? null,
        thought: part.thought ?? null,
      })
  }

  /** As a transcript has it, tool calls and all. */
  addMessage({ role, content, parts }: Pick<NewMessage, 'role' | 'content' | 'parts'>): void {
    const id = this.add(content, undefined, role)
    for (const { toolInput, toolOutput } of parts) {
      if (toolInput == null && toolOutput == null) continue
      this.addPart(id, { ...(toolInput ? { input: toolInput } : {}), ...(toolOutput ? { output: toolOutput } : {}) })
    }
  }

  summarize(content: string): void {
    this.db
      .prepare(
        `INSERT INTO summaries (summary_id, conversation_id, kind, content, token_count)
         VALUES ('sum_' || hex(randomblob(8)), 1, 'leaf', ?, 1)`,
      )
      .run(content)
  }

  /** Closes it without a log and without a writer. */
  close(): void {
    this.db.pragma('wal_checkpoint(TRUNCATE)')
    this.db.close()
  }
}
