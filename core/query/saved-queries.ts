import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { SavedQuery } from '../contract/sql.ts'
import { LcmError } from '../errors.ts'
import { writeWhole } from '../settings/settings-file.ts'
import { fileError } from '../sqlite/memory-file.ts'

const MOST = 500
const Stored = z.array(SavedQuery)

/** Queries that the user keeps under a name, for every memory, in one small file of the data folder. */
export class SavedQueries {
  readonly #path: string

  constructor(dataFolder: string) {
    this.#path = join(dataFolder, 'queries.json')
  }

  /** @throws LcmError invalid_argument when the file holds something else, which stays as it is; file_not_readable */
  list(): SavedQuery[] {
    const stored = Stored.safeParse(this.#stored())
    if (stored.success) return stored.data
    throw new LcmError(
      'invalid_argument',
      `${this.#path} is not a list of saved queries: correct it, or move it away and begin a new list.`,
      { path: this.#path },
    )
  }

  /** Keeps a query; one of the same name is replaced. @throws LcmError as list, unsupported when there are too many */
  save(query: SavedQuery): SavedQuery[] {
    const others = this.list().filter(({ name }) => name !== query.name)
    if (others.length >= MOST) throw new LcmError('unsupported', `${MOST} queries are kept already: remove one first.`)
    return this.#write([...others, query].sort((a, b) => a.name.localeCompare(b.name, 'en')))
  }

  /** @throws LcmError as list */
  remove(name: string): SavedQuery[] {
    return this.#write(this.list().filter((query) => query.name !== name))
  }

  /** Returns what the file holds: nothing when it is missing, undefined when it is not JSON. */
  #stored(): unknown {
    let text: string
    try {
      text = readFileSync(this.#path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw fileError(error, this.#path)
    }
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  }

  #write(queries: SavedQuery[]): SavedQuery[] {
    writeWhole(this.#path, `${JSON.stringify(queries, null, 2)}\n`)
    return queries
  }
}
