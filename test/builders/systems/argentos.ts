import { createHash } from 'node:crypto'
import { inEveryMessage, inEverySession, renamed } from './story.ts'
import { insertRow, isoTime, openWriter, type SystemFile, type SystemWriter } from './system.ts'

const NOW = "TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"
const SCHEMA = `
CREATE TABLE lcm_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO lcm_meta VALUES ('schema_version', '1');
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
  content TEXT NOT NULL, token_count INTEGER NOT NULL DEFAULT 0, tool_call_id TEXT, content_blocks TEXT, created_at ${NOW});
CREATE INDEX idx_messages_session ON messages (session_id, id);
CREATE VIRTUAL TABLE messages_fts USING fts5 (content, content = 'messages', content_rowid = 'id', tokenize = 'porter unicode61');
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN INSERT INTO messages_fts (rowid, content) VALUES (new.id, new.content); END;
CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN INSERT INTO messages_fts (messages_fts, rowid, content) VALUES ('delete', old.id, old.content); END;
CREATE TABLE summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, depth INTEGER NOT NULL DEFAULT 0, content TEXT NOT NULL,
  token_count INTEGER NOT NULL DEFAULT 0, condensed INTEGER NOT NULL DEFAULT 0, created_at ${NOW});
CREATE INDEX idx_summaries_session_depth ON summaries (session_id, depth, condensed);
CREATE TABLE summary_messages (summary_id INTEGER NOT NULL REFERENCES summaries (id), message_id INTEGER NOT NULL REFERENCES messages (id),
  PRIMARY KEY (summary_id, message_id));
CREATE TABLE summary_sources (summary_id INTEGER NOT NULL REFERENCES summaries (id), source_id INTEGER NOT NULL REFERENCES summaries (id),
  PRIMARY KEY (summary_id, source_id));
CREATE TABLE context_items (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('message', 'summary')),
  ref_id INTEGER NOT NULL, position INTEGER NOT NULL, UNIQUE (session_id, position));
CREATE INDEX idx_context_items_session ON context_items (session_id, position);
CREATE TABLE large_files (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, file_path TEXT NOT NULL, token_count INTEGER NOT NULL,
  exploration_summary TEXT NOT NULL, content_hash TEXT, stored_at ${NOW});
CREATE INDEX idx_large_files_session ON large_files (session_id);`

const FIRST_SUMMARY = 7_000_001

export const argentosWriter: SystemWriter = {
  name: 'ArgentOS',
  lacks: [
    'A summary is named by its number, its sources by theirs, without an order.',
    'A result does not say which tool gave it.',
    'The contents of large files are kept nowhere; their size in bytes and their type are not recorded.',
  ],
  tell: (story) => {
    let files = 0
    const named = renamed(story, (_, index) => String(FIRST_SUMMARY + index))
    const told = inEveryMessage(named, ({ result }) => ({ result: result && { ...result, name: null } }))
    return inEverySession(told, (session) => ({
      files: session.files.map((file) => {
        files += 1
        return { ...file, id: `file_${files}`, mime: null, bytes: null, uri: '' }
      }),
    }))
  },
  open: (path): SystemFile => {
    const db = openWriter(path, SCHEMA)
    return {
      path,
      db,
      begin: () => undefined,
      message: ({ id }, { number, role, content, tokens, atMs, call, result, hasParts }) =>
        insertRow(db, 'messages', {
          id: BigInt(number),
          session_id: id,
          role: role === 'tool' ? 'assistant' : role,
          content,
          token_count: BigInt(tokens),
          tool_call_id: result?.callId ?? null,
          content_blocks:
            result || !hasParts
              ? null
              : JSON.stringify([
                  { type: 'text', text: content },
                  ...(call ? [{ type: 'tool_use', id: call.id, name: call.name, input: JSON.parse(call.input) }] : []),
                ]),
          created_at: isoTime(atMs),
        }),
      summary: (session, { id, depth, content, tokens, atMs, messages, sources }) => {
        insertRow(db, 'summaries', {
          id: BigInt(id),
          session_id: session.id,
          depth: BigInt(depth),
          content,
          token_count: BigInt(tokens),
          created_at: isoTime(atMs),
        })
        for (const message of messages)
          insertRow(db, 'summary_messages', { summary_id: BigInt(id), message_id: BigInt(message) })
        for (const source of sources) {
          insertRow(db, 'summary_sources', { summary_id: BigInt(id), source_id: BigInt(source) })
          db.prepare('UPDATE summaries SET condensed = 1 WHERE id = ?').run(BigInt(source))
        }
      },
      window: ({ id, window }) => {
        db.prepare('DELETE FROM context_items WHERE session_id = ?').run(id)
        window.forEach((item, position) => {
          insertRow(db, 'context_items', {
            session_id: id,
            kind: typeof item === 'number' ? 'message' : 'summary',
            ref_id: BigInt(item),
            position: BigInt(position),
          })
        })
      },
      file: ({ id }, { name, about, atMs }) =>
        insertRow(db, 'large_files', {
          session_id: id,
          file_path: name,
          token_count: 30_000n,
          exploration_summary: about,
          content_hash: createHash('sha256').update(about).digest('hex').slice(0, 8),
          stored_at: isoTime(atMs),
        }),
    }
  },
}
