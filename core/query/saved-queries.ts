import { join } from 'node:path'
import { z } from 'zod'
import { SavedQuery } from '../contract/sql.ts'
import { LcmError } from '../errors.ts'
import { UserFile } from '../settings/user-file.ts'

const MOST = 500

/** Queries that the user keeps under a name, for every memory, in one small file of the data folder. */
export class SavedQueries {
  readonly #file: UserFile<SavedQuery[]>

  constructor(dataFolder: string) {
    const path = join(dataFolder, 'queries.json')
    this.#file = new UserFile({ path, schema: z.array(SavedQuery), content: 'a list of saved queries', empty: [] })
  }

  /** @throws LcmError invalid_argument when the file is damaged; file_not_readable */
  list(): SavedQuery[] {
    return this.#file.read()
  }

  /** Keeps a query; one of the same name is replaced. @throws LcmError as list, unsupported when there are too many */
  save(query: SavedQuery): Promise<SavedQuery[]> {
    return this.#file.change((before) => {
      const others = before.filter(({ name }) => name !== query.name)
      if (others.length >= MOST)
        throw new LcmError('unsupported', `${MOST} queries are kept already: remove one first.`)
      return [...others, query].sort((a, b) => a.name.localeCompare(b.name, 'en'))
    })
  }

  /** @throws LcmError as list */
  remove(name: string): Promise<SavedQuery[]> {
    return this.#file.change((before) => before.filter((query) => query.name !== name))
  }
}
