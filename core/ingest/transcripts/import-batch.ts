import { LONGEST_INDEXED_AT_ONCE } from '#core/sqlite/pending-index.ts'
import { BULK_BATCH, type ConversationStore, type IngestBatch } from '../conversation-store.ts'
import type { Continue } from '../message-appender.ts'
import { type NewMessage, textUnits } from '../new-message.ts'
import type { ImportReport } from './import-report.ts'

type BatchOptions = {
  readonly store: ConversationStore
  readonly report: ImportReport
  /** Creates the conversation of a session when there is none. */
  readonly conversationOf: (sessionId: string) => number
  readonly continued: Continue
}

/** Collects messages and writes them in transactions that are short enough for other writers. */
export class ImportBatch {
  readonly #store: ConversationStore
  readonly #report: ImportReport
  readonly #conversationOf: (sessionId: string) => number
  readonly #continued: Continue
  #groups: { readonly sessionId: string; readonly messages: NewMessage[] }[] = []
  #messages = 0
  #textUnits = 0

  constructor({ store, report, conversationOf, continued }: BatchOptions) {
    this.#store = store
    this.#report = report
    this.#conversationOf = conversationOf
    this.#continued = continued
  }

  get isFull(): boolean {
    return this.#messages >= BULK_BATCH.messages || this.#textUnits >= BULK_BATCH.textUnits
  }

  add(sessionId: string, message: NewMessage): void {
    const units = textUnits(message)
    // A long message is written in a transaction of its own.
    if (this.#textUnits + units > LONGEST_INDEXED_AT_ONCE) this.write()
    let group = this.#groups.at(-1)
    if (group?.sessionId !== sessionId) {
      group = { sessionId, messages: [] }
      this.#groups.push(group)
    }
    group.messages.push(message)
    this.#messages += 1
    this.#textUnits += units
  }

  write(): void {
    if (this.#messages === 0) return
    const groups = this.#groups
    const batches = groups.map(({ sessionId, messages }): IngestBatch => {
      return { conversationId: () => this.#conversationOf(sessionId), messages }
    })
    for (const [index, result] of this.#store.ingestBulk(batches, this.#continued).entries()) {
      const id = this.#conversationOf(groups[index]?.sessionId ?? '')
      this.#report.count(id, 'added', result.added)
      this.#report.count(id, 'alreadyThere', result.alreadyThere)
      this.#report.completed += result.completed
      this.#report.conflicts += result.conflicts.length
    }
    this.#groups = []
    this.#messages = 0
    this.#textUnits = 0
  }
}
