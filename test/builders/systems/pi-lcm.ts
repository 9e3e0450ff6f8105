import { createHash } from 'node:crypto'
import { inEveryMessage, inEverySession, renamed, type Session, type StoryMessage } from './story.ts'
import { insertRow, isoTime, openWriter, type SystemFile, type SystemWriter } from './system.ts'

const SCHEMA = `
CREATE TABLE _metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO _metadata VALUES ('cwd', '/home/someone/project');
CREATE TABLE _schema_version (version INTEGER NOT NULL);
INSERT INTO _schema_version VALUES (1), (2);
CREATE TABLE conversations (id TEXT PRIMARY KEY, session_id TEXT NOT NULL UNIQUE, session_file TEXT, cwd TEXT NOT NULL, created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL);
CREATE TABLE messages (id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL REFERENCES conversations (id), entry_id TEXT, role TEXT NOT NULL,
  content_text TEXT NOT NULL, content_json TEXT NOT NULL, tool_name TEXT, token_estimate INTEGER NOT NULL, timestamp INTEGER NOT NULL,
  seq INTEGER NOT NULL, is_compacted INTEGER DEFAULT 0, dedup_hash TEXT NOT NULL, UNIQUE (conversation_id, seq), UNIQUE (conversation_id, dedup_hash));
CREATE VIRTUAL TABLE messages_fts USING fts5 (content_text, content = 'messages', content_rowid = 'rowid');
CREATE TRIGGER messages_fts_ai AFTER INSERT ON messages BEGIN INSERT INTO messages_fts (rowid, content_text) VALUES (new.rowid, new.content_text); END;
CREATE TRIGGER messages_fts_ad AFTER DELETE ON messages
  BEGIN INSERT INTO messages_fts (messages_fts, rowid, content_text) VALUES ('delete', old.rowid, old.content_text); END;
CREATE TRIGGER messages_fts_au AFTER UPDATE ON messages BEGIN
  INSERT INTO messages_fts (messages_fts, rowid, content_text) VALUES ('delete', old.rowid, old.content_text);
  INSERT INTO messages_fts (rowid, content_text) VALUES (new.rowid, new.content_text); END;
CREATE INDEX idx_messages_role ON messages (conversation_id, role);
CREATE INDEX idx_messages_timestamp ON messages (conversation_id, timestamp);
CREATE TABLE summaries (id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL REFERENCES conversations (id), depth INTEGER NOT NULL, text TEXT NOT NULL,
  token_estimate INTEGER NOT NULL, metadata_json TEXT, created_at TEXT NOT NULL);
CREATE TABLE summary_sources (summary_id TEXT NOT NULL REFERENCES summaries (id), source_type TEXT NOT NULL, source_id TEXT NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY (summary_id, source_type, source_id));
CREATE INDEX idx_messages_conversation ON messages (conversation_id, seq);
CREATE INDEX idx_summaries_conversation ON summaries (conversation_id, depth);
CREATE INDEX idx_summary_sources_source ON summary_sources (source_type, source_id);`

const uuid = (text: string): string =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
const messageId = (number: number): string => uuid(`message ${number}`)

/** The rule of this system: the newest summary of each depth, deepest first, then uncovered messages. */
function windowOf({ messages, summaries }: Session): (number | string)[] {
  const covered = new Set(summaries.flatMap((summary) => summary.messages))
  const depths = [...new Set(summaries.map(({ depth }) => depth))].sort((a, b) => b - a)
  const newest = depths.map((depth) => summaries.findLast((summary) => summary.depth === depth)?.id ?? '')
  return [...newest, ...messages.map(({ number }) => number).filter((number) => !covered.has(number))]
}

const ROLES = { user: 'user', assistant: 'assistant', tool: 'toolResult', system: 'system' } as const

/** The complete original message. */
function original({ role, content, atMs, call, result }: StoryMessage): object {
  const said = [{ type: 'text', text: content }]
  const base = { role: ROLES[role], timestamp: atMs }
  if (result) return { ...base, toolCallId: result.callId, toolName: result.name, content: said, isError: false }
  const calls = call ? [{ type: 'toolCall', id: call.id, name: call.name, arguments: JSON.parse(call.input) }] : []
  return { ...base, content: [...said, ...calls] }
}

export const piLcmWriter: SystemWriter = {
  name: 'pi-lcm',
  lacks: [
    'Its window is worked out: of each depth the newest summary, the deepest first, then what was not compacted.',
    'It keeps no large files.',
    'A message is named by a UUID of its own.',
  ],
  unsaid: { marks: 'What its rule leaves out of the window is out by its own way, and marked as no fault.' },
  unfired: {
    context_order: 'Its window is worked out anew each time: no order is stored that could be wrong.',
    tool_pair_split: 'Its window is worked out anew each time, without regard to calls.',
    fresh_tail_compacted: 'It keeps no fresh tail: all that is not compacted will be.',
    orphan_summary: 'Its rule shows one summary of each depth: the others are out by its own way.',
    coverage_gap: 'Its rule shows one summary of each depth: what the others stand for is out by its own way.',
  },
  tell: (story) => {
    const named = renamed(story, ({ id }) => uuid(id))
    const told = inEveryMessage(named, ({ number }) => ({ entry: messageId(number) }))
    return inEverySession(told, (session) => ({ files: [], window: windowOf(session) }))
  },
  open: (path): SystemFile => {
    const db = openWriter(path, SCHEMA)
    return {
      path,
      db,
      begin: ({ id, messages }) =>
        insertRow(db, 'conversations', {
          id: uuid(id),
          session_id: id,
          cwd: '/home/someone/project',
          created_at: isoTime(messages[0]?.atMs ?? 0),
          updated_at: isoTime(messages.at(-1)?.atMs ?? 0),
        }),
      message: ({ id }, message) =>
        insertRow(db, 'messages', {
          id: messageId(message.number),
          conversation_id: uuid(id),
          role: ROLES[message.role],
          content_text: message.content,
          content_json: JSON.stringify(original(message)),
          tool_name: message.result?.name ?? null,
          token_estimate: BigInt(message.tokens),
          timestamp: BigInt(message.atMs),
          seq: BigInt(message.seq),
          dedup_hash: uuid(`${message.role} ${message.atMs} ${message.content}`),
        }),
      summary: (session, { id, depth, content, tokens, atMs, messages, sources }) => {
        insertRow(db, 'summaries', {
          id,
          conversation_id: uuid(session.id),
          depth: BigInt(depth),
          text: content,
          token_estimate: BigInt(tokens),
          metadata_json: null,
          created_at: isoTime(atMs),
        })
        const link = (type: string, source: string, seq: number): void =>
          insertRow(db, 'summary_sources', { summary_id: id, source_type: type, source_id: source, seq: BigInt(seq) })
        messages.forEach((message, seq) => {
          link('message', messageId(message), seq)
          db.prepare('UPDATE messages SET is_compacted = 1 WHERE id = ?').run(messageId(message))
        })
        sources.forEach((source, seq) => {
          link('summary', source, seq)
        })
      },
      window: () => undefined,
      file: () => undefined,
    }
  },
}
