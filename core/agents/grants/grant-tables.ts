import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { Grant } from '#core/contract/expand-query.ts'
import { openCacheDb } from '#core/sqlite/cache-db.ts'
import { fileError } from '#core/sqlite/memory-file.ts'

/** A grant as it is stored. Its state is computed from it and the present time. */
export const HeldGrant = Grant.omit({ state: true }).extend({
  isRevoked: z.boolean(),
  /** The grant under which it was issued, or null. Tokens read with this grant count for that one as well. */
  under: z.string().nullable(),
})
export type HeldGrant = z.infer<typeof HeldGrant>

/** The stored grants, the oldest first. */
export type GrantRows = {
  get(id: string): HeldGrant | undefined
  put(grant: HeldGrant): void
  remove(id: string): void
  all(): readonly HeldGrant[]
}

export type GrantTable = {
  /** Runs the work in one transaction: no other process changes a grant meanwhile, and an error undoes every change. */
  atomically<T>(work: (rows: GrantRows) => T): T
}

/** Grants that end with the process. */
export class GrantsInMemory implements GrantTable, GrantRows {
  readonly #grants = new Map<string, HeldGrant>()

  atomically<T>(work: (rows: GrantRows) => T): T {
    return work(this)
  }

  get(id: string): HeldGrant | undefined {
    return this.#grants.get(id)
  }

  put(grant: HeldGrant): void {
    this.#grants.set(grant.id, grant)
  }

  remove(id: string): void {
    this.#grants.delete(id)
  }

  all(): readonly HeldGrant[] {
    return [...this.#grants.values()]
  }
}

const queries = {
  schema: /* sql */ `
    CREATE TABLE IF NOT EXISTS grants (
      place INTEGER PRIMARY KEY,
      grant_id TEXT NOT NULL UNIQUE,
      body TEXT NOT NULL
    ) STRICT`,
  get: /* sql */ `SELECT body FROM grants WHERE grant_id = :id`,
  put: /* sql */ `
    INSERT INTO grants (grant_id, body) VALUES (:id, :body)
    ON CONFLICT (grant_id) DO UPDATE SET body = excluded.body`,
  remove: /* sql */ `DELETE FROM grants WHERE grant_id = :id`,
  all: /* sql */ `SELECT body FROM grants ORDER BY place`,
}

/**
 * Grants in a database of the app's own, for all processes of its user. The database is opened for each transaction, so
 * that a process that revokes a grant ends it for every server at once.
 */
class GrantsInFile implements GrantTable {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** @throws LcmError locked, disk_full, file_not_readable, file_corrupt */
  atomically<T>(work: (rows: GrantRows) => T): T {
    if (!existsSync(this.#path)) {
      // A process that only reads creates no file.
      const first = new GrantsInMemory()
      const result = work(first)
      if (first.all().length > 0) {
        makeFolder(dirname(this.#path))
        this.#inFile((rows) => {
          for (const grant of first.all()) rows.put(grant)
        })
      }
      return result
    }
    return this.#inFile(work)
  }

  #inFile<T>(work: (rows: GrantRows) => T): T {
    const db = openCacheDb(this.#path, { create: true })
    try {
      return db.transaction(() => {
        db.exec(queries.schema)
        return work({
          get: (id) => {
            const body = db.value<string>(queries.get, { id })
            return body === undefined ? undefined : parsed(body)
          },
          put: (grant) => void db.run(queries.put, { id: grant.id, body: JSON.stringify(grant) }),
          remove: (id) => void db.run(queries.remove, { id }),
          all: () => db.column<string>(queries.all).flatMap((body) => parsed(body) ?? []),
        })
      })
    } finally {
      db.close()
    }
  }
}

/** The grants that were issued by the user of this machine. */
export const issuedGrants = (dataDir: string): GrantTable => new GrantsInFile(join(dataDir, 'grants.db'))

/** Returns undefined for a row that another version wrote in another form: such a grant allows nothing here. */
function parsed(body: string): HeldGrant | undefined {
  try {
    return HeldGrant.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw fileError(error, path)
  }
}
