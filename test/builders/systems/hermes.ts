import { coveredMessages, inEveryMessage, inEverySession, renamed } from './story.ts'
import { insertRow, openWriter, type SystemFile, type SystemWriter } from './system.ts'

const NODE_INDEXES = `CREATE INDEX idx_nodes_session_node ON summary_nodes (session_id, node_id);
CREATE INDEX idx_nodes_session_depth_node ON summary_nodes (session_id, depth, node_id);`

const schema = (five: boolean): string => `
CREATE TABLE messages (store_id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, source TEXT DEFAULT '',
  ${five ? `conversation_id TEXT DEFAULT '',` : ''} role TEXT NOT NULL, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT,
  timestamp REAL NOT NULL, token_estimate INTEGER DEFAULT 0, pinned INTEGER DEFAULT 0
  ${five ? ', ingested_at REAL, observed_at REAL, observed_at_source TEXT' : ''});
CREATE INDEX idx_msg_session ON messages (session_id, store_id);
CREATE INDEX idx_msg_session_ts ON messages (session_id, timestamp);
CREATE INDEX idx_msg_source_session ON messages (source, session_id, store_id);
${five ? 'CREATE INDEX idx_msg_conversation_session ON messages (conversation_id, session_id, store_id);' : ''}
CREATE TABLE summary_nodes (node_id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, depth INTEGER NOT NULL DEFAULT 0,
  summary TEXT NOT NULL, token_count INTEGER DEFAULT 0, source_token_count INTEGER DEFAULT 0, source_ids TEXT NOT NULL DEFAULT '[]',
  source_type TEXT NOT NULL DEFAULT 'messages', created_at REAL NOT NULL, earliest_at REAL, latest_at REAL, expand_hint TEXT DEFAULT '');
CREATE INDEX idx_nodes_session_depth ON summary_nodes (session_id, depth, created_at);
CREATE INDEX idx_nodes_session_latest ON summary_nodes (session_id, latest_at, created_at);
${five ? NODE_INDEXES : ''}
CREATE TABLE lcm_lifecycle_state (conversation_id TEXT PRIMARY KEY, current_session_id TEXT, last_finalized_session_id TEXT,
  current_frontier_store_id INTEGER NOT NULL DEFAULT 0, last_finalized_frontier_store_id INTEGER NOT NULL DEFAULT 0,
  debt_kind TEXT, debt_size_estimate INTEGER NOT NULL DEFAULT 0, current_bound_at REAL, last_finalized_at REAL, debt_updated_at REAL,
  last_maintenance_attempt_at REAL, last_rollover_at REAL, last_reset_at REAL, updated_at REAL NOT NULL DEFAULT (strftime('%s', 'now')));
CREATE INDEX idx_lcm_lifecycle_current_session ON lcm_lifecycle_state (current_session_id);
CREATE INDEX idx_lcm_lifecycle_last_finalized_session ON lcm_lifecycle_state (last_finalized_session_id);
CREATE TABLE lcm_migration_state (step_name TEXT PRIMARY KEY, completed_at REAL NOT NULL);
INSERT INTO lcm_migration_state VALUES ('v2_external_content_fts_triggers', 1), ('v3_lifecycle_state', 1), ('v4_lifecycle_debt_columns', 1);
CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT);
INSERT INTO metadata VALUES ('schema_version', '${five ? 5 : 4}');
CREATE VIRTUAL TABLE messages_fts USING fts5 (content, content = 'messages', content_rowid = 'store_id');
CREATE VIRTUAL TABLE nodes_fts USING fts5 (summary, content = 'summary_nodes', content_rowid = 'node_id');
CREATE TRIGGER msg_fts_insert AFTER INSERT ON messages BEGIN INSERT INTO messages_fts (rowid, content) VALUES (new.store_id, new.content); END;
CREATE TRIGGER msg_fts_delete AFTER DELETE ON messages
  BEGIN INSERT INTO messages_fts (messages_fts, rowid, content) VALUES ('delete', old.store_id, old.content); END;
CREATE TRIGGER msg_fts_update AFTER UPDATE OF content ON messages BEGIN
  INSERT INTO messages_fts (messages_fts, rowid, content) VALUES ('delete', old.store_id, old.content);
  INSERT INTO messages_fts (rowid, content) VALUES (new.store_id, new.content); END;
CREATE TRIGGER nodes_fts_insert AFTER INSERT ON summary_nodes BEGIN INSERT INTO nodes_fts (rowid, summary) VALUES (new.node_id, new.summary); END;
CREATE TRIGGER nodes_fts_delete AFTER DELETE ON summary_nodes
  BEGIN INSERT INTO nodes_fts (nodes_fts, rowid, summary) VALUES ('delete', old.node_id, old.summary); END;`

const FIRST_NODE = 7_000_001
const seconds = (atMs: number): number => atMs / 1000

export const hermesWriter = (five: boolean): SystemWriter => ({
  name: `hermes-lcm, schema ${five ? 5 : 4}`,
  lacks: [
    'A message is placed by its number in the file, through all sessions.',
    'A node is named by its number.',
    'Large files are those that a text points to.',
    'A message that neither calls nor answers a tool has no parts; of one that does, only the call.',
  ],
  unsaid: { parts: 'What a message says is no part beside its text.' },
  unfired: {
    context_order: 'Its window is worked out anew each time: no order is stored that could be wrong.',
    fresh_tail_compacted: 'It stores no window: what is in it begins behind the frontier, however little that is.',
  },
  tell: (story) => {
    const named = renamed(story, (_, index) => String(FIRST_NODE + index))
    const placed = inEveryMessage(named, ({ number }) => ({ seq: number }))
    return inEverySession(placed, () => ({ files: [] }))
  },
  open: (path): SystemFile => {
    const db = openWriter(path, schema(five))
    return {
      path,
      db,
      begin: ({ id }) => insertRow(db, 'lcm_lifecycle_state', { conversation_id: id, current_session_id: id }),
      message: ({ id }, { number, role, content, tokens, atMs, call, result }) =>
        insertRow(db, 'messages', {
          store_id: BigInt(number),
          session_id: id,
          source: 'cli',
          ...(five ? { conversation_id: id } : {}),
          role,
          content,
          tool_call_id: result?.callId ?? null,
          tool_calls: call
            ? JSON.stringify([{ id: call.id, type: 'function', function: { name: call.name, arguments: call.input } }])
            : null,
          tool_name: result?.name ?? null,
          timestamp: seconds(atMs),
          token_estimate: BigInt(tokens),
        }),
      summary: (session, { id, depth, content, tokens, atMs, messages, sources }) => {
        const covered = coveredMessages(session, id)
        const times = covered.map((message) => message.atMs)
        insertRow(db, 'summary_nodes', {
          node_id: BigInt(id),
          session_id: session.id,
          depth: BigInt(depth),
          summary: content,
          token_count: BigInt(tokens),
          source_token_count: BigInt(covered.reduce((sum, message) => sum + message.tokens, 0)),
          source_ids: JSON.stringify(depth === 0 ? messages : sources.map(Number)),
          source_type: depth === 0 ? 'messages' : 'nodes',
          created_at: seconds(atMs),
          earliest_at: seconds(Math.min(...times)),
          latest_at: seconds(Math.max(...times)),
        })
      },
      window: ({ id, summaries }) => {
        const frontier = Math.max(0, ...summaries.flatMap(({ messages }) => messages))
        db.prepare('UPDATE lcm_lifecycle_state SET current_frontier_store_id = ? WHERE conversation_id = ?').run(
          BigInt(frontier),
          id,
        )
      },
      file: () => undefined,
    }
  },
})

export const hermesWriters: readonly SystemWriter[] = [hermesWriter(false), hermesWriter(true)]
