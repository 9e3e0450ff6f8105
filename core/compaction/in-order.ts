import type { Slots } from './slots.ts'

export type InOrderOptions = {
  readonly slots: Slots
  /** Asked before one is started that nobody waits for yet. */
  readonly isWanted: () => boolean
  /** Begins something else while a slot is free and nothing of the list can be begun; false when there is nothing. */
  readonly beginOther?: () => boolean
}

/** How many results may wait for a slow one before them, for each that may be at work. */
const AHEAD = 2

/**
 * Does the same work for each of a list, several at a time, and hands the results out in the order of the list. With one
 * at a time nothing is begun before it is asked for.
 */
export class InOrder<T, R> {
  readonly #list: readonly T[]
  readonly #work: (entry: T) => Promise<R>
  readonly #options: InOrderOptions
  readonly #results = new Map<number, Promise<R>>()
  #begun = 0
  #taken = 0

  /** @param work does what takes time in one of the slots */
  constructor(list: readonly T[], options: InOrderOptions, work: (entry: T) => Promise<R>) {
    this.#list = list
    this.#options = options
    this.#work = work
    options.slots.onFree(() => this.#beginMore())
  }

  /** The next entry with what came of it; undefined at the end. Rejects with what the work rejected with. */
  async take(): Promise<{ readonly entry: T; readonly result: R } | undefined> {
    const index = this.#taken
    const entry = this.#list[index]
    if (entry === undefined) return undefined
    if (this.#begun === index) this.#begin()
    this.#beginMore()
    const result = await this.#results.get(index)
    this.#results.delete(index)
    this.#taken += 1
    return { entry, result: result as R }
  }

  #beginMore(): void {
    const { slots, isWanted, beginOther } = this.#options
    if (slots.atOnce === 1) return
    const end = Math.min(this.#list.length, this.#taken + slots.atOnce * AHEAD)
    while (slots.isFree && this.#begun < end && isWanted()) this.#begin()
    while (slots.isFree && beginOther?.());
  }

  #begin(): void {
    const entry = this.#list[this.#begun]
    if (entry === undefined) return
    const result = this.#work(entry)
    // It is handled when it is taken, if it ever is.
    result.catch(() => {})
    this.#results.set(this.#begun, result)
    this.#begun += 1
  }
}
