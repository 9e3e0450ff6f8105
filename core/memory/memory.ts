import { Coverage } from './coverage.ts'
import { SummaryExtents } from './extents.ts'
import { GrowingMessages } from './growing-messages.ts'
import { type LineageOrder, lineageOrder } from './lineage-order.ts'
import { Links } from './links.ts'
import type { Messages } from './messages.ts'
import { Summaries } from './summaries.ts'
import { WindowEntries } from './window-entries.ts'

export type ConversationHead = { readonly id: number; readonly archivedAtMs: number | null }

/** What is read of a file. */
export type MemoryRows = {
  readonly conversations: ReadonlyMap<number, ConversationHead>
  readonly messages: Messages
  /** Positions of messages that record an event and are no part of the conversation. */
  readonly events: ReadonlySet<number>
  readonly summaries: Summaries
  readonly links: Links
  readonly window: WindowEntries
}

/**
 * What a file holds, without texts, and what follows from it: in which order summaries rest on each other, what each
 * stands for, and who stands for each message. It never changes. Messages are named by their positions and summaries by
 * their nodes.
 */
export class Memory implements MemoryRows {
  readonly conversations: ReadonlyMap<number, ConversationHead>
  readonly messages: Messages
  readonly events: ReadonlySet<number>
  readonly summaries: Summaries
  readonly links: Links
  readonly window: WindowEntries
  readonly order: LineageOrder
  readonly extents: SummaryExtents
  readonly coverage: Coverage

  private constructor(rows: MemoryRows, order: LineageOrder, extents: SummaryExtents, coverage: Coverage) {
    this.conversations = rows.conversations
    this.messages = rows.messages
    this.events = rows.events
    this.summaries = rows.summaries
    this.links = rows.links
    this.window = rows.window
    this.order = order
    this.extents = extents
    this.coverage = coverage
  }

  /** Of a file of which nothing has been read. */
  static empty(): Memory {
    const steps = Memory.of(NO_ROWS)
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
    }
  }

  /** Works out what follows from the rows, a piece of some milliseconds at a time. */
  static *of(rows: MemoryRows): Generator<void, Memory> {
    const order = lineageOrder(rows.links.sources)
    yield
    const extents = yield* SummaryExtents.of({ ...rows, order })
    return new Memory(rows, order, extents, yield* Coverage.of(rows))
  }

  /** `msg_<number>` of the message at a position. */
  messageId(position: number): string {
    return `msg_${this.messages.ids[position]}`
  }

  messageConversation(position: number): number {
    return this.messages.conversationAt(position)
  }
}

const NO_ROWS: MemoryRows = {
  conversations: new Map(),
  messages: new GrowingMessages(0).view(),
  events: new Set(),
  summaries: new Summaries([]),
  links: new Links(0),
  window: new WindowEntries(0, 0),
}
