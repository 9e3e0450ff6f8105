/**
 * SQL for one column of the indexed parts of message `m`, in their order, a line each. The order is in an inner query,
 * because SQLite before 3.44 cannot read a schema with `group_concat(… ORDER BY …)`, and native files support SQLite
 * 3.37 and later. SQLite keeps the order of an inner query for this aggregate, which the tests prove for old builds.
 * https://www.sqlite.org/lang_aggfunc.html#group_concat
 */
const textOfParts = (column: string, condition = ''): string => `(SELECT group_concat(text, char(10)) FROM (
    SELECT p.${column} AS text FROM message_parts AS p
    WHERE p.message_id = m.message_id AND p.is_synthetic = 0${condition} ORDER BY p.ordinal))`
const REASONING = ` AND p.part_type = 'reasoning'`

/** The form of versions 1 to 3. Files are compared with it word by word. */
const textOfPartsV1 = (
  column: string,
  condition = '',
): string => `(SELECT group_concat(p.${column}, char(10) ORDER BY p.ordinal) FROM message_parts AS p
    WHERE p.message_id = m.message_id AND p.is_synthetic = 0${condition})`

/** Selects everything in a message that is searched. */
const messageText = (text: typeof textOfParts): string => /* sql */ `
CREATE VIEW message_text AS
SELECT
  m.message_id,
  m.content,
  ${text('tool_input')} AS tool_input,
  ${text('tool_output')} AS tool_output,
  ${text('text_content', REASONING)} AS reasoning
FROM messages AS m;
`

/**
 * Full-text and trigram indexes over message text (content, tool arguments, tool results, reasoning) and summaries.
 * External content: the index holds no copy of the text. https://www.sqlite.org/fts5.html#external_content_tables
 */
const INDEXES = /* sql */ `
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

const MESSAGE_TRIGGER = /* sql */ `
CREATE TRIGGER messages_index_insert AFTER INSERT ON messages BEGIN
  INSERT INTO messages_fts (rowid, content) VALUES (new.message_id, new.content);
  INSERT INTO messages_trigram (rowid, content) VALUES (new.message_id, new.content);
END;
`

/**
 * Deletes what the index held of a message before a part was added: tool calls, tool results and reasoning without that
 * part.
 */
function partTrigger(text: typeof textOfParts): string {
  const without = ' AND p.part_id <> new.part_id'
  const before = `  ${text('tool_input', without)},
  ${text('tool_output', without)},
  ${text('text_content', REASONING + without)}`
  return /* sql */ `
CREATE TRIGGER message_parts_index_insert AFTER INSERT ON message_parts
WHEN new.is_synthetic = 0 AND (new.tool_input IS NOT NULL OR new.tool_output IS NOT NULL
  OR (new.part_type = 'reasoning' AND new.text_content IS NOT NULL))
BEGIN
  INSERT INTO messages_fts (messages_fts, rowid, content, tool_input, tool_output, reasoning)
  SELECT 'delete', m.message_id, m.content,
${before}
  FROM messages AS m WHERE m.message_id = new.message_id;
  INSERT INTO messages_trigram (messages_trigram, rowid, content, tool_input, tool_output, reasoning)
  SELECT 'delete', m.message_id, m.content,
${before}
  FROM messages AS m WHERE m.message_id = new.message_id;
  INSERT INTO messages_fts (rowid, content, tool_input, tool_output, reasoning)
  SELECT message_id, content, tool_input, tool_output, reasoning FROM message_text WHERE message_id = new.message_id;
  INSERT INTO messages_trigram (rowid, content, tool_input, tool_output, reasoning)
  SELECT message_id, content, tool_input, tool_output, reasoning FROM message_text WHERE message_id = new.message_id;
END;
`
}

export const SEARCH_V1 = messageText(textOfPartsV1) + INDEXES + MESSAGE_TRIGGER + partTrigger(textOfPartsV1)

/** Version 4 builds the message index from SQL that SQLite 3.37 and later can read. Its rows stay. */
export const SEARCH_V4 = /* sql */ `
DROP VIEW IF EXISTS message_text;
${messageText(textOfParts)}
DROP TRIGGER IF EXISTS message_parts_index_insert;
${partTrigger(textOfParts)}`

/**
 * The triggers of the message index alone. A bulk import drops them, inserts rows, indexes the new rows at once, and
 * creates them again.
 */
export const MESSAGE_INDEX_TRIGGERS = MESSAGE_TRIGGER.trimEnd() + partTrigger(textOfParts)

/** The search schema of the present version. */
export const SEARCH_SCHEMA = messageText(textOfParts) + INDEXES + MESSAGE_INDEX_TRIGGERS

/** TEMP tables of the words and trigrams of the message and summary indexes. https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module */
export const VOCABULARY = /* sql */ `
CREATE VIRTUAL TABLE temp.messages_vocabulary USING fts5vocab (main, messages_fts, row);
CREATE VIRTUAL TABLE temp.summaries_vocabulary USING fts5vocab (main, summaries_fts, row);
CREATE VIRTUAL TABLE temp.messages_trigrams USING fts5vocab (main, messages_trigram, row);
CREATE VIRTUAL TABLE temp.summaries_trigrams USING fts5vocab (main, summaries_trigram, row);
`
