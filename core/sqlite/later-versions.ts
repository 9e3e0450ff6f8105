/**
 * Version 2 stores every call that was made for a node, and what a run sent to models. `attempts` is a JSON array of
 * the contract's `Attempt` in the order of the calls. Runs of version 1 called no model.
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

/**
 * TEMP views that hide the tables of a version 1 file and add what it lacks, so that it is read without a migration.
 */
export const VIEWS_ON_V1 = /* sql */ `
CREATE TEMP VIEW compaction_events AS SELECT *, '[]' AS attempts, NULL AS newest_seq FROM main.compaction_events;
CREATE TEMP VIEW compaction_runs AS
SELECT *, 0 AS model_input_tokens, 0 AS model_output_tokens, 0.0 AS model_cost FROM main.compaction_runs;
`

/**
 * Version 3 stores changes by hand or by a repair, for time travel and exports. `window_from` and `window_to` are JSON
 * arrays of window entries (message numbers, summary ids): the removed range and the inserted one. `after_event` and
 * `newest_seq` place the change among compaction events and messages.
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

/** Adds what a version 2 file lacks, as VIEWS_ON_V1 does for version 1. */
export const VIEWS_ON_V2 = /* sql */ `
CREATE TEMP VIEW surgery_events AS
SELECT 0 AS surgery_id, 0 AS conversation_id, 0 AS at, '' AS kind, NULL AS node_id, '' AS owner, 0 AS after_event,
  NULL AS newest_seq, '[]' AS window_from, '[]' AS window_to, '' AS summary, '{}' AS detail
WHERE 0;
`

/**
 * Version 5: a working copy stores a text once where other systems store it in the message, in its part and in the
 * original block of the part. The new columns have no `NOT NULL` and no `CHECK`, so adding them reads and writes no
 * row.
 */
export const SCHEMA_V5 = /* sql */ `
-- 1: the part says what its message says, and text_content is NULL. Of a text part and of a tool's answer, is_content says so.
ALTER TABLE message_parts ADD COLUMN text_is_content INTEGER;
-- 1: the first \\u001a in metadata stands for the text of the part, as JSON writes it.
ALTER TABLE message_parts ADD COLUMN metadata_has_text INTEGER;
`

/**
 * Returns the columns that tables of a file of this version lack, by table. They are added when the file is read
 * without a migration.
 */
export const laterColumns = (version: number): Readonly<Record<string, string>> =>
  version < 5 ? { message_parts: 'NULL AS text_is_content, NULL AS metadata_has_text' } : {}

/** The number of columns that each of those tables had before. Rows from that time are still that short. */
export const COLUMNS_BEFORE: Readonly<Record<string, number>> = { message_parts: 31 }
