import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { SavedQuery } from '../contract/sql.ts'
import { LcmError } from '../errors.ts'
import { fileError } from '../sqlite/memory-file.ts'

const MOST = 500
const Stored = z.array(SavedQuery)

/** Queries that the user keeps under a name, for every memory, in one small file of the data folder. */
export class SavedQueries {
  readonly #path: string

  constructor(dataFolder: string) {
    this.#path = join(dataFolder, 'queries.json')
  }

  list(): SavedQuery[] {
    try {
      const stored = Stored.safeParse(JSON.parse(readFileSync(this.#path, 'utf8')))
      return stored.success ? stored.data : []
    } catch {
      // The file is missing or not ours, so there is none.
      return []
    }
  }

  /** Keeps a query; one of the same name is replaced. @throws LcmError unsupported when there are too many */
  save(query: SavedQuery): SavedQuery[] {
    const others = this.list().filter(({ name }) => name !== query.name)
    if (others.length >= MOST) throw new LcmError('unsupported', `${MOST} queries are kept already: remove one first.`)
    return this.#write([...others, query].sort((a, b) => a.name.localeCompare(b.name, 'en')))
  }

  remove(name: string): SavedQuery[] {
    return this.#write(this.list().filter((query) => query.name !== name))
  }

  #write(queries: SavedQuery[]): SavedQuery[] {
    const next = `${this.#path}.${process.pid}.tmp`
    try {
      mkdirSync(dirname(this.#path), { recursive: true })
      writeFileSync(next, `${JSON.stringify(queries, null, 2)}\n`, { mode: 0o600 })
      renameSync(next, this.#path)
      return queries
    } catch (error) {
      throw fileError(error, this.#path)
    }
  }
}
