import { randomUUID } from 'node:crypto'
import { inEveryMessage, messagesBeneath, type StoryMessage, summariesBeneath } from './story.ts'
import { insertRow, isoTime, openWriter, type SystemFile, type SystemWriter, sqlTime } from './system.ts'

type Line = {
  readonly name: string
  readonly conversations: string
  readonly messages: string
  readonly summaries: string
  readonly more: string
  /** Tool calls have columns of their own; before, they stand in the metadata of a part. */
  readonly fillsToolColumns: boolean
  readonly hasEntries: boolean
  readonly hasSourceTokens: boolean
  readonly hasModel: boolean
}

const schema = (line: Line): string => `
CREATE TABLE conversations (conversation_id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, ${line.conversations}
  title TEXT, bootstrapped_at TEXT, created_at TEXT NOT NULL DEFAULT (datetime('now')), updated_at TEXT NOT NULL DEFAULT (datetime('now')));
CREATE TABLE messages (message_id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id INTEGER NOT NULL REFERENCES conversations (conversation_id),
  seq INTEGER NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL, token_count INTEGER NOT NULL, ${line.messages}
  created_at TEXT NOT NULL DEFAULT (datetime('now')), UNIQUE (conversation_id, seq));
CREATE TABLE summaries (summary_id TEXT PRIMARY KEY, conversation_id INTEGER NOT NULL REFERENCES conversations (conversation_id),
  kind TEXT NOT NULL, depth INTEGER NOT NULL DEFAULT 0, content TEXT NOT NULL, token_count INTEGER NOT NULL, earliest_at TEXT,
  latest_at TEXT, descendant_count INTEGER NOT NULL DEFAULT 0, ${line.summaries}
  created_at TEXT NOT NULL DEFAULT (datetime('now')), file_ids TEXT NOT NULL DEFAULT '[]');
CREATE TABLE message_parts (part_id TEXT PRIMARY KEY, message_id INTEGER NOT NULL REFERENCES messages (message_id), session_id TEXT NOT NULL,
  part_type TEXT NOT NULL, ordinal INTEGER NOT NULL, text_content TEXT, is_ignored INTEGER, is_synthetic INTEGER, tool_call_id TEXT,
  tool_name TEXT, tool_status TEXT, tool_input TEXT, tool_output TEXT, tool_error TEXT, tool_title TEXT, patch_hash TEXT, patch_files TEXT,
  file_mime TEXT, file_name TEXT, file_url TEXT, subtask_prompt TEXT, subtask_desc TEXT, subtask_agent TEXT, step_reason TEXT,
  step_cost REAL, step_tokens_in INTEGER, step_tokens_out INTEGER, snapshot_hash TEXT, compaction_auto INTEGER, metadata TEXT,
  UNIQUE (message_id, ordinal));
CREATE TABLE summary_messages (summary_id TEXT NOT NULL, message_id INTEGER NOT NULL, ordinal INTEGER NOT NULL, PRIMARY KEY (summary_id, message_id));
CREATE TABLE summary_parents (summary_id TEXT NOT NULL, parent_summary_id TEXT NOT NULL, ordinal INTEGER NOT NULL,
  PRIMARY KEY (summary_id, parent_summary_id));
CREATE TABLE context_items (conversation_id INTEGER NOT NULL, ordinal INTEGER NOT NULL, item_type TEXT NOT NULL, message_id INTEGER,
  summary_id TEXT, created_at TEXT NOT NULL DEFAULT (datetime('now')), PRIMARY KEY (conversation_id, ordinal));
CREATE TABLE large_files (file_id TEXT PRIMARY KEY, conversation_id INTEGER NOT NULL, file_name TEXT, mime_type TEXT, byte_size INTEGER,
  storage_uri TEXT NOT NULL, exploration_summary TEXT, created_at TEXT NOT NULL DEFAULT (datetime('now')));
CREATE INDEX messages_conv_seq_idx ON messages (conversation_id, seq);
CREATE INDEX summaries_conv_created_idx ON summaries (conversation_id, created_at);
CREATE INDEX message_parts_message_idx ON message_parts (message_id);
CREATE INDEX message_parts_type_idx ON message_parts (part_type);
CREATE INDEX context_items_conv_idx ON context_items (conversation_id, ordinal);
CREATE VIRTUAL TABLE messages_fts USING fts5 (content, tokenize = 'porter unicode61');
CREATE VIRTUAL TABLE summaries_fts USING fts5 (summary_id UNINDEXED, content, tokenize = 'porter unicode61');
${line.more}`

/** A writer for one of the systems that came from lossless-claw. */
export function losslessWriter(line: Line, own: Pick<SystemWriter, 'lacks' | 'unsaid'>): SystemWriter {
  return {
    name: line.name,
    ...own,
    // It counts from 1.
    tell: (story) =>
      inEveryMessage(story, (message, rank) => ({
        seq: rank + 1,
        entry: line.hasEntries ? `entry-${message.number}` : null,
      })),
    open: (path) => openLossless(path, line),
  }
}

function openLossless(path: string, line: Line): SystemFile {
  const db = openWriter(path, schema(line))
  const insert = (table: string, row: Record<string, unknown>): void => insertRow(db, table, row)
  const parts = (session: string, message: StoryMessage): void => {
    const { number, content, call, result } = message
    const part = (ordinal: number, row: Record<string, unknown>): void =>
      insert('message_parts', {
        part_id: randomUUID(),
        message_id: BigInt(number),
        session_id: session,
        ordinal: BigInt(ordinal),
        ...row,
      })
    const tool = (
      id: string | null,
      name: string | null,
      input: string | null,
      raw: object,
    ): Record<string, unknown> =>
      line.fillsToolColumns
        ? { tool_call_id: id, tool_name: name, tool_input: input, metadata: JSON.stringify({ raw }) }
        : { metadata: JSON.stringify({ toolCallId: id, toolName: name, raw }) }
    if (result) {
      const raw = { type: 'tool_result', tool_use_id: result.callId, content }
      part(0, { part_type: 'text', text_content: content, ...tool(result.callId, result.name, null, raw) })
      return
    }
    part(0, {
      part_type: 'text',
      text_content: content,
      metadata: JSON.stringify({ raw: { type: 'text', text: content } }),
    })
    if (!call) return
    const raw = { type: 'toolCall', id: call.id, name: call.name, arguments: JSON.parse(call.input) }
    part(1, { part_type: 'tool', ...tool(call.id, call.name, call.input, raw) })
  }
  return {
    path,
    db,
    begin: ({ id, number, messages }) =>
      insert('conversations', {
        conversation_id: BigInt(number),
        session_id: id,
        created_at: sqlTime(messages[0]?.atMs ?? 0),
        updated_at: sqlTime(messages.at(-1)?.atMs ?? 0),
      }),
    message: ({ number: conversation, id }, message) => {
      const { number, seq, role, content, tokens, atMs, entry, hasParts } = message
      insert('messages', {
        message_id: BigInt(number),
        conversation_id: BigInt(conversation),
        seq: BigInt(seq),
        role,
        content,
        token_count: BigInt(tokens),
        created_at: sqlTime(atMs),
        ...(line.hasEntries ? { transcript_entry_id: entry } : {}),
      })
      insert('messages_fts', { rowid: BigInt(number), content })
      if (hasParts) parts(id, message)
    },
    summary: (session, summary) => {
      const beneath = messagesBeneath(session, summary.id)
      const times = beneath.map((message) => message.atMs)
      insert('summaries', {
        summary_id: summary.id,
        conversation_id: BigInt(session.number),
        kind: summary.depth === 0 ? 'leaf' : 'condensed',
        depth: BigInt(summary.depth),
        content: summary.content,
        token_count: BigInt(summary.tokens),
        earliest_at: isoTime(Math.min(...times)),
        latest_at: isoTime(Math.max(...times)),
        descendant_count: BigInt(summariesBeneath(session, summary.id)),
        created_at: isoTime(summary.atMs),
        ...(line.hasSourceTokens
          ? { source_message_token_count: BigInt(beneath.reduce((sum, message) => sum + message.tokens, 0)) }
          : {}),
        ...(line.hasModel ? { model: summary.model ?? 'unknown' } : {}),
      })
      insert('summaries_fts', { summary_id: summary.id, content: summary.content })
      summary.messages.forEach((message, ordinal) => {
        insert('summary_messages', { summary_id: summary.id, message_id: BigInt(message), ordinal: BigInt(ordinal) })
      })
      summary.sources.forEach((source, ordinal) => {
        insert('summary_parents', { summary_id: summary.id, parent_summary_id: source, ordinal: BigInt(ordinal) })
      })
    },
    window: ({ number, window }) => {
      db.prepare('DELETE FROM context_items WHERE conversation_id = ?').run(BigInt(number))
      window.forEach((item, ordinal) => {
        insert('context_items', {
          conversation_id: BigInt(number),
          ordinal: BigInt(ordinal),
          item_type: typeof item === 'number' ? 'message' : 'summary',
          message_id: typeof item === 'number' ? BigInt(item) : null,
          summary_id: typeof item === 'number' ? null : item,
        })
      })
    },
    file: ({ number }, file) =>
      insert('large_files', {
        file_id: file.id,
        conversation_id: BigInt(number),
        file_name: file.name,
        mime_type: file.mime,
        byte_size: file.bytes === null ? null : BigInt(file.bytes),
        storage_uri: file.uri,
        exploration_summary: file.about,
        created_at: sqlTime(file.atMs),
      }),
  }
}

const EARLY: Line = {
  name: 'lossless-claw 0.1.2',
  conversations: '',
  messages: '',
  summaries: '',
  more: '',
  fillsToolColumns: false,
  hasEntries: false,
  hasSourceTokens: false,
  hasModel: false,
}

const NEWEST: Line = {
  name: 'lossless-claw 0.15.3',
  conversations: 'session_key TEXT, active INTEGER NOT NULL DEFAULT 1, archived_at TEXT, archive_cause TEXT,',
  messages: 'identity_hash TEXT, transcript_entry_id TEXT, large_content TEXT, stable_event_key TEXT,',
  summaries: `descendant_token_count INTEGER NOT NULL DEFAULT 0, source_message_token_count INTEGER NOT NULL DEFAULT 0,
    model TEXT NOT NULL DEFAULT 'unknown',`,
  more: `CREATE TABLE conversation_bootstrap_state (conversation_id INTEGER PRIMARY KEY, session_file_path TEXT NOT NULL);
    CREATE TABLE lcm_migration_state (step_name TEXT NOT NULL, algorithm_version INTEGER NOT NULL, PRIMARY KEY (step_name, algorithm_version));
    CREATE INDEX summary_messages_message_idx ON summary_messages (message_id);
    CREATE INDEX summary_parents_parent_summary_idx ON summary_parents (parent_summary_id);
    CREATE UNIQUE INDEX messages_conv_entry_unique_idx ON messages (conversation_id, transcript_entry_id) WHERE transcript_entry_id IS NOT NULL;
    CREATE INDEX summaries_conv_depth_kind_idx ON summaries (conversation_id, depth, kind);`,
  fillsToolColumns: true,
  hasEntries: true,
  hasSourceTokens: true,
  hasModel: true,
}

const BETA: Line = {
  ...NEWEST,
  name: 'lossless-claw 1.0.0-beta',
  more: `${NEWEST.more.slice(NEWEST.more.indexOf('CREATE TABLE lcm_migration_state'))}
    CREATE TABLE pending_compaction_batches (batch_id TEXT PRIMARY KEY, conversation_id INTEGER NOT NULL, status TEXT NOT NULL);
    CREATE TABLE pending_summary_nodes (node_id TEXT PRIMARY KEY, batch_id TEXT NOT NULL, status TEXT NOT NULL);`,
}

const CLAUDE: Line = {
  ...EARLY,
  name: 'lossless-claude',
  summaries: `descendant_token_count INTEGER NOT NULL DEFAULT 0, source_message_token_count INTEGER NOT NULL DEFAULT 0,`,
  more: `CREATE TABLE promoted (id TEXT PRIMARY KEY, content TEXT NOT NULL);
    CREATE TABLE session_ingest_log (session_id TEXT PRIMARY KEY, message_count INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE session_instructions (id INTEGER PRIMARY KEY CHECK (id = 1), content TEXT NOT NULL);`,
  hasSourceTokens: true,
}

const OWN = { lacks: ['Messages are counted from 1.'] }

export const losslessClawWriters: readonly SystemWriter[] = [EARLY, NEWEST, BETA].map((line) =>
  losslessWriter(line, OWN),
)

const claude = losslessWriter(CLAUDE, {
  lacks: [...OWN.lacks, 'Messages are text only: it stores no parts, but for its records of compactions.'],
})
export const losslessClaudeWriter: SystemWriter = {
  ...claude,
  tell: (story) => inEveryMessage(claude.tell(story), () => ({ hasParts: false, call: null, result: null })),
}
