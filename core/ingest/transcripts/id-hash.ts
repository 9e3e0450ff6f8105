import { getRandomValues } from 'node:crypto'
import { sha256 } from '#core/hashing.ts'

/** Longer texts are first hashed by the system's library, which is faster for them. */
const LONGEST_SHORT = 256

/**
 * Computes 64 bits of a hash with a secret key, for tables in memory. Nobody can choose ids that collide, and a short
 * id costs a quarter of a call of the system's library. HalfSipHash-2-4 over UTF-16 units:
 * https://github.com/veorq/SipHash
 */
export class IdHash {
  /** The two halves of the hash of the last text. */
  first = 0
  second = 0
  readonly #key = getRandomValues(new Int32Array(2))

  take(text: string): void {
    const told = text.toWellFormed()
    this.#mix(told.length > LONGEST_SHORT ? sha256(told) : told, told.length)
  }

  #mix(text: string, length: number): void {
    const [key0 = 0, key1 = 0] = this.#key
    let v0 = key0
    let v1 = key1 ^ 0xee
    let v2 = key0 ^ 0x6c796765
    let v3 = key1 ^ 0x74656462
    const units = text.length
    const end = units + (units & 1)
    // A word holds two units. The length follows (so that no text is the beginning of another, and no digest equals a
    // text), then the end.
    for (let index = 0; index < end + 10; index += 2) {
      let word = 0
      if (index + 1 < units) word = text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16)
      else if (index < units) word = text.charCodeAt(index)
      else if (index === end) word = length
      else if (index === end + 2) v2 ^= 0xee
      else if (index === end + 6) {
        this.first = (v1 ^ v3) >>> 0
        v1 ^= 0xdd
      }
      v3 ^= word
      for (let round = 0; round < 2; round += 1) {
        v0 = (v0 + v1) | 0
        v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
        v0 = (v0 << 16) | (v0 >>> 16)
        v2 = (v2 + v3) | 0
        v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
        v0 = (v0 + v3) | 0
        v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
        v2 = (v2 + v1) | 0
        v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
        v2 = (v2 << 16) | (v2 >>> 16)
      }
      v0 ^= word
    }
    this.second = (v1 ^ v3) >>> 0
  }
}
