import type { Survival, SurvivalColumns, SurvivalColumnsInput, SurvivalInput } from '../contract/trace.ts'
import { keepRecent } from '../keeping.ts'
import { EVENT } from '../memory/coverage.ts'
import type { Memory } from '../memory/memory.ts'
import type { Summaries } from '../memory/summaries.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { TimeSlice } from '../yielding.ts'
import { DetailCounter, type DetailCounterOptions } from './detail-counter.ts'
import type { GivenWindow } from './given-window.ts'
import { windowIds } from './node-texts.ts'

/** For each message by its position: how many details it has, and how many of them the model is given. */
export type SurvivalCounts = {
  /** The memory of which this was counted. Messages that were appended since are given themselves. */
  readonly memory: Memory
  readonly given: GivenWindow
  /** −1 for a message that the model is given itself, `UNCOUNTED` for one that nobody has asked about. */
  readonly details: Int32Array
  readonly kept: Int32Array
  notes: readonly string[]
}

const UNCOUNTED = -2
/** The messages of a batch share what a comparison reads of the window. */
const MESSAGES_AT_ONCE = 200
/** When an answer needs more than this share of a conversation counted, everything that is left is counted. */
const MOST_OF_WHOLE = 0.5
/** Conversations of which the counts are kept. */
const MOST_KEPT = 8

export type SurvivalOptions = DetailCounterOptions & { readonly reader: MemoryReader }

type Running = {
  readonly of: SurvivalCounts
  readonly counted: Promise<SurvivalCounts>
  readonly abort: AbortController
  waiting: number
}

/** Counts for every message how many of its details still stand in something that the model is given. */
export class SurvivalCounter {
  readonly #options: SurvivalOptions
  /** The counts of conversations, the least recently used first. */
  readonly #kept = new Map<number, SurvivalCounts>()
  readonly #running = new Map<number, Running>()

  constructor(options: SurvivalOptions) {
    this.#options = options
  }

  /** Returns the counts of the window as it is now, as far as they were made. */
  known(memory: Memory): SurvivalCounts {
    const { conversationId } = memory.messages
    const kept = this.#kept.get(conversationId)
    const given = this.#options.indexes.given(memory)
    const counted = kept && isCountOf(kept, memory, given) ? kept : uncounted(memory, given)
    return keepRecent(this.#kept, conversationId, counted, MOST_KEPT)
  }

  /** @throws LcmError not_found, cancelled */
  async columns(
    { conversationId, firstMessages, counts }: SurvivalColumnsInput,
    signal?: AbortSignal,
  ): Promise<SurvivalColumns> {
    const memory = await this.#memory(conversationId)
    const counted = await this.#countedFor(memory, firstMessages, counts, signal)
    const sum = (of: Int32Array, column: number): number => {
      const first = memory.messages.positionOf(firstMessages[column] ?? Number.NaN)
      let total = 0
      // What the model is given itself counts −1.
      for (const value of first < 0 ? [] : of.subarray(first, first + (counts[column] ?? 0)))
        total += Math.max(0, value)
      return total
    }
    const columns = [...firstMessages.keys()]
    return {
      details: columns.map((column) => sum(counted.details, column)),
      kept: columns.map((column) => sum(counted.kept, column)),
    }
  }

  /** @throws LcmError not_found, cancelled */
  async of({ conversationId, offset, limit }: SurvivalInput, signal?: AbortSignal): Promise<Survival> {
    const memory = await this.#memory(conversationId)
    const counted = await this.#counted(memory, signal)
    const { messages } = memory
    const positions = Array.from(messages.ids.subarray(offset, offset + limit), (_, index) => offset + index)
    let [totalDetails, totalKept] = [0, 0]
    for (let position = 0; position < counted.details.length; position += 1) {
      if ((counted.details[position] as number) <= 0) continue
      totalDetails += counted.details[position] as number
      totalKept += counted.kept[position] as number
    }
    return {
      conversationId,
      messages: messages.length,
      offset,
      id: positions.map((position) => memory.messageId(position)),
      details: positions.map((position) => counted.details[position] ?? -1),
      kept: positions.map((position) => counted.kept[position] ?? -1),
      totalDetails,
      totalKept,
      notes: [...counted.notes],
    }
  }

  /** Counts the messages of some ranges that were not counted before, or all that are left when these are most of them. */
  async #countedFor(
    memory: Memory,
    firstMessages: readonly number[],
    counts: readonly number[],
    signal: AbortSignal | undefined,
  ): Promise<SurvivalCounts> {
    const counted = this.known(memory)
    const wanted: number[] = []
    for (const [column, number] of firstMessages.entries()) {
      const first = memory.messages.positionOf(number)
      for (let place = 0; first >= 0 && place < (counts[column] ?? 0); place += 1)
        if (counted.details[first + place] === UNCOUNTED) wanted.push(first + place)
    }
    if (wanted.length === 0) return counted
    const isMost = wanted.length > memory.messages.length * MOST_OF_WHOLE
    if (isMost || this.#running.has(memory.messages.conversationId)) return this.#counted(memory, signal)
    return countSurvival(this.#options, counted, wanted, signal)
  }

  async #memory(conversationId: number): Promise<Memory> {
    const { reader } = this.#options
    await reader.prepareMemory(conversationId)
    return reader.memory(conversationId)
  }

  /** Several callers wait for one count. It is stopped when the last of them has gone. */
  async #counted(memory: Memory, signal: AbortSignal | undefined): Promise<SurvivalCounts> {
    const { conversationId } = memory.messages
    const counted = this.known(memory)
    if (!counted.details.includes(UNCOUNTED)) return counted
    const known = this.#running.get(conversationId)
    const running = known?.of === counted && !known.abort.signal.aborted ? known : this.#begin(counted)
    running.waiting += 1
    const leave = (): void => {
      running.waiting -= 1
      if (running.waiting === 0) running.abort.abort()
    }
    signal?.addEventListener('abort', leave, { once: true })
    try {
      return await running.counted
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  #begin(of: SurvivalCounts): Running {
    const { conversationId } = of.memory.messages
    const abort = new AbortController()
    const left = Array.from(of.details.keys()).filter((position) => of.details[position] === UNCOUNTED)
    const counted = countSurvival(this.#options, of, left, abort.signal).finally(() => {
      if (this.#running.get(conversationId) === running) this.#running.delete(conversationId)
    })
    const running: Running = { of, counted, abort, waiting: 0 }
    this.#running.set(conversationId, running)
    return running
  }
}

/** Whether the model is given all that it was, nothing came but appended messages, and no summary was written anew. */
function isCountOf({ memory: before, given: was }: SurvivalCounts, memory: Memory, given: GivenWindow): boolean {
  if (before === memory) return true
  if (was.leftOut.symmetricDifference(given.leftOut).size > 0) return false
  const added = memory.messages.length - before.messages.length
  if (added < 0 || memory.window.length - before.window.length !== added) return false
  const last = before.messages.length - 1
  if (last >= 0 && before.messages.ids[last] !== memory.messages.ids[last]) return false
  if (!areSameTexts(before.summaries, memory.summaries)) return false
  const ids = windowIds(memory)
  return windowIds(before).every((id, index) => id === ids[index])
}

/** Surgery writes the text of a summary anew under the same id: then its hash differs, or its tokens where it has no hash. */
const areSameTexts = (before: Summaries, now: Summaries): boolean =>
  before.length === now.length &&
  before.rows.every(({ id, hash, tokens }, node) => {
    const row = now.at(node)
    return id === row.id && hash === row.hash && tokens === row.tokens
  })

/** Returns counts in which only the messages that the model is given themselves are known. */
function uncounted(memory: Memory, given: GivenWindow): SurvivalCounts {
  const { messages, coverage } = memory
  const details = new Int32Array(messages.length)
  const kept = new Int32Array(messages.length)
  for (let position = 0; position < messages.length; position += 1) {
    const state = coverage.messageStates[position]
    if (given.has({ position })) details[position] = kept[position] = -1
    else if (state !== EVENT) details[position] = UNCOUNTED
  }
  return { memory, given, details, kept, notes: [] }
}

/** Counts messages by their positions, in slices. The work grows in proportion to the texts. */
async function countSurvival(
  asked: DetailCounterOptions,
  counted: SurvivalCounts,
  positions: readonly number[],
  signal: AbortSignal | undefined,
): Promise<SurvivalCounts> {
  const slice = new TimeSlice(signal, 'Counting was cancelled.')
  const counter = await DetailCounter.of(asked, counted.memory, slice)
  counted.notes = counter.notes
  for (let from = 0; from < positions.length; from += MESSAGES_AT_ONCE) {
    const some = positions.slice(from, from + MESSAGES_AT_ONCE)
    for (const [position, count] of await counter.count(some, slice)) {
      counted.details[position] = count.details
      counted.kept[position] = count.kept
    }
  }
  return counted
}
