import type { ReadDb } from '../../sqlite/read-db.ts'
import type { MessageColumns } from './message-columns.ts'
import { grown } from './packed.ts'
import type { SummaryTable } from './summary-table.ts'

const queries = {
  items: /* sql */ `
    SELECT conversation_id, ordinal, item_type = 'summary', message_id, summary_id
    FROM context_items
    ORDER BY conversation_id, ordinal`,
}

/** Rows between two pauses. */
const AT_ONCE = 8192

/** The windows of all conversations, each in its order. */
export class WindowItems {
  length = 0
  conversations = new Float64Array(0)
  ordinals = new Float64Array(0)
  isSummary = new Uint8Array(0)
  /** The place of the message or summary in its table; −1 when it does not exist. */
  targets = new Int32Array(0)
  /** What items name that lead nowhere, by their place. */
  readonly danglingIds = new Map<number, string>()
  /** How often each message and each summary is listed, at most 255. */
  messageCounts = new Uint8Array(0)
  summaryCounts = new Uint8Array(0);

  *load(db: ReadDb, messages: MessageColumns, summaries: SummaryTable): Generator<void> {
    this.messageCounts = new Uint8Array(messages.length)
    this.summaryCounts = new Uint8Array(summaries.length)
    type Row = [
      conversation: number,
      ordinal: number,
      isSummary: number,
      message: number | null,
      summary: string | null,
    ]
    for (const [conversation, ordinal, isSummary, messageId, summaryId] of db.iterateRaw<Row>(queries.items)) {
      const at = this.length
      if (at === this.ordinals.length) this.#grow(2 * at + AT_ONCE)
      this.conversations[at] = conversation
      this.ordinals[at] = ordinal
      this.isSummary[at] = isSummary
      const target = isSummary ? summaries.indexOf(summaryId ?? '') : messages.indexOf(messageId ?? Number.NaN)
      this.targets[at] = target
      this.length += 1
      if (target < 0)
        this.danglingIds.set(at, (isSummary ? summaryId : messageId === null ? null : `msg_${messageId}`) ?? 'nothing')
      else {
        const counts = isSummary ? this.summaryCounts : this.messageCounts
        counts[target] = Math.min(255, (counts[target] as number) + 1)
      }
      if (at % AT_ONCE === 0) yield
    }
  }

  #grow(length: number): void {
    this.conversations = grown(this.conversations, length)
    this.ordinals = grown(this.ordinals, length)
    this.isSummary = grown(this.isSummary, length)
    this.targets = grown(this.targets, length)
  }
}
