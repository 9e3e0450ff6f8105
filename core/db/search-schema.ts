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

/** What an index held of a message before a part was added: its tool calls, tool results and reasoning without it. */
const WITHOUT_NEW_PART = `    (SELECT group_concat(p.tool_input, char(10) ORDER BY p.ordinal) FROM message_parts AS p
      WHERE p.message_id = m.message_id AND p.is_synthetic = 0 AND p.part_id <> new.part_id),
    (SELECT group_concat(p.tool_output, char(10) ORDER BY p.ordinal) FROM message_parts AS p
      WHERE p.message_id = m.message_id AND p.is_synthetic = 0 AND p.part_id <> new.part_id),
    (SELECT group_concat(p.text_content, char(10) ORDER BY p.ordinal) FROM message_parts AS p
      WHERE p.message_id = m.message_id AND p.is_synthetic = 0 AND p.part_type = 'reasoning' AND p.part_id <> new.part_id)`

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
${WITHOUT_NEW_PART}
  FROM messages AS m WHERE m.message_id = new.message_id;
  INSERT INTO messages_trigram (messages_trigram, rowid, content, tool_input, tool_output, reasoning)
  SELECT 'delete', m.message_id, m.content,
${WITHOUT_NEW_PART}
  FROM messages AS m WHERE m.message_id = new.message_id;
  INSERT INTO messages_fts (rowid, content, tool_input, tool_output, reasoning)
  SELECT message_id, content, tool_input, tool_output, reasoning FROM message_text WHERE message_id = new.message_id;
  INSERT INTO messages_trigram (rowid, content, tool_input, tool_output, reasoning)
  SELECT message_id, content, tool_input, tool_output, reasoning FROM message_text WHERE message_id = new.message_id;
END;
`
