import type { ReadDb } from '../../sqlite/read-db.ts'
import { conversationOf } from '../../systems/node-id.ts'

/** Any other field of an answer can be an id. These are texts of the conversation itself. */
const NO_IDS: ReadonlySet<string> = new Set([
  ...['content', 'snippet', 'excerpt', 'answer', 'notes', 'fallback', 'fileName', 'mimeType', 'explorationSummary'],
  ...[
    'kind',
    'role',
    'field',
    'level',
    'visibility',
    'state',
    'provider',
    'model',
    'promptVersion',
    'nextCursor',
    'next',
  ],
])
const LONGEST_ID = 512

/**
 * Leaves out of an answer whatever names something of another conversation. In some systems, and in damaged files, a
 * summary of one conversation covers messages of another.
 */
export class PinnedView {
  readonly #db: ReadDb
  readonly #conversationId: number
  readonly #known = new Map<string, boolean>()

  constructor(db: ReadDb, conversationId: number) {
    this.#db = db
    this.#conversationId = conversationId
  }

  of<T>(answer: T): T {
    return this.#cleaned(answer, '') as T
  }

  #cleaned(value: unknown, key: string): unknown {
    if (NO_IDS.has(key)) return value
    if (typeof value === 'string') return this.#isForeign(value) ? null : value
    if (Array.isArray(value))
      return value.filter((one) => !this.#namesForeign(one)).map((one) => this.#cleaned(one, key))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#cleaned(one, name)]))
  }

  #namesForeign(value: unknown): boolean {
    if (typeof value === 'string') return this.#isForeign(value)
    const isObject = typeof value === 'object' && value !== null
    return isObject && 'id' in value && typeof value.id === 'string' && this.#isForeign(value.id)
  }

  #isForeign(text: string): boolean {
    if (text === '' || text.length > LONGEST_ID) return false
    let isForeign = this.#known.get(text)
    if (isForeign === undefined) {
      const conversationId = conversationOf(this.#db, text)
      isForeign = conversationId !== null && conversationId !== this.#conversationId
      this.#known.set(text, isForeign)
    }
    return isForeign
  }
}
