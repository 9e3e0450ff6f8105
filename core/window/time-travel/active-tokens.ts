import type { SummaryGraph } from '../../memory/summary-graph.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import { type PrunedOutput, readPruned } from '../../systems/pruned-outputs.ts'
import { type LoggedEvent, readReplacementsAfter } from './event-log.ts'
import { messagesAt, newestAt } from './point.ts'
import { LinkedWindow } from './undo.ts'
import { isOwn } from './window-rule.ts'

const queries = {
  window: /* sql */ `
    SELECT coalesce(message_id, CAST(summary_id AS TEXT)) FROM context_items
    WHERE conversation_id = :conversationId AND coalesce(message_id, summary_id) IS NOT NULL
    ORDER BY ordinal`,
}

type Entry = number | string

/**
 * Active tokens right after each event that the log tells of: the replacements are undone one by one from the stored
 * window backwards, as for the window at a single moment. Null from the event on (backwards) to which they do not lead.
 */
export function loggedActiveTokens(db: ReadDb, graph: SummaryGraph, events: readonly LoggedEvent[]): (number | null)[] {
  const tokens = new Array<number | null>(events.length).fill(null)
  const { conversationId } = graph.history
  const replacements = readReplacementsAfter(db, conversationId, 0, () => false)
  const stored = db.column<Entry>(queries.window, { conversationId })
  if (!replacements || new Set(stored).size < stored.length) return tokens
  const window = new LinkedWindow(stored)
  const count = new TokenCount(graph, readPruned(db, conversationId))
  for (const entry of stored) count.add(entry)
  const places = new Map(events.map((event, index) => [event.eventId, index]))
  for (const { placed, removed, eventId } of replacements) {
    const place = eventId === undefined ? undefined : places.get(eventId)
    const event = place === undefined ? undefined : events[place]
    if (event && place !== undefined) tokens[place] = count.at(event)
    if (!window.replace(placed, removed)) return tokens
    for (const entry of placed) count.remove(entry)
    for (const entry of removed) count.add(entry)
  }
  return tokens
}

/** Adds up the entries of a window that were there at a moment, while the moments go backwards. */
class TokenCount {
  readonly #graph: SummaryGraph
  readonly #isThere: Uint8Array
  /** What is pruned of messages at the moment, by number. */
  readonly #pruned = new Map<number, number>()
  /** Newest last. */
  readonly #outputs: PrunedOutput[]
  /** Of all entries. */
  #all = 0
  /** Of those that are messages from a position on, which had not come yet. */
  #later = 0
  #firstLater: number

  constructor(graph: SummaryGraph, outputs: readonly PrunedOutput[]) {
    this.#graph = graph
    this.#isThere = new Uint8Array(graph.history.length)
    this.#firstLater = graph.history.length
    this.#outputs = outputs.toSorted((a, b) => a.newestSeq - b.newestSeq || a.atMs - b.atMs)
    for (const { messageId, tokens } of outputs) {
      this.#pruned.set(messageId, (this.#pruned.get(messageId) ?? 0) + tokens)
    }
  }

  add(entry: Entry): void {
    this.#count(entry, 1)
  }

  remove(entry: Entry): void {
    this.#count(entry, -1)
  }

  at(event: LoggedEvent): number {
    this.#unprune(event)
    const first = messagesAt(event, this.#graph)
    for (let position = first; position < this.#firstLater; position += 1) this.#later += this.#present(position)
    for (let position = this.#firstLater; position < first; position += 1) this.#later -= this.#present(position)
    this.#firstLater = first
    return this.#all - this.#later
  }

  #unprune(event: LoggedEvent): void {
    const newestSeq = newestAt(event, this.#graph)
    const isLater = (output: PrunedOutput): boolean =>
      output.newestSeq > newestSeq || (output.newestSeq === newestSeq && output.atMs > event.atMs)
    for (let output = this.#outputs.at(-1); output && isLater(output); output = this.#outputs.at(-1)) {
      this.#outputs.pop()
      const { messageId, tokens } = output
      const isHere = this.#isThere[this.#graph.history.positionOf(messageId)] === 1
      if (isHere) this.remove(messageId)
      this.#pruned.set(messageId, (this.#pruned.get(messageId) ?? 0) - tokens)
      if (isHere) this.add(messageId)
    }
  }

  #count(entry: Entry, sign: 1 | -1): void {
    const { history, nodes } = this.#graph
    if (typeof entry === 'string') {
      this.#all += sign * Math.max(0, nodes[this.#graph.indexOf(entry)]?.tokens ?? 0)
      return
    }
    const position = history.positionOf(entry)
    if (position < 0) return
    const tokens = this.#tokensAt(position)
    this.#isThere[position] = sign === 1 ? 1 : 0
    this.#all += sign * tokens
    if (position >= this.#firstLater) this.#later += sign * tokens
  }

  #present(position: number): number {
    return this.#isThere[position] === 1 ? this.#tokensAt(position) : 0
  }

  #tokensAt(position: number): number {
    const { history } = this.#graph
    const pruned = this.#pruned.get(history.ids[position] as number) ?? 0
    return Math.max(0, Math.max(0, history.tokensAt(position)) - pruned)
  }
}

/**
 * Active tokens right after each event of a file whose log does not tell: of every summary that had been made and from
 * which none had been made yet, and of every message up to then that none of these stands for (see `reconstruct`).
 */
export function inferredActiveTokens(graph: SummaryGraph, events: readonly LoggedEvent[]): number[] {
  const tops = new Tops(graph)
  const logged = new Set(events.map((event) => event.summaryId))
  let unlogged = graph.nodes.flatMap((node, index) => (isOwn(graph, node) && !logged.has(node.id) ? [index] : []))
  return events.map((event) => {
    const index = graph.indexOf(event.summaryId)
    const node = graph.nodes[index]
    if (node && isOwn(graph, node)) tops.make(index)
    const newestSeq = newestAt(event, graph)
    unlogged = unlogged.filter((other) => {
      const each = graph.nodes[other]
      const isMade =
        each &&
        (each.createdAtMs ?? Number.NEGATIVE_INFINITY) <= event.atMs &&
        (graph.seqSpan(each)?.lastSeq ?? -1) <= newestSeq
      if (isMade) tops.make(other)
      return !isMade
    })
    return tops.tokensOfFirst(messagesAt(event, graph))
  })
}

/** The summaries from which nothing has been made yet, and the messages that none of them stands for. */
class Tops {
  readonly #graph: SummaryGraph
  readonly #isMade: Uint8Array
  /** How many tops stand for each message. */
  readonly #covers: Uint16Array
  #summaryTokens = 0
  /** Of the messages below a position that no top stands for. */
  #messageTokens = 0
  #positions = 0

  constructor(graph: SummaryGraph) {
    this.#graph = graph
    this.#isMade = new Uint8Array(graph.nodes.length)
    this.#covers = new Uint16Array(graph.history.length)
  }

  make(index: number): void {
    if (this.#isMade[index] === 1) return
    const below = (this.#graph.sources[index] ?? []).filter((source) => source !== index && this.#isTop(source))
    this.#isMade[index] = 1
    for (const source of new Set(below)) this.#stand(source, -1)
    if (this.#isTop(index)) this.#stand(index, 1)
  }

  tokensOfFirst(messages: number): number {
    while (this.#positions < messages) this.#messageTokens += this.#uncovered(this.#positions++)
    while (this.#positions > messages) this.#messageTokens -= this.#uncovered(--this.#positions)
    return this.#summaryTokens + this.#messageTokens
  }

  #isTop(index: number): boolean {
    const { dependents } = this.#graph
    return this.#isMade[index] === 1 && !dependents[index]?.some((dependent) => this.#isMade[dependent] === 1)
  }

  #stand(index: number, sign: 1 | -1): void {
    const node = this.#graph.nodes[index]
    if (!node) return
    this.#summaryTokens += sign * Math.max(0, node.tokens)
    for (let i = 0; i < node.ranges.length; i += 2) {
      for (let position = node.ranges[i] as number; position < (node.ranges[i + 1] as number); position += 1) {
        const before = this.#uncovered(position)
        this.#covers[position] = (this.#covers[position] as number) + sign
        if (position < this.#positions) this.#messageTokens += this.#uncovered(position) - before
      }
    }
  }

  #uncovered(position: number): number {
    return this.#covers[position] === 0 ? Math.max(0, this.#graph.history.tokensAt(position)) : 0
  }
}
