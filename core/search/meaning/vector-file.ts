import { LcmError } from '#core/errors.ts'
import { openCacheDb, removeUnusedDb } from '#core/sqlite/cache-db.ts'
import { measureFile } from '#core/sqlite/memory-file.ts'
import { SMALL_PAGE_CACHE } from '#core/sqlite/page-cache.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import type { Corpus } from '../indexes/corpus.ts'
import type { Piece } from './recipe.ts'

/**
 * The vectors of one model, in the app's cache. Equal pieces of text, of whichever memory, have one vector.
 * `text` is a part of the hash of the piece, `numbers` the vector with length 1 as 32-bit floats, or empty when the
 * model refused the text. `signs` has a bit for each number, set when it is above 0: what is read for a first look.
 */
const VECTOR_SCHEMA = /* sql */ `
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

const VECTOR_FORMAT = '1'

const queries = {
  tables: /* sql */ `
    SELECT count(*) FROM sqlite_schema WHERE name IN ('meta', 'memories', 'vectors', 'signs', 'pieces')`,
  format: /* sql */ `SELECT value FROM meta WHERE key = 'format'`,
  setFormat: /* sql */ `INSERT OR REPLACE INTO meta (key, value) VALUES ('format', :format)`,
  memory: /* sql */ `SELECT memory FROM memories WHERE path = :path`,
  addMemory: /* sql */ `INSERT OR IGNORE INTO memories (path) VALUES (:path)`,
  noteBlank: /* sql */ `UPDATE memories SET without_text = CAST(:rows AS INTEGER) WHERE memory = :memory`,
  blank: /* sql */ `SELECT without_text FROM memories WHERE memory = :memory`,
  vector: /* sql */ `SELECT vector FROM vectors WHERE text = :text`,
  addVector: /* sql */ `INSERT INTO vectors (text, numbers) VALUES (:text, :numbers)`,
  addSigns: /* sql */ `INSERT INTO signs (vector, signs) VALUES (last_insert_rowid(), :signs)`,
  known: /* sql */ `
    SELECT row, text
    FROM pieces
    JOIN vectors ON vectors.vector = pieces.vector
    WHERE memory = :memory AND corpus = :corpus AND row BETWEEN :first AND :last
    ORDER BY row, piece`,
  dropRow: /* sql */ `DELETE FROM pieces WHERE memory = :memory AND corpus = :corpus AND row = :row`,
  addPiece: /* sql */ `
    INSERT INTO pieces (memory, corpus, row, piece, vector)
    VALUES (
      CAST(:memory AS INTEGER), :corpus, CAST(:row AS INTEGER), CAST(:piece AS INTEGER), CAST(:vector AS INTEGER)
    )`,
  rows: /* sql */ `SELECT row FROM pieces WHERE memory = :memory AND corpus = :corpus AND piece = 0 ORDER BY row`,
  rowCount: /* sql */ `SELECT count(*) FROM pieces WHERE memory = :memory AND piece = 0`,
  page: /* sql */ `
    SELECT row, piece, pieces.vector, signs
    FROM pieces
    JOIN signs ON signs.vector = pieces.vector
    WHERE memory = :memory AND corpus = :corpus AND (row, piece) > (:row, :piece)
    ORDER BY row, piece
    LIMIT CAST(:limit AS INTEGER)`,
  numbers: /* sql */ `
    SELECT vector, text, numbers FROM vectors WHERE vector IN (SELECT value FROM json_each(:vectors))`,
}

/** A row with the pieces of its text. */
export type PiecedRow = { readonly row: number; readonly pieces: readonly Piece[] }

/** A vector of length 1, or null for a text that the model refused. */
export type StoredVector = Float32Array | null

/** A piece of a row, with the signs of its vector. */
type SignedPiece = readonly [row: number, piece: number, vector: number, signs: Uint8Array]

/** The vectors of one model on disk, and which pieces of which memories have them. */
export class VectorFile {
  readonly db: WriteDb

  private constructor(db: WriteDb) {
    this.db = db
  }

  /** Returns null when there is no file, or one that is damaged or of another version. */
  static open(path: string): VectorFile | null {
    let db: WriteDb | null = null
    try {
      db = openCacheDb(path, { create: false })
      if (db.value(queries.tables) === 5 && db.value(queries.format) === VECTOR_FORMAT) {
        db.exec(SMALL_PAGE_CACHE)
        return new VectorFile(db)
      }
    } catch (error) {
      if (!(error instanceof LcmError)) throw error
    }
    db?.close()
    return null
  }

  /**
   * Returns the file, which is made when it is missing and made anew when it is damaged.
   * @throws LcmError disk_full, file_not_readable, read_only_file, locked while another process has a damaged one open
   */
  static openOrCreate(path: string): VectorFile {
    const found = VectorFile.open(path)
    if (found) return found
    removeUnusedDb(path)
    const db = openCacheDb(path, { create: true })
    db.transaction(() => {
      db.exec(VECTOR_SCHEMA)
      db.run(queries.setFormat, { format: VECTOR_FORMAT })
    })
    db.exec(SMALL_PAGE_CACHE)
    return new VectorFile(db)
  }

  /** Returns the number of a memory by its real path, or null when it has no vectors. */
  memoryOf(path: string): number | null {
    return this.db.value<number>(queries.memory, { path }) ?? null
  }

  addMemory(path: string): number {
    this.db.run(queries.addMemory, { path })
    return this.memoryOf(path) ?? 0
  }

  /** Notes how many rows of a memory have no text that could get a vector. */
  noteBlank(memory: number, rows: number): void {
    this.db.run(queries.noteBlank, { memory, rows })
  }

  /** Returns how many rows of a memory have vectors, and how many were found to have no text. */
  counts(memory: number): { readonly rows: number; readonly blank: number } {
    return {
      rows: this.db.value<number>(queries.rowCount, { memory }) ?? 0,
      blank: this.db.value<number>(queries.blank, { memory }) ?? 0,
    }
  }

  /** Returns the hashes of the pieces that rows have, by row. */
  known(memory: number, corpus: Corpus['kind'], first: number, last: number): ReadonlyMap<number, readonly string[]> {
    const found = this.db.rows<[row: number, text: Uint8Array]>(queries.known, { memory, corpus, first, last })
    const hashes = new Map<number, string[]>()
    for (const [row, text] of found) {
      const hash = Buffer.from(text).toString('hex')
      const list = hashes.get(row)
      if (list) list.push(hash)
      else hashes.set(row, [hash])
    }
    return hashes
  }

  has(hash: Buffer): boolean {
    return this.db.value<number>(queries.vector, { text: hash }) !== undefined
  }

  /**
   * Stores rows as a whole, with the vectors that are new. A row is stored with all of its pieces or not at all.
   * @param vectors by the hash of the piece, in hexadecimal digits
   */
  store(
    memory: number,
    corpus: Corpus['kind'],
    rows: readonly PiecedRow[],
    vectors: ReadonlyMap<string, StoredVector>,
  ): void {
    this.db.transaction(() => {
      for (const { row, pieces } of rows) {
        this.db.run(queries.dropRow, { memory, corpus, row })
        for (const [piece, { hash }] of pieces.entries()) {
          const vector = this.#numberOf(hash, vectors)
          this.db.run(queries.addPiece, { memory, corpus, row, piece, vector })
        }
      }
    })
  }

  #numberOf(text: Buffer, vectors: ReadonlyMap<string, StoredVector>): number {
    const known = this.db.value<number>(queries.vector, { text })
    if (known !== undefined) return known
    const vector = vectors.get(text.toString('hex')) ?? null
    this.db.run(queries.addVector, { text, numbers: vector === null ? new Uint8Array(0) : bytesOf(vector) })
    if (vector !== null) this.db.run(queries.addSigns, { signs: signsOf(vector) })
    return this.db.value<number>(queries.vector, { text }) ?? 0
  }

  /** Returns the rows of a memory that have vectors, ascending. */
  rows(memory: number, corpus: Corpus['kind']): number[] {
    return this.db.column<number>(queries.rows, { memory, corpus })
  }

  dropRows(memory: number, corpus: Corpus['kind'], rows: readonly number[]): void {
    this.db.transaction(() => {
      for (const row of rows) this.db.run(queries.dropRow, { memory, corpus, row })
    })
  }

  /** Returns the pieces that follow one, in the order of the rows. */
  page(memory: number, corpus: Corpus['kind'], after: readonly [row: number, piece: number], limit: number) {
    const [row, piece] = after
    return this.db.rows<SignedPiece>(queries.page, { memory, corpus, row, piece, limit })
  }

  /** Returns the vectors with these numbers, and the hashes of their texts. */
  vectors(numbers: readonly number[]): ReadonlyMap<number, { readonly hash: string; readonly vector: Float32Array }> {
    const found = this.db.rows<[vector: number, text: Uint8Array, numbers: Uint8Array]>(queries.numbers, {
      vectors: JSON.stringify(numbers),
    })
    return new Map(
      found.map(([number, text, bytes]) => [
        number,
        { hash: Buffer.from(text).toString('hex'), vector: new Float32Array(Uint8Array.from(bytes).buffer) },
      ]),
    )
  }

  bytes(): number {
    return measureFile(this.db.path).bytes
  }

  close(): void {
    this.db.close()
  }
}

const bytesOf = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)

/** Bit 0 of byte 0 is the first number. */
export function signsOf(vector: Float32Array): Uint8Array {
  const signs = new Uint8Array(Math.ceil(vector.length / 8))
  vector.forEach((value, at) => {
    if (value > 0) signs[at >> 3] = (signs[at >> 3] ?? 0) | (1 << (at & 7))
  })
  return signs
}
