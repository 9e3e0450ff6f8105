import type { ConversationStore, IngestBatch } from '../conversation-store.ts'
import type { Continue } from '../message-appender.ts'
import type { NewMessage } from '../new-message.ts'
import type { ImportReport } from './import-report.ts'

type BatchOptions = {
  readonly store: ConversationStore
  readonly report: ImportReport
  /** Creates the conversation of a session when there is none. */
  readonly conversationOf: (sessionId: string) => number
  readonly continued: Continue
}

/** Collects messages, which are written together. */
export class ImportBatch {
  readonly #store: ConversationStore
  readonly #report: ImportReport
  readonly #conversationOf: (sessionId: string) => number
  readonly #continued: Continue
  #groups: { readonly sessionId: string; readonly messages: NewMessage[] }[] = []

  constructor({ store, report, conversationOf, continued }: BatchOptions) {
    this.#store = store
    this.#report = report
    this.#conversationOf = conversationOf
    this.#continued = continued
  }

  add(sessionId: string, message: NewMessage): void {
    const last = this.#groups.at(-1)
    if (last?.sessionId === sessionId) last.messages.push(message)
    else this.#groups.push({ sessionId, messages: [message] })
  }

  write(): void {
    if (this.#groups.length === 0) return
    const groups = this.#groups
    this.#groups = []
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
  }
}
