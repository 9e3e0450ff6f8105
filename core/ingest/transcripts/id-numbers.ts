import { IdHash } from './id-hash.ts'

/** Most transcripts are short, and each has several of these lists. */
const FIRST_CAPACITY = 64

/**
 * Numbers ids from 0 in the order of their arrival. It holds 64 bits of each id's hash, so that millions of ids take 16
 * to 24 bytes each.
 */
export class IdNumbers {
  #count = 0
  /** A place holds the number of its id plus 1, or 0 when it is empty. At most half of the places are taken. */
  #places = new Uint32Array(2 * FIRST_CAPACITY)
  #hashes = new Uint32Array(2 * FIRST_CAPACITY)
  readonly #hash = new IdHash()
  /** The last id is remembered, because it is often looked up again at once. */
  #latest: { readonly id: string; readonly first: number; readonly second: number; number: number } | null = null

  get count(): number {
    return this.#count
  }

  /** Returns -1 for an id without a number. */
  numberOf(id: string): number {
    return this.#look(id).number
  }

  has(id: string): boolean {
    return this.numberOf(id) !== -1
  }

  /** Returns the number of an id, and gives it one if it has none. */
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

  /** Finds the place of the id with this hash, or the free place for it. */
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

/** A list of small whole numbers takes 4 bytes for each. */
export class Numbers {
  #values = new Int32Array(FIRST_CAPACITY)

  /** Returns 0 where nothing was set. */
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
