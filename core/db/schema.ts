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

-- descendant_count: summaries beneath, 0 for a leaf, otherwise the sum over its sources of (descendant_count + 1).
-- source_token_count: tokens of the messages beneath, whatever the depth.
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

/**
 * Full-text and trigram indexes over message text (content, tool arguments, tool results, reasoning) and summaries.
 * External content: the index holds no copy of the text. https://www.sqlite.org/fts5.html#external_content_tables
 */
export const SEARCH_V1 = /* sql */ `
CREATE VIEW message_text AS
SELECT
  m.message_id,
  m.content,
  (SELECT group_concat(p.tool_input, char(10) ORDER BY p.ordinal) FROM message_parts AS p
    WHERE p.message_id = m.message_id AND p.is_synthetic = 0) AS tool_input,
  (SELECT group_concat(p.tool_output, char(10) ORDER BY p.ordinal) FROM message_parts AS p
    WHERE p.message_id = m.message_id AND p.is_synthetic = 0) AS tool_output,
  (SELECT group_concat(p.text_content, char(10) ORDER BY p.ordinal) FROM message_parts AS p
    WHERE p.message_id = m.message_id AND p.is_synthetic = 0 AND p.part_type = 'reasoning') AS reasoning
FROM messages AS m;

CREATE VIRTUAL TABLE messages_fts USING fts5 (
  content, tool_input, tool_output, reasoning,
  content = 'message_text', content_rowid = 'message_id', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE messages_trigram USING fts5 (
  content, tool_input, tool_output, reasoning,
  content = 'message_text', content_rowid = 'message_id', tokenize = 'trigram', detail = none, columnsize = 0
);
CREATE VIRTUAL TABLE summaries_fts USING fts5 (
  content, content = 'summaries', content_rowid = 'summary_rowid', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE summaries_trigram USING fts5 (
  content, content = 'summaries', content_rowid = 'summary_rowid', tokenize = 'trigram', detail = none, columnsize = 0
);

CREATE TRIGGER summaries_index_insert AFTER INSERT ON summaries BEGIN
  INSERT INTO summaries_fts (rowid, content) VALUES (new.summary_rowid, new.content);
  INSERT INTO summaries_trigram (rowid, content) VALUES (new.summary_rowid, new.content);
END;
CREATE TRIGGER summaries_index_update AFTER UPDATE OF content ON summaries BEGIN
  INSERT INTO summaries_fts (summaries_fts, rowid, content) VALUES ('delete', old.summary_rowid, old.content);
  INSERT INTO summaries_trigram (summaries_trigram, rowid, content) VALUES ('delete', old.summary_rowid, old.content);
  INSERT INTO summaries_fts (rowid, content) VALUES (new.summary_rowid, new.content);
  INSERT INTO summaries_trigram (rowid, content) VALUES (new.summary_rowid, new.content);
END;
CREATE TRIGGER summaries_index_delete AFTER DELETE ON summaries BEGIN
  INSERT INTO summaries_fts (summaries_fts, rowid, content) VALUES ('delete', old.summary_rowid, old.content);
  INSERT INTO summaries_trigram (summaries_trigram, rowid, content) VALUES ('delete', old.summary_rowid, old.content);
END;
`

/** Message index triggers apart: a bulk import drops them, inserts, indexes the new rows at once, and puts them back. */
export const MESSAGE_INDEX_TRIGGERS = /* sql */ `
CREATE TRIGGER messages_index_insert AFTER INSERT ON messages BEGIN
  INSERT INTO messages_fts (rowid, content) VALUES (new.message_id, new.content);
  INSERT INTO messages_trigram (rowid, content) VALUES (new.message_id, new.content);
END;
CREATE TRIGGER message_parts_index_insert AFTER INSERT ON message_parts
WHEN new.is_synthetic = 0 AND (new.tool_input IS NOT NULL OR new.tool_output IS NOT NULL
  OR (new.part_type = 'reasoning' AND new.text_content IS NOT NULL))
BEGIN
  INSERT INTO messages_fts (messages_fts, rowid, content, tool_input, tool_output, reasoning)
  SELECT 'delete', m.message_id, m.content,
    (SELECT group_concat(p.tool_input, char(10) ORDER BY p.ordinal) FROM message_parts AS p
      WHERE p.message_id = m.message_id AND p.is_synthetic = 0 AND p.part_id <> new.part_id),
    (SELECT group_concat(p.tool_output, char(10) ORDER BY p.ordinal) FROM message_parts AS p
      WHERE p.message_id = m.message_id AND p.is_synthetic = 0 AND p.part_id <> new.part_id),
    (SELECT group_concat(p.text_content, char(10) ORDER BY p.ordinal) FROM message_parts AS p
      WHERE p.message_id = m.message_id AND p.is_synthetic = 0 AND p.part_type = 'reasoning' AND p.part_id <> new.part_id)
  FROM messages AS m WHERE m.message_id = new.message_id;
  INSERT INTO messages_trigram (messages_trigram, rowid, content, tool_input, tool_output, reasoning)
  SELECT 'delete', m.message_id, m.content,
    (SELECT group_concat(p.tool_input, char(10) ORDER BY p.ordinal) FROM message_parts AS p
      WHERE p.message_id = m.message_id AND p.is_synthetic = 0 AND p.part_id <> new.part_id),
    (SELECT group_concat(p.tool_output, char(10) ORDER BY p.ordinal) FROM message_parts AS p
      WHERE p.message_id = m.message_id AND p.is_synthetic = 0 AND p.part_id <> new.part_id),
    (SELECT group_concat(p.text_content, char(10) ORDER BY p.ordinal) FROM message_parts AS p
      WHERE p.message_id = m.message_id AND p.is_synthetic = 0 AND p.part_type = 'reasoning' AND p.part_id <> new.part_id)
  FROM messages AS m WHERE m.message_id = new.message_id;
  INSERT INTO messages_fts (rowid, content, tool_input, tool_output, reasoning)
  SELECT message_id, content, tool_input, tool_output, reasoning FROM message_text WHERE message_id = new.message_id;
  INSERT INTO messages_trigram (rowid, content, tool_input, tool_output, reasoning)
  SELECT message_id, content, tool_input, tool_output, reasoning FROM message_text WHERE message_id = new.message_id;
END;
`

/**
 * Version 2: every call that was made for a node, and what a run sent to models. A run of version 1 called none.
 * `attempts` is a JSON array of the contract's `Attempt`, in the order in which they were made.
 */
export const SCHEMA_V2 = /* sql */ `
ALTER TABLE compaction_events ADD COLUMN attempts TEXT NOT NULL DEFAULT '[]';
-- The newest message at that moment, which orders events among messages whatever their clocks say. NULL: not recorded.
ALTER TABLE compaction_events ADD COLUMN newest_seq INTEGER;
ALTER TABLE compaction_runs ADD COLUMN model_input_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE compaction_runs ADD COLUMN model_output_tokens INTEGER NOT NULL DEFAULT 0;
-- In the currency of the configured prices; NULL when a model that was called has none.
ALTER TABLE compaction_runs ADD COLUMN model_cost REAL DEFAULT 0;
`

/** What a file of version 1 lacks, as TEMP views before its tables: it is read without being brought up to date. */
export const VIEWS_ON_V1 = /* sql */ `
CREATE TEMP VIEW compaction_events AS SELECT *, '[]' AS attempts, NULL AS newest_seq FROM main.compaction_events;
CREATE TEMP VIEW compaction_runs AS
SELECT *, 0 AS model_input_tokens, 0 AS model_output_tokens, 0.0 AS model_cost FROM main.compaction_runs;
`

/**
 * TEMP views over a native file, of names that other systems' files need. A message of role system with nothing but
 * records of compactions in it came from another system, which keeps them as messages.
 */
export const OWN_VIEWS = /* sql */ `
CREATE TEMP VIEW internal_conversations AS SELECT NULL AS conversation_id, NULL AS note WHERE 0;
CREATE TEMP VIEW stored_ranges AS SELECT NULL AS summary_id, NULL AS earliest_at, NULL AS latest_at WHERE 0;
CREATE TEMP VIEW event_messages AS
SELECT m.message_id
FROM main.messages AS m
WHERE m.role = 'system'
  AND EXISTS (SELECT 1 FROM main.message_parts AS p
    WHERE p.message_id = m.message_id AND p.part_type = 'compaction' AND p.is_synthetic = 0)
  AND NOT EXISTS (SELECT 1 FROM main.message_parts AS p
    WHERE p.message_id = m.message_id AND p.part_type <> 'compaction');
`

/**
 * Version 3: what was done to a memory by hand or by a repair, so that time travel and exports can tell. `window_from`
 * and `window_to` are JSON arrays of window entries (message numbers, summary ids): the stretch that went out and the one
 * that came in. `after_event` and `newest_seq` say where it stands among compaction events and messages.
 */
export const SCHEMA_V3 = /* sql */ `
CREATE TABLE surgery_events (
  surgery_id      INTEGER PRIMARY KEY,
  conversation_id INTEGER NOT NULL REFERENCES conversations (conversation_id) ON DELETE RESTRICT,
  at              INTEGER NOT NULL,
  kind            TEXT NOT NULL CHECK (kind IN ('rewrite', 'dissolve', 'transplant', 'repair', 'undo')),
  node_id         TEXT,
  owner           TEXT NOT NULL,
  after_event     INTEGER NOT NULL DEFAULT 0,
  newest_seq      INTEGER,
  window_from     TEXT NOT NULL DEFAULT '[]',
  window_to       TEXT NOT NULL DEFAULT '[]',
  summary         TEXT NOT NULL,
  detail          TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE INDEX surgery_events_conversation ON surgery_events (conversation_id, surgery_id);
`

/** What a file of version 2 lacks, as VIEWS_ON_V1. */
export const VIEWS_ON_V2 = /* sql */ `
CREATE TEMP VIEW surgery_events AS
SELECT 0 AS surgery_id, 0 AS conversation_id, 0 AS at, '' AS kind, NULL AS node_id, '' AS owner, 0 AS after_event,
  NULL AS newest_seq, '[]' AS window_from, '[]' AS window_to, '' AS summary, '{}' AS detail
WHERE 0;
`
