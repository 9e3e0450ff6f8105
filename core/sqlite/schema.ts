/** `PRAGMA application_id` of a native file: "LCMi" in ASCII. https://www.sqlite.org/pragma.html#pragma_application_id */
export const APPLICATION_ID = 0x4c434d69

/**
 * Version 1 of the native schema. Small columns come before long text, so that reading them never touches overflow
 * pages (https://www.sqlite.org/fileformat2.html#payload). Times are INTEGER milliseconds since 1970 UTC.
 * `message_parts.is_content = 1` says that the part's text (text_content of a text part, tool_output of a tool result)
 * is `messages.content` itself: text is stored once.
 */
export const SCHEMA_V1 = /* sql */ `
CREATE TABLE lcm_meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE conversations (
  conversation_id        INTEGER PRIMARY KEY,
  session_id             TEXT NOT NULL,
  logical_key            TEXT,
  importer               TEXT NOT NULL DEFAULT 'native',
  source_uri             TEXT,
  parent_conversation_id INTEGER REFERENCES conversations (conversation_id) ON DELETE RESTRICT,
  title                  TEXT,
  archived_at            INTEGER,
  created_at             INTEGER NOT NULL,
  updated_at             INTEGER NOT NULL,
  UNIQUE (importer, session_id)
) STRICT;

CREATE TABLE messages (
  message_id      INTEGER PRIMARY KEY,
  conversation_id INTEGER NOT NULL REFERENCES conversations (conversation_id) ON DELETE RESTRICT,
  seq             INTEGER NOT NULL CHECK (seq >= 0),
  role            TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  token_count     INTEGER NOT NULL CHECK (token_count >= 0),
  created_at      INTEGER NOT NULL,
  external_id     TEXT,
  content_hash    TEXT NOT NULL CHECK (length(content_hash) = 64),
  content         TEXT NOT NULL,
  UNIQUE (conversation_id, seq),
  UNIQUE (conversation_id, external_id)
) STRICT;
CREATE INDEX messages_history ON messages (conversation_id, seq, role, token_count, created_at);

CREATE TABLE message_parts (
  part_id         TEXT PRIMARY KEY,
  message_id      INTEGER NOT NULL REFERENCES messages (message_id) ON DELETE RESTRICT,
  session_id      TEXT NOT NULL,
  part_type       TEXT NOT NULL CHECK (part_type IN ('text', 'reasoning', 'tool', 'patch', 'file', 'subtask',
                    'compaction', 'step_start', 'step_finish', 'snapshot', 'agent', 'retry')),
  ordinal         INTEGER NOT NULL CHECK (ordinal >= 0),
  is_content      INTEGER NOT NULL DEFAULT 0 CHECK (is_content IN (0, 1)),
  is_ignored      INTEGER NOT NULL DEFAULT 0 CHECK (is_ignored IN (0, 1)),
  is_synthetic    INTEGER NOT NULL DEFAULT 0 CHECK (is_synthetic IN (0, 1)),
  tool_call_id    TEXT,
  tool_name       TEXT,
  tool_status     TEXT,
  tool_title      TEXT,
  patch_hash      TEXT,
  patch_files     TEXT,
  file_mime       TEXT,
  file_name       TEXT,
  file_url        TEXT,
  subtask_prompt  TEXT,
  subtask_desc    TEXT,
  subtask_agent   TEXT,
  step_reason     TEXT,
  step_cost       REAL,
  step_tokens_in  INTEGER,
  step_tokens_out INTEGER,
  snapshot_hash   TEXT,
  compaction_auto INTEGER,
  text_content    TEXT,
  tool_input      TEXT,
  tool_output     TEXT,
  tool_error      TEXT,
  metadata        TEXT,
  UNIQUE (message_id, ordinal)
) STRICT;
CREATE INDEX message_parts_call ON message_parts (tool_call_id, message_id) WHERE tool_call_id IS NOT NULL;

-- descendant_count: 0 for a leaf, otherwise the sum over its sources of (descendant_count + 1).
-- source_token_count: tokens of the covered messages, whatever the depth.
CREATE TABLE summaries (
  summary_rowid      INTEGER PRIMARY KEY,
  summary_id         TEXT NOT NULL UNIQUE,
  conversation_id    INTEGER NOT NULL REFERENCES conversations (conversation_id) ON DELETE RESTRICT,
  kind               TEXT NOT NULL CHECK (kind IN ('leaf', 'condensed')),
  depth              INTEGER NOT NULL CHECK (depth >= 0),
  token_count        INTEGER NOT NULL CHECK (token_count >= 0),
  source_token_count INTEGER NOT NULL CHECK (source_token_count >= 0),
  descendant_count   INTEGER NOT NULL CHECK (descendant_count >= 0),
  earliest_at        INTEGER,
  latest_at          INTEGER,
  created_at         INTEGER NOT NULL,
  level              TEXT NOT NULL CHECK (level IN ('normal', 'aggressive', 'deterministic', 'unknown')),
  model              TEXT,
  prompt_version     TEXT,
  summary_hash       TEXT NOT NULL CHECK (length(summary_hash) = 64),
  file_ids           TEXT NOT NULL DEFAULT '[]',
  content            TEXT NOT NULL
) STRICT;
CREATE INDEX summaries_history ON summaries (conversation_id, depth, created_at);

CREATE TABLE summary_messages (
  summary_id TEXT NOT NULL REFERENCES summaries (summary_id) ON DELETE CASCADE,
  message_id INTEGER NOT NULL REFERENCES messages (message_id) ON DELETE RESTRICT,
  ordinal    INTEGER NOT NULL,
  PRIMARY KEY (summary_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX summary_messages_message ON summary_messages (message_id, summary_id);

CREATE TABLE summary_sources (
  summary_id        TEXT NOT NULL REFERENCES summaries (summary_id) ON DELETE CASCADE,
  source_summary_id TEXT NOT NULL REFERENCES summaries (summary_id) ON DELETE RESTRICT,
  ordinal           INTEGER NOT NULL,
  PRIMARY KEY (summary_id, source_summary_id),
  CHECK (summary_id <> source_summary_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX summary_sources_source ON summary_sources (source_summary_id, summary_id);

-- The name under which the field knows these edges. The "parent" of that table is the source.
CREATE VIEW summary_parents AS
SELECT summary_id, source_summary_id AS parent_summary_id, ordinal FROM summary_sources;

-- Ordinals order the window; they need not be dense (a compaction leaves gaps, appending never renumbers).
CREATE TABLE context_items (
  conversation_id INTEGER NOT NULL REFERENCES conversations (conversation_id) ON DELETE RESTRICT,
  ordinal         INTEGER NOT NULL CHECK (ordinal >= 0),
  item_type       TEXT NOT NULL CHECK (item_type IN ('message', 'summary')),
  message_id      INTEGER REFERENCES messages (message_id) ON DELETE RESTRICT,
  summary_id      TEXT REFERENCES summaries (summary_id) ON DELETE RESTRICT,
  created_at      INTEGER NOT NULL,
  PRIMARY KEY (conversation_id, ordinal),
  CHECK ((item_type = 'message' AND message_id IS NOT NULL AND summary_id IS NULL) OR
         (item_type = 'summary' AND summary_id IS NOT NULL AND message_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX context_items_message ON context_items (message_id) WHERE message_id IS NOT NULL;
CREATE UNIQUE INDEX context_items_summary ON context_items (summary_id) WHERE summary_id IS NOT NULL;

CREATE TABLE large_files (
  file_id             TEXT PRIMARY KEY,
  conversation_id     INTEGER NOT NULL REFERENCES conversations (conversation_id) ON DELETE RESTRICT,
  file_name           TEXT,
  mime_type           TEXT,
  byte_size           INTEGER,
  content_hash        TEXT,
  storage_uri         TEXT NOT NULL,
  exploration_summary TEXT,
  created_at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX large_files_conversation ON large_files (conversation_id, created_at);

-- Who compacted, why, with which configuration, and what came of it.
CREATE TABLE compaction_runs (
  run_id          TEXT PRIMARY KEY,
  conversation_id INTEGER NOT NULL REFERENCES conversations (conversation_id) ON DELETE RESTRICT,
  reason          TEXT NOT NULL CHECK (reason IN ('threshold', 'manual', 'maintenance')),
  mode            TEXT NOT NULL,
  summarizer      TEXT NOT NULL,
  configuration   TEXT NOT NULL,
  owner           TEXT NOT NULL,
  started_at      INTEGER NOT NULL,
  finished_at     INTEGER,
  tokens_before   INTEGER NOT NULL,
  tokens_after    INTEGER,
  stop_reason     TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX compaction_runs_conversation ON compaction_runs (conversation_id, started_at);

-- One row a replacement: exactly which window items went out (JSON array of [ordinal, type, id, created_at]) and what came in.
CREATE TABLE compaction_events (
  event_id        INTEGER PRIMARY KEY,
  run_id          TEXT NOT NULL REFERENCES compaction_runs (run_id) ON DELETE RESTRICT,
  conversation_id INTEGER NOT NULL,
  at              INTEGER NOT NULL,
  pass            TEXT NOT NULL CHECK (pass IN ('leaf', 'condensed')),
  summary_id      TEXT NOT NULL,
  ordinal         INTEGER NOT NULL,
  removed         TEXT NOT NULL,
  level           TEXT NOT NULL,
  source_tokens   INTEGER NOT NULL,
  tokens          INTEGER NOT NULL,
  duration_ms     INTEGER NOT NULL
) STRICT;
CREATE INDEX compaction_events_conversation ON compaction_events (conversation_id, event_id);
CREATE INDEX compaction_events_run ON compaction_events (run_id, event_id);

CREATE TABLE conversation_locks (
  conversation_id INTEGER PRIMARY KEY REFERENCES conversations (conversation_id),
  owner           TEXT NOT NULL,
  acquired_at     INTEGER NOT NULL,
  lease_until     INTEGER NOT NULL
) STRICT;

CREATE TRIGGER messages_immutable BEFORE UPDATE OF message_id, conversation_id, seq, role, created_at, external_id, content_hash, content ON messages
BEGIN SELECT RAISE(ABORT, 'messages are immutable'); END;
CREATE TRIGGER messages_undeletable BEFORE DELETE ON messages
BEGIN SELECT RAISE(ABORT, 'messages are never deleted'); END;
CREATE TRIGGER message_parts_immutable BEFORE UPDATE ON message_parts
BEGIN SELECT RAISE(ABORT, 'message parts are immutable'); END;
CREATE TRIGGER message_parts_undeletable BEFORE DELETE ON message_parts
BEGIN SELECT RAISE(ABORT, 'message parts are never deleted'); END;
`
