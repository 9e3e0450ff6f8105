import type { Memory } from '#core/memory/memory.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { type PrunedOutput, readPruned } from '#core/systems/reading/pruned-outputs.ts'
import { storedPlacements } from '../placements.ts'
import { type LoggedEvent, readingReplacementsAfter } from './event-log.ts'
import { messagesAt, newestAt } from './point.ts'
import { LinkedWindow } from './undo.ts'
import { ownSummaries } from './window-rule.ts'

type Entry = number | string

/** Replacements that are undone between two yields: some milliseconds. */
const AT_ONCE = 256

/**
 * Works out the active tokens right after each event in the log. The replacements are undone one by one from the stored
 * window backwards, as for the window at a single moment. The values are null from the event on (backwards) that the
 * replacements do not reach.
 */
export function* countingLoggedTokens(
  db: ReadDb,
  memory: Memory,
  events: readonly LoggedEvent[],
): Generator<void, (number | null)[]> {
  const tokens = new Array<number | null>(events.length).fill(null)
  if (events.length === 0) return tokens
  const { conversationId } = memory.messages
  const replacements = yield* readingReplacementsAfter(db, conversationId, 0, () => false)
  const stored = storedPlacements(memory)
  const count = new TokenCount(memory, readPruned(db, conversationId))
  if (!replacements || !stored.every((entry) => count.addOnce(entry))) return tokens
  const window = new LinkedWindow(stored)
  const places = new Map(events.map((event, index) => [event.eventId, index]))
  for (const [index, { placed, removed, eventId }] of replacements.entries()) {
    if (index % AT_ONCE === 0) yield
    const place = eventId === undefined ? undefined : places.get(eventId)
    const event = place === undefined ? undefined : events[place]
    if (event && place !== undefined) tokens[place] = count.at(event)
    if (!window.replace(placed, removed)) return tokens
    for (const entry of placed) count.remove(entry)
    for (const entry of removed) count.add(entry)
  }
  return tokens
}

/** Returns the tokens of the present window. */
export function storedTokens({ window, messages, summaries }: Memory): number {
  let tokens = 0
  for (let item = 0; item < window.length; item += 1) {
    const target = window.targets[item] as number
    if (target < 0) continue
    tokens += Math.max(0, window.isSummary[item] === 1 ? summaries.at(target).tokens : messages.tokensAt(target))
  }
  return tokens
}

/** Adds up the entries of a window that existed at a moment, for moments in descending order. */
class TokenCount {
  readonly #memory: Memory
  readonly #isThere: Uint8Array
  /** Entries that `addOnce` was given and that are no messages of the conversation. */
  readonly #others = new Set<Entry>()
  /** Pruned tokens of messages at the moment, by number. */
  readonly #pruned = new Map<number, number>()
  /** Sorted, newest last. */
  readonly #outputs: PrunedOutput[]
  /** The tokens of all entries. */
  #all = 0
  /** The tokens of messages from a position on, which did not exist yet. */
  #later = 0
  #firstLater: number

  constructor(memory: Memory, outputs: readonly PrunedOutput[]) {
    this.#memory = memory
    this.#isThere = new Uint8Array(memory.messages.length)
    this.#firstLater = memory.messages.length
    this.#outputs = outputs.toSorted((a, b) => a.newestSeq - b.newestSeq || a.atMs - b.atMs)
    for (const { messageId, tokens } of outputs) {
      this.#pruned.set(messageId, (this.#pruned.get(messageId) ?? 0) + tokens)
    }
  }

  /** Returns false, and counts nothing, for an entry that was added before in this way. */
  addOnce(entry: Entry): boolean {
    const position = typeof entry === 'string' ? -1 : this.#memory.messages.positionOf(entry)
    if (position < 0 ? this.#others.has(entry) : this.#isThere[position] === 1) return false
    if (position < 0) this.#others.add(entry)
    this.add(entry)
    return true
  }

  add(entry: Entry): void {
    this.#count(entry, 1)
  }

  remove(entry: Entry): void {
    this.#count(entry, -1)
  }

  at(event: LoggedEvent): number {
    this.#unprune(event)
    const first = messagesAt(event, this.#memory)
    for (let position = first; position < this.#firstLater; position += 1) this.#later += this.#present(position)
    for (let position = this.#firstLater; position < first; position += 1) this.#later -= this.#present(position)
    this.#firstLater = first
    return this.#all - this.#later
  }

  #unprune(event: LoggedEvent): void {
    const newestSeq = newestAt(event, this.#memory)
    const isLater = (output: PrunedOutput): boolean =>
      output.newestSeq > newestSeq || (output.newestSeq === newestSeq && output.atMs > event.atMs)
    for (let output = this.#outputs.at(-1); output && isLater(output); output = this.#outputs.at(-1)) {
      this.#outputs.pop()
      const { messageId, tokens } = output
      const isHere = this.#isThere[this.#memory.messages.positionOf(messageId)] === 1
      if (isHere) this.remove(messageId)
      this.#pruned.set(messageId, (this.#pruned.get(messageId) ?? 0) - tokens)
      if (isHere) this.add(messageId)
    }
  }

  #count(entry: Entry, sign: 1 | -1): void {
    const { messages, summaries } = this.#memory
    if (typeof entry === 'string') {
      this.#all += sign * Math.max(0, summaries.rows[summaries.nodeOf(entry)]?.tokens ?? 0)
      return
    }
    const position = messages.positionOf(entry)
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
    const { messages } = this.#memory
    const pruned = this.#pruned.get(messages.ids[position] as number) ?? 0
    return Math.max(0, Math.max(0, messages.tokensAt(position)) - pruned)
  }
}

/**
 * Works out the active tokens right after each event of a file without a log: those of every existing summary without a
 * dependent, and of every message up to then that none of these covers (see `reconstruct`).
 */
export function* inferringTokens(memory: Memory, events: readonly LoggedEvent[]): Generator<void, number[]> {
  const { summaries, coverage } = memory
  const tops = new Tops(memory)
  const logged = new Set(events.map((event) => event.summaryId))
  let unlogged = ownSummaries(memory).filter((node) => !logged.has(summaries.at(node).id))
  const tokens: number[] = []
  for (const [index, event] of events.entries()) {
    if (index % AT_ONCE === 0) yield
    const node = summaries.nodeOf(event.summaryId)
    if (node >= 0 && memory.isOwn(node)) tops.make(node)
    const newestSeq = newestAt(event, memory)
    unlogged = unlogged.filter((other) => {
      const isMade =
        (summaries.at(other).createdAtMs ?? Number.NEGATIVE_INFINITY) <= event.atMs &&
        (coverage.seqRange(other)?.lastSeq ?? -1) <= newestSeq
      if (isMade) tops.make(other)
      return !isMade
    })
    tokens.push(tops.tokensOfFirst(messagesAt(event, memory)))
  }
  return tokens
}

/** The summaries without a dependent, and the messages that none of them covers. */
class Tops {
  readonly #memory: Memory
  readonly #isMade: Uint8Array
  /** The number of such summaries that cover each message. */
  readonly #covers: Uint16Array
  #summaryTokens = 0
  /** The tokens of the messages below a position that no such summary covers. */
  #messageTokens = 0
  #positions = 0

  constructor(memory: Memory) {
    this.#memory = memory
    this.#isMade = new Uint8Array(memory.summaries.length)
    this.#covers = new Uint16Array(memory.messages.length)
  }

  make(index: number): void {
    if (this.#isMade[index] === 1) return
    const below = (this.#memory.links.sources[index] ?? []).filter((source) => source !== index && this.#isTop(source))
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
    const { dependents } = this.#memory.links
    return this.#isMade[index] === 1 && !dependents[index]?.some((dependent) => this.#isMade[dependent] === 1)
  }

  #stand(index: number, sign: 1 | -1): void {
    const { summaries, coverage } = this.#memory
    this.#summaryTokens += sign * Math.max(0, summaries.at(index).tokens)
    const ranges = coverage.reach(index)
    for (let end = 0; end < ranges.length; end += 2) {
      for (let position = ranges[end] as number; position < (ranges[end + 1] as number); position += 1) {
        const before = this.#uncovered(position)
        this.#covers[position] = (this.#covers[position] as number) + sign
        if (position < this.#positions) this.#messageTokens += this.#uncovered(position) - before
      }
    }
  }

  #uncovered(position: number): number {
    return this.#covers[position] === 0 ? Math.max(0, this.#memory.messages.tokensAt(position)) : 0
  }
}
