import type { Slots } from './slots.ts'

export type InOrderOptions = {
  readonly slots: Slots
  /** Asked before work is started ahead of the entry that is needed next. */
  readonly isWanted: () => boolean
  /** Begins other work when a slot is free and no entry of the list can be begun. Returns false when there is none. */
  readonly beginOther?: () => boolean
}

/** For each slot, this many results may wait for a slow one before them. */
const AHEAD = 2

/**
 * Does the same work for each entry of a list, several at a time, and returns the results in the order of the list.
 * With one at a time, no entry is begun before its result is asked for.
 */
export class InOrder<T, R> {
  readonly #list: readonly T[]
  readonly #work: (entry: T) => Promise<R>
  readonly #options: InOrderOptions
  readonly #results = new Map<number, Promise<R>>()
  #begun = 0
  #taken = 0

  /** @param work the work that takes time, in one of the slots */
  constructor(list: readonly T[], options: InOrderOptions, work: (entry: T) => Promise<R>) {
    this.#list = list
    this.#options = options
    this.#work = work
    options.slots.onFree(() => this.#beginMore())
  }

  /** Returns the next entry with its result, or undefined at the end. Rejects when the work of this entry rejected. */
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
    // The error is handled when the result is taken.
    result.catch(() => {})
    this.#results.set(this.#begun, result)
    this.#begun += 1
  }
}
