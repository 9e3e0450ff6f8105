/**
 * The format of the index. It changes when the schema below does, or when text is folded differently; older indexes are
 * then removed.
 */
export const SIDE_FORMAT = '1'

/**
 * The tables of a native file's own indexes over texts that stand in another file. Contentless: they hold no copy of the
 * text, and rows can be replaced without knowing what they were. https://www.sqlite.org/fts5.html#contentless_delete_tables
 * `signature` is a hash of what was indexed of a row, and of a block of rows. Segments are merged in short steps by whoever writes, never unasked.
 */
export const SIDE_SCHEMA = /* sql */ `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE messages_indexed (row INTEGER PRIMARY KEY, signature INTEGER NOT NULL) STRICT;
CREATE TABLE summaries_indexed (row INTEGER PRIMARY KEY, signature INTEGER NOT NULL) STRICT;
CREATE TABLE messages_blocks (block INTEGER PRIMARY KEY, signature INTEGER NOT NULL) STRICT;
CREATE TABLE summaries_blocks (block INTEGER PRIMARY KEY, signature INTEGER NOT NULL) STRICT;

CREATE VIRTUAL TABLE messages_fts USING fts5 (
  content, tool_input, tool_output, reasoning,
  content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE messages_trigram USING fts5 (
  content, tool_input, tool_output, reasoning,
  content = '', contentless_delete = 1, tokenize = 'trigram', detail = none
);
CREATE VIRTUAL TABLE summaries_fts USING fts5 (
  content, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE summaries_trigram USING fts5 (
  content, content = '', contentless_delete = 1, tokenize = 'trigram', detail = none
);
${['messages_fts', 'messages_trigram', 'summaries_fts', 'summaries_trigram']
  .map(
    (table) => /* sql */ `
INSERT INTO ${table} (${table}, rank) VALUES ('automerge', 0);
INSERT INTO ${table} (${table}, rank) VALUES ('crisismerge', 1000);`,
  )
  .join('')}
`
