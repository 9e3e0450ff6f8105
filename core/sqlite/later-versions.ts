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

/**
 * Version 5: a working copy stores once what other systems store as the message, as its part and as the original block
 * of the part. Without `NOT NULL` and `CHECK`, adding the columns reads and writes no row.
 */
export const SCHEMA_V5 = /* sql */ `
-- 1: the part says what its message says, and text_content is NULL. Of a text part and of a tool's answer, is_content says so.
ALTER TABLE message_parts ADD COLUMN text_is_content INTEGER;
-- 1: the first \\u001a in metadata stands for the text of the part, as JSON writes it.
ALTER TABLE message_parts ADD COLUMN metadata_has_text INTEGER;
`

/** Columns that tables of a file of this version lack, by table: how they are read without being brought up to date. */
export const laterColumns = (version: number): Readonly<Record<string, string>> =>
  version < 5 ? { message_parts: 'NULL AS text_is_content, NULL AS metadata_has_text' } : {}

/** How many columns each of those tables had before: rows that were stored then are still that short. */
export const COLUMNS_BEFORE: Readonly<Record<string, number>> = { message_parts: 31 }
