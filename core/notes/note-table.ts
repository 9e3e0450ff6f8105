import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Note } from '../contract/notes.ts'
import { openCacheDb } from '../sqlite/cache-db.ts'
import { fileError } from '../sqlite/memory-file.ts'
import type { WriteDb } from '../sqlite/read-db.ts'

const queries = {
  schema: /* sql */ `
    CREATE TABLE IF NOT EXISTS notes (
      memory TEXT NOT NULL, node TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, is_pinned INTEGER NOT NULL,
      text TEXT NOT NULL, changed_at_ms INTEGER NOT NULL,
      PRIMARY KEY (memory, node)
    ) STRICT, WITHOUT ROWID`,
  all: /* sql */ `
    SELECT node AS id, kind, name, is_pinned AS isPinned, text, changed_at_ms AS changedAtMs
    FROM notes WHERE memory = :memory ORDER BY changed_at_ms DESC, node`,
  put: /* sql */ `
    INSERT INTO notes (memory, node, kind, name, is_pinned, text, changed_at_ms)
    VALUES (:memory, :id, :kind, :name, CAST(:isPinned AS INTEGER), :text, CAST(:changedAtMs AS INTEGER))
    ON CONFLICT (memory, node) DO UPDATE SET
      kind = excluded.kind, name = excluded.name, is_pinned = excluded.is_pinned, text = excluded.text,
      changed_at_ms = excluded.changed_at_ms`,
  remove: /* sql */ `DELETE FROM notes WHERE memory = :memory AND node = :id`,
}

/** A note as it is stored. */
export type StoredNote = Pick<Note, 'id' | 'kind' | 'name' | 'isPinned' | 'text' | 'changedAtMs'>
type Row = Omit<StoredNote, 'isPinned'> & { readonly isPinned: number }

/**
 * The notes of one memory, in a database in the app's data folder that all processes of the user share. It is opened for
 * each access, and no file is made before the first note.
 */
export class NoteTable {
  readonly #path: string
  readonly #memory: string

  constructor(dataDir: string, memory: string) {
    this.#path = notesPath(dataDir)
    this.#memory = memory
  }

  /** The notes of the memory, changed last first. @throws LcmError locked, file_not_readable, file_corrupt */
  all(): StoredNote[] {
    return existsSync(this.#path) ? this.#opened((db) => this.#all(db)) : []
  }

  /**
   * Runs the work in one transaction, in which no other window changes a note. What it returns is stored.
   * @throws LcmError locked, disk_full, file_not_readable, file_corrupt, and what the work throws
   */
  change(id: string, work: (notes: readonly StoredNote[]) => StoredNote | null): StoredNote | null {
    makeFile(this.#path)
    return this.#opened((db) => {
      const note = work(this.#all(db))
      if (note === null) db.run(queries.remove, { memory: this.#memory, id })
      else db.run(queries.put, { memory: this.#memory, ...note, isPinned: Number(note.isPinned) })
      return note
    })
  }

  #all(db: WriteDb): StoredNote[] {
    return db.all<Row>(queries.all, { memory: this.#memory }).map((row) => ({ ...row, isPinned: row.isPinned === 1 }))
  }

  #opened<T>(work: (db: WriteDb) => T): T {
    const db = openCacheDb(this.#path, { create: true })
    try {
      return db.transaction(() => {
        db.exec(queries.schema)
        return work(db)
      })
    } finally {
      db.close()
    }
  }
}

const notesPath = (dataDir: string): string => join(dataDir, 'notes.db')

/** Returns a text that is another one after any process has changed a note. */
export function notesStamp(dataDir: string): string {
  return ['', '-wal']
    .map((suffix) => statSync(`${notesPath(dataDir)}${suffix}`, { throwIfNoEntry: false }))
    .map((file) => (file === undefined || file.size === 0 ? '-' : `${file.size}:${file.mtimeMs}`))
    .join(' ')
}

function makeFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // SQLite would make it readable for others.
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    throw fileError(error, path)
  }
}
