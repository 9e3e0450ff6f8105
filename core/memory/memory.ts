// Why it is so: docs/decisions/0004-one-memory.md

import { withoutYielding } from '../yielding.ts'
import { Coverage } from './coverage.ts'
import { SummaryExtents } from './extents.ts'
import { GrowingMessages } from './growing-messages.ts'
import { Lineage } from './lineage.ts'
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
 * What a file or one of its conversations holds, without texts, and what follows from it: the order of the lineage,
 * what each summary stands for, and which messages are covered. It never changes. Messages are named by their positions
 * and summaries by their nodes.
 *
 * The memory of one conversation holds its messages, its window and its summaries, oldest first. After them come its
 * *guests*: summaries of other conversations that are linked with them, which happens in files that lost track of a
 * session.
 */
export class Memory implements MemoryRows {
  readonly conversations: ReadonlyMap<number, ConversationHead>
  readonly messages: Messages
  readonly events: ReadonlySet<number>
  readonly summaries: Summaries
  readonly links: Links
  readonly window: WindowEntries
  #order: LineageOrder | undefined
  #lineage: Lineage | undefined
  #extents: SummaryExtents | undefined
  #coverage: Coverage | undefined

  constructor(rows: MemoryRows) {
    this.conversations = rows.conversations
    this.messages = rows.messages
    this.events = rows.events
    this.summaries = rows.summaries
    this.links = rows.links
    this.window = rows.window
  }

  /**
   * Returns the memory after messages were appended or the window changed. What follows from summaries and links is
   * taken over and not computed again.
   */
  grown(rows: Omit<MemoryRows, 'summaries' | 'links'>): Memory {
    const memory = new Memory({ ...rows, summaries: this.summaries, links: this.links })
    memory.#order = this.#order
    memory.#lineage = this.#lineage
    memory.#coverage = this.#coverage?.grown(memory)
    return memory
  }

  /** The memory of a file of which nothing was read. */
  static empty(): Memory {
    return new Memory(NO_ROWS)
  }

  /**
   * Computes what the rules ask for, in pieces of some milliseconds. Everything else is computed when it is first asked
   * for.
   */
  *deriving(): Generator<void> {
    this.#order ??= lineageOrder(this.links.sources)
    yield
    this.#extents ??= yield* SummaryExtents.of(this)
    yield* this.coverage.deriving()
  }

  get order(): LineageOrder {
    this.#order ??= lineageOrder(this.links.sources)
    return this.#order
  }

  get lineage(): Lineage {
    this.#lineage ??= new Lineage(this.summaries, this.links)
    return this.#lineage
  }

  get extents(): SummaryExtents {
    this.#extents ??= withoutYielding(SummaryExtents.of(this))
    return this.#extents
  }

  get coverage(): Coverage {
    this.#coverage ??= new Coverage(this)
    return this.#coverage
  }

  /** Whether a summary belongs to the conversation that was read and is no guest. */
  isOwn(node: number): boolean {
    return this.summaries.at(node).conversationId === this.messages.conversationId
  }

  /** The id `msg_<number>` of the message at a position. */
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
