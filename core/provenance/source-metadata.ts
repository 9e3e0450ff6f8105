import type { Messages } from '../memory/messages.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { messageHeads } from '../systems/records/messages.ts'
import { namesOfCalls } from '../systems/records/parts.ts'

/** How many messages' calls are read at once. */
const BATCH = 10_000

/**
 * What a memory knows of messages besides their texts: the days and minutes (UTC) of writing, and the names and numbers
 * of tool calls. Summaries state both. It is read when it is first asked for.
 */
export class SourceMetadata {
  readonly #db: ReadDb
  readonly #messages: Messages
  readonly #numbers: readonly number[]
  #times: { readonly days: ReadonlySet<string>; readonly minutes: ReadonlySet<string> } | null = null
  #calls: ReadonlySet<string> | null = null

  /** @param messages the messages of the conversation to which most of `numbers` belong */
  constructor(db: ReadDb, messages: Messages, numbers: readonly number[]) {
    this.#db = db
    this.#messages = messages
    this.#numbers = numbers
  }

  /** Returns whether a source was written on this day or minute, or contains a call with this name or number. */
  readonly has = (kind: string, text: string): boolean => {
    if (kind !== 'date' && kind !== 'time') {
      this.#calls ??= this.#readCalls()
      return this.#calls.has(text.toLowerCase())
    }
    this.#times ??= this.#readTimes()
    const { days, minutes } = this.#times
    if (kind === 'time') return minutes.has(text.slice(0, 5).padStart(5, '0'))
    return days.has(text.slice(0, 10)) && (text.length <= 10 || minutes.has(text.slice(11, 16)))
  }

  #readCalls(): Set<string> {
    const calls = new Set<string>()
    for (let start = 0; start < this.#numbers.length; start += BATCH) {
      const names = namesOfCalls(this.#db, this.#numbers.slice(start, start + BATCH))
      for (const name of names) calls.add(name.toLowerCase())
    }
    return calls
  }

  #readTimes(): { days: Set<string>; minutes: Set<string> } {
    const [days, minutes] = [new Set<string>(), new Set<string>()]
    const add = (atMs: number | null): void => {
      if (atMs === null || !(Math.abs(atMs) <= 8.64e15)) return
      const iso = new Date(atMs).toISOString()
      days.add(iso.slice(0, 10))
      minutes.add(iso.slice(11, 16))
    }
    const elsewhere: number[] = []
    for (const number of this.#numbers) {
      const position = this.#messages.positionOf(number)
      if (position < 0) elsewhere.push(number)
      else add(this.#messages.createdAtMs[position] ?? null)
    }
    for (const { createdAtMs } of messageHeads(this.#db, elsewhere)) add(createdAtMs)
    return { days, minutes }
  }
}
