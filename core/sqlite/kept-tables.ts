import { threadId } from 'node:worker_threads'
import type { SqlFunction } from './read-db.ts'
import { openMemoryUri, type PreparableDb } from './uri-db.ts'

const queries = {
  /** Tables before their indexes. An index that belongs to a constraint has no SQL of its own. */
  temporary: /* sql */ `
    SELECT type, name, sql FROM temp.sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL ORDER BY type DESC, name`,
  kept: /* sql */ `
    SELECT type, name, sql FROM kept.sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL ORDER BY type DESC, name`,
}

type Made = { readonly type: 'table' | 'index'; readonly name: string; readonly sql: string }

let made = 0

/**
 * The TEMP tables and functions of a connection, kept while there is none: in memory, in no file. The next connection
 * takes them over and has to bring in step only what has changed since.
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

  /** null where the runtime cannot do that. */
  static open(): KeptTables | null {
    made += 1
    const uri = `file:/lcm-kept-${threadId}-${made}?vfs=memdb`
    const held = openMemoryUri(uri)
    return held && new KeptTables(uri, held)
  }

  /** The connection, with what it defines remembered. */
  remembering(db: PreparableDb): PreparableDb {
    return {
      ...db,
      define: (name, body) => {
        this.#functions.set(name, body)
        db.define(name, body)
      },
    }
  }

  /** They belong to the file as it was when they were saved. */
  get isCurrent(): boolean {
    return this.#isCurrent
  }

  /** The file has changed since they were saved. */
  outdate(): void {
    this.#isCurrent = false
  }

  /** Takes over everything from a connection; nothing when that fails. */
  save(db: PreparableDb, isCurrent: boolean): void {
    this.#isCurrent = isCurrent
    this.#isFilled = this.#copy(db, () => {
      for (const { type, name } of db.all<Made>(queries.kept))
        if (type === 'table') db.exec(/* sql */ `DROP TABLE kept."${name}"`)
      copyTables(db, db.all<Made>(queries.temporary), 'temp', 'kept')
    })
  }

  /** @returns whether the connection has everything now; otherwise it has nothing */
  restore(db: PreparableDb): boolean {
    if (!this.#isFilled) return false
    for (const [name, body] of this.#functions) db.define(name, body)
    return this.#copy(db, () => copyTables(db, db.all<Made>(queries.kept), 'kept', 'temp'))
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
      // They can be made anew from the file.
      attempt(() => db.exec('ROLLBACK'))
      return false
    } finally {
      attempt(() => db.exec('DETACH kept'))
      db.exec('PRAGMA query_only = ON')
    }
  }
}

function copyTables(db: PreparableDb, all: readonly Made[], from: string, to: string): void {
  // SQLite keeps every statement without the name of its schema.
  for (const { sql } of all) db.exec(sql.replace(/^CREATE (UNIQUE )?(TABLE|INDEX) /, `CREATE $1$2 ${to}.`))
  // With the same indexes on both sides, pages' worth of both are taken over as they are, unsorted and undecoded.
  // https://www.sqlite.org/src/doc/trunk/src/insert.c (xferOptimization)
  for (const { type, name } of all) {
    if (type === 'table') db.exec(/* sql */ `INSERT INTO ${to}."${name}" SELECT * FROM ${from}."${name}"`)
  }
}

function attempt(body: () => void): void {
  try {
    body()
  } catch {
    // There was nothing to undo.
  }
}
