import { IdHash } from './id-hash.ts'

const FIRST_CAPACITY = 1024

/**
 * Numbers ids in the order in which they come, from 0. Of each it holds 64 bits of a hash, so that the ids of a file of
 * millions of records take 16 to 24 bytes each.
 */
export class IdNumbers {
  #count = 0
  /** Number + 1 of the id that has the place; 0: nobody. At most half are taken. */
  #places = new Uint32Array(2 * FIRST_CAPACITY)
  #hashes = new Uint32Array(2 * FIRST_CAPACITY)
  readonly #hash = new IdHash()
  /** The last id that was looked for: it is often asked for again at once. */
  #latest: { readonly id: string; readonly first: number; readonly second: number; number: number } | null = null

  get count(): number {
    return this.#count
  }

  /** -1 for one that has no number. */
  numberOf(id: string): number {
    return this.#look(id).number
  }

  has(id: string): boolean {
    return this.numberOf(id) !== -1
  }

  /** The number of an id, which it is given when it has none. */
  add(id: string): number {
    const looked = this.#look(id)
    if (looked.number !== -1) return looked.number
    const { first, second } = looked
    if (2 * (this.#count + 1) > this.#places.length) this.#grow()
    const number = this.#count
    this.#count += 1
    this.#hashes[2 * number] = first
    this.#hashes[2 * number + 1] = second
    this.#places[this.#placeOf(first, second)] = number + 1
    looked.number = number
    return number
  }

  #look(id: string) {
    if (this.#latest?.id === id) return this.#latest
    this.#hash.take(id)
    const { first, second } = this.#hash
    const number = (this.#places[this.#placeOf(first, second)] ?? 0) - 1
    this.#latest = { id, first, second, number }
    return this.#latest
  }

  /** Where the id with this hash stands, or may be put. */
  #placeOf(first: number, second: number): number {
    const mask = this.#places.length - 1
    for (let place = first & mask; ; place = (place + 1) & mask) {
      const number = (this.#places[place] ?? 0) - 1
      if (number === -1) return place
      if (this.#hashes[2 * number] === first && this.#hashes[2 * number + 1] === second) return place
    }
  }

  #grow(): void {
    const hashes = new Uint32Array(2 * this.#hashes.length)
    hashes.set(this.#hashes)
    this.#hashes = hashes
    this.#places = new Uint32Array(2 * this.#places.length)
    for (let number = 0; number < this.#count; number += 1) {
      this.#places[this.#placeOf(hashes[2 * number] ?? 0, hashes[2 * number + 1] ?? 0)] = number + 1
    }
  }
}

/** A list of small whole numbers, 4 bytes each. */
export class Numbers {
  #values = new Int32Array(FIRST_CAPACITY)

  /** 0 where nothing was set. */
  get(index: number): number {
    return this.#values[index] ?? 0
  }

  set(index: number, value: number): void {
    if (index >= this.#values.length) {
      const values = new Int32Array(Math.max(2 * this.#values.length, index + 1))
      values.set(this.#values)
      this.#values = values
    }
    this.#values[index] = value
  }
}
