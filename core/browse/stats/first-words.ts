import type { ListedConversation } from '#core/contract/memory.ts'
import { EXCERPT_BYTES } from '#core/sqlite/opening.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { messageOpenings } from '#core/systems/message-openings.ts'
import { firstUserMessages } from '#core/systems/records/messages.ts'
import { nameOf } from '../text-name.ts'

/** The first message of a person stands among so many. */
const AMONG = 6

type Untitled = Pick<ListedConversation, 'conversationId' | 'title' | 'messages'>

/** What conversations without a title are known by. What was said first in one does not change, so it is read once. */
export class FirstWords {
  readonly #db: ReadDb
  readonly #known = new Map<number, string>()

  constructor(db: ReadDb) {
    this.#db = db
  }

  /** Returns what a person said first in those of some conversations that have no title. Call it inside a snapshot. */
  of(rows: readonly Untitled[]): ReadonlyMap<number, string> {
    const untitled = rows.filter(({ title, messages }) => messages > 0 && (title ?? '').trim() === '')
    const unknown = untitled.map(({ conversationId }) => conversationId).filter((id) => !this.#known.has(id))
    if (unknown.length > 0) {
      const first = firstUserMessages(this.#db, unknown, AMONG)
      const openings = messageOpenings(this.#db, [...first.values()], EXCERPT_BYTES)
      for (const [id, messageId] of first) {
        const name = nameOf(openings.get(messageId) ?? '')
        if (name !== '') this.#known.set(id, name)
      }
    }
    return this.#known
  }
}
