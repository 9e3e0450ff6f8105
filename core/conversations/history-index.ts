import type { ReadDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'

/** The messages of one conversation in columns, in rank order. */
export type History = { readonly length: number }

export class HistoryIndex {
  readonly #db: ReadDb

  constructor(db: ReadDb) {
    this.#db = db
  }

  of(conversationId: number): History {
    throw new LcmError('unsupported', `not built yet: history of ${conversationId} in ${this.#db.path}`)
  }
}
