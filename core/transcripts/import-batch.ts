import {
  BULK_BATCH,
  type Continue,
  type ConversationStore,
  type IngestBatch,
  LONGEST_INDEXED_AT_ONCE,
} from '../conversations/conversation-store.ts'
import { type NewMessage, textUnits } from '../conversations/new-message.ts'
import type { ImportReport } from './import-report.ts'

/** Collects messages and writes them in transactions of a size that holds nobody up. */
export class ImportBatch {
  readonly #store: ConversationStore
  readonly #report: ImportReport
  readonly #continued: Continue
  #groups: { readonly conversationId: number; readonly messages: NewMessage[] }[] = []
  #messages = 0
  #textUnits = 0

  constructor(store: ConversationStore, report: ImportReport, continued: Continue) {
    this.#store = store
    this.#report = report
    this.#continued = continued
  }

  get isFull(): boolean {
    return this.#messages >= BULK_BATCH.messages || this.#textUnits >= BULK_BATCH.textUnits
  }

  add(conversationId: number, message: NewMessage): void {
    const units = textUnits(message)
    // A long message comes alone.
    if (this.#textUnits + units > LONGEST_INDEXED_AT_ONCE) this.write()
    let group = this.#groups.at(-1)
    if (group?.conversationId !== conversationId) {
      group = { conversationId, messages: [] }
      this.#groups.push(group)
    }
    group.messages.push(message)
    this.#messages += 1
    this.#textUnits += units
  }

  write(): void {
    if (this.#messages === 0) return
    const groups: readonly IngestBatch[] = this.#groups
    for (const [index, result] of this.#store.ingestBulk(groups, this.#continued).entries()) {
      const id = groups[index]?.conversationId ?? 0
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
