import type { ReadDb } from '../../sqlite/read-db.ts'
import { Coverage } from './coverage.ts'
import { DagOrder } from './dag-order.ts'
import { LineageLinks } from './lineage-links.ts'
import { MessageColumns } from './message-columns.ts'
import { SummaryExtents } from './summary-extents.ts'
import { SummaryTable } from './summary-table.ts'
import { WindowItems } from './window-items.ts'

const queries = {
  conversations: /* sql */ `SELECT conversation_id AS id, archived_at AS archivedAtMs FROM conversations`,
  events: /* sql */ `SELECT message_id FROM event_messages`,
}

export type ConversationFacts = { readonly id: number; readonly archivedAtMs: number | null }

/**
 * What a memory holds, without texts, read once and in one pass: the ground of all structural checks. Messages,
 * summaries and window items are named by their places in columns.
 */
export class MemoryFacts {
  readonly conversations = new Map<number, ConversationFacts>()
  readonly messages = new MessageColumns()
  readonly summaries = new SummaryTable()
  readonly links = new LineageLinks()
  readonly window = new WindowItems()
  readonly order = new DagOrder()
  readonly extents = new SummaryExtents()
  readonly coverage = new Coverage()
  /** Places of messages that are events, not conversation. */
  readonly events = new Set<number>();

  /** Reads the file; pauses between any two pieces of some milliseconds. `recordsTokens`: see `SummaryRow`. */
  *load(db: ReadDb, recordsTokens: boolean): Generator<void> {
    for (const row of db.iterate<ConversationFacts>(queries.conversations)) this.conversations.set(row.id, row)
    yield* this.messages.load(db)
    for (const id of db.column<number>(queries.events)) this.events.add(this.messages.indexOf(id))
    yield* this.summaries.load(db, recordsTokens)
    yield* this.links.load(db, this.messages, this.summaries)
    yield* this.window.load(db, this.messages, this.summaries)
    yield* this.order.build(this.summaries, this.links)
    yield* this.extents.build(this)
    yield* this.coverage.build(this)
  }

  /** `msg_<number>` of a message by its place. */
  messageId(place: number): string {
    return `msg_${this.messages.ids[place]}`
  }

  messageConversation(place: number): number {
    return this.messages.conversations[place] as number
  }
}
