import type { LineageOrder } from './lineage-order.ts'
import type { Links } from './links.ts'
import type { Messages } from './messages.ts'
import type { Summaries } from './summaries.ts'

type Linked = {
  readonly messages: Messages
  readonly summaries: Summaries
  readonly links: Links
  readonly order: LineageOrder
}

/**
 * What every summary stands for through all its sources, computed from links and messages alone. Stored numbers of
 * summaries are compared with these.
 */
export class SummaryExtents {
  /** Positions of the first and the last message of the summary's own conversation, or −1 when there is none. */
  first = new Int32Array(0)
  last = new Int32Array(0)
  /** Times of the earliest and the latest message that the summary stands for, or NaN when none of them has a time. */
  earliestAtMs = new Float64Array(0)
  latestAtMs = new Float64Array(0)
  messages = new Float64Array(0)
  messageTokens = new Float64Array(0)
  /** Sums over the sources: of 1 + descendants, and of tokens + tokens of the descendants. */
  descendants = new Float64Array(0)
  descendantTokens = new Float64Array(0)
  /** 0 for a summary without sources, otherwise one more than the depth of its deepest source. */
  depth = new Int32Array(0)
  /**
   * 1 when the summary has sources and, through them all, no link is broken and no cycle is met. Only then can the
   * numbers be relied on.
   */
  isWhole = new Uint8Array(0)

  /** Computes the extents, in pieces of some milliseconds. */
  static *of(linked: Linked): Generator<void, SummaryExtents> {
    const extents = new SummaryExtents()
    yield* extents.#build(linked)
    return extents
  }

  *#build({ messages, summaries, links, order }: Linked): Generator<void> {
    const length = summaries.length
    this.first = new Int32Array(length).fill(-1)
    this.last = new Int32Array(length).fill(-1)
    this.earliestAtMs = new Float64Array(length).fill(Number.NaN)
    this.latestAtMs = new Float64Array(length).fill(Number.NaN)
    this.messages = new Float64Array(length)
    this.messageTokens = new Float64Array(length)
    this.descendants = new Float64Array(length)
    this.descendantTokens = new Float64Array(length)
    this.depth = new Int32Array(length)
    this.isWhole = new Uint8Array(length)
    const isBroken = new Uint8Array(length)
    for (const { summary } of links.broken) if (summary >= 0) isBroken[summary] = 1

    let steps = 0
    for (let summary = 0; summary < length; summary += 1) {
      const own = summaries.at(summary).conversationId
      for (const place of links.messagesOf(summary)) {
        if (place < 0) continue
        const at = messages.createdAtMs[place] as number
        this.#include(summary, at, at)
        this.messages[summary] = (this.messages[summary] as number) + 1
        const tokens = messages.tokens[place] as number
        this.messageTokens[summary] = (this.messageTokens[summary] as number) + (tokens > 0 ? tokens : 0)
        if (messages.conversationAt(place) === own) this.#extend(summary, place, place)
      }
      steps += 1 + links.messagesOf(summary).length
      if (steps > 32_768) {
        steps = 0
        yield
      }
    }
    for (const summary of order.sound) {
      const { conversationId } = summaries.at(summary)
      const hasSources = (links.sources[summary] as number[]).length > 0 || links.messagesOf(summary).length > 0
      let isWhole = isBroken[summary] === 0 && hasSources
      for (const source of links.sources[summary] as number[]) {
        isWhole &&= this.isWhole[source] === 1
        this.#addSource(summary, source, summaries.at(source).tokens)
        if (summaries.at(source).conversationId !== conversationId || this.first[source] === -1) continue
        this.#extend(summary, this.first[source] as number, this.last[source] as number)
      }
      this.isWhole[summary] = isWhole ? 1 : 0
      steps += 1
      if (steps % 16_384 === 0) yield
    }
  }

  #addSource(summary: number, source: number, tokens: number): void {
    const add = (column: Float64Array, value: number): void => {
      column[summary] = (column[summary] as number) + value
    }
    add(this.messages, this.messages[source] as number)
    add(this.messageTokens, this.messageTokens[source] as number)
    add(this.descendants, 1 + (this.descendants[source] as number))
    add(this.descendantTokens, tokens + (this.descendantTokens[source] as number))
    this.depth[summary] = Math.max(this.depth[summary] as number, 1 + (this.depth[source] as number))
    this.#include(summary, this.earliestAtMs[source] as number, this.latestAtMs[source] as number)
  }

  #include(summary: number, from: number, to: number): void {
    // Every comparison with NaN is false, so a message without a time changes nothing.
    if (!((this.earliestAtMs[summary] as number) <= from) && !Number.isNaN(from)) this.earliestAtMs[summary] = from
    if (!((this.latestAtMs[summary] as number) >= to) && !Number.isNaN(to)) this.latestAtMs[summary] = to
  }

  #extend(summary: number, first: number, last: number): void {
    if (this.first[summary] === -1 || first < (this.first[summary] as number)) this.first[summary] = first
    if (last > (this.last[summary] as number)) this.last[summary] = last
  }
}
