/**
 * The vectors of one model, in the app's cache. Equal pieces of text, of whichever memory, have one vector.
 * `text` is a part of the hash of the piece, `numbers` the vector with length 1 as 32-bit floats, or empty when the
 * model refused the text. `signs` has a bit for each number, set when it is above 0: what is read for a first look.
 */
export const VECTOR_SCHEMA = /* sql */ `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE memories (
  memory INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  without_text INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE vectors (vector INTEGER PRIMARY KEY, text BLOB NOT NULL UNIQUE, numbers BLOB NOT NULL) STRICT;
CREATE TABLE signs (vector INTEGER PRIMARY KEY, signs BLOB NOT NULL) STRICT;
CREATE TABLE pieces (
  memory INTEGER NOT NULL,
  corpus TEXT NOT NULL,
  row INTEGER NOT NULL,
  piece INTEGER NOT NULL,
  vector INTEGER NOT NULL,
  PRIMARY KEY (memory, corpus, row, piece)
) STRICT, WITHOUT ROWID;
`

export const VECTOR_FORMAT = '1'
