import { threadId } from 'node:worker_threads'
import type { SqlFunction } from './read-db.ts'
import { openMemoryUri, type PreparableDb } from './uri-db.ts'

const queries = {
  /** Returns tables before their indexes. An index of a constraint has no SQL of its own. */
  temporary: /* sql */ `
    SELECT type, name, sql FROM temp.sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL ORDER BY type DESC, name`,
  kept: /* sql */ `
    SELECT type, name, sql FROM kept.sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL ORDER BY type DESC, name`,
}

type SchemaObject = { readonly type: 'table' | 'index'; readonly name: string; readonly sql: string }

let made = 0

/**
 * Keeps the TEMP tables and functions of a connection while it is released. They are kept in memory, in no file. The next
 * connection takes them over and brings in step only what has changed since.
 */
export class KeptTables {
  readonly #uri: string
  readonly #held: { close(): void }
  readonly #functions = new Map<string, SqlFunction>()
  #isFilled = false
  #isCurrent = false

  private constructor(uri: string, held: { close(): void }) {
    this.#uri = uri
    this.#held = held
  }

  /** Returns null when the runtime cannot do that. */
  static open(): KeptTables | null {
    made += 1
    const uri = `file:/lcm-kept-${threadId}-${made}?vfs=memdb`
    const held = openMemoryUri(uri)
    return held && new KeptTables(uri, held)
  }

  /** Returns the connection, and remembers the functions that it defines. */
  remembering(db: PreparableDb): PreparableDb {
    return {
      ...db,
      define: (name, body) => {
        this.#functions.set(name, body)
        db.define(name, body)
      },
    }
  }

  /** True when the tables belong to the file as it was when they were saved. */
  get isCurrent(): boolean {
    return this.#isCurrent
  }

  /** Call this when the file has changed since the tables were saved. */
  outdate(): void {
    this.#isCurrent = false
  }

  /** Copies everything from a connection, or nothing when that fails. */
  save(db: PreparableDb, isCurrent: boolean): void {
    this.#isCurrent = isCurrent
    this.#isFilled = this.#copy(db, () => {
      for (const { type, name } of db.all<SchemaObject>(queries.kept))
        if (type === 'table') db.exec(/* sql */ `DROP TABLE kept."${name}"`)
      copyTables(db, db.all<SchemaObject>(queries.temporary), 'temp', 'kept')
    })
  }

  /** Returns whether the connection has everything now. Otherwise it has nothing. */
  restore(db: PreparableDb): boolean {
    if (!this.#isFilled) return false
    for (const [name, body] of this.#functions) db.define(name, body)
    return this.#copy(db, () => copyTables(db, db.all<SchemaObject>(queries.kept), 'kept', 'temp'))
  }

  close(): void {
    this.#held.close()
  }

  #copy(db: PreparableDb, body: () => void): boolean {
    try {
      db.exec(`PRAGMA query_only = OFF; ATTACH '${this.#uri}' AS kept; BEGIN`)
      body()
      db.exec('COMMIT')
      return true
    } catch {
      // The tables can be made again from the file.
      attempt(() => db.exec('ROLLBACK'))
      return false
    } finally {
      attempt(() => db.exec('DETACH kept'))
      db.exec('PRAGMA query_only = ON')
    }
  }
}

function copyTables(db: PreparableDb, all: readonly SchemaObject[], from: string, to: string): void {
  // SQLite stores every statement without the name of its schema.
  for (const { sql } of all) db.exec(sql.replace(/^CREATE (UNIQUE )?(TABLE|INDEX) /, `CREATE $1$2 ${to}.`))
  // When both sides have the same indexes, SQLite copies the rows as they are, without sorting or decoding them.
  // https://www.sqlite.org/src/doc/trunk/src/insert.c (xferOptimization)
  for (const { type, name } of all) {
    if (type === 'table') db.exec(/* sql */ `INSERT INTO ${to}."${name}" SELECT * FROM ${from}."${name}"`)
  }
}

function attempt(body: () => void): void {
  try {
    body()
  } catch {
    // Nothing was left to undo.
  }
}
