import type { Fields, Matcher } from './matcher.ts'
import { smallLetters, wordsOf } from './text-folding.ts'

/** A text, asked whether it says what was found elsewhere. */
export class FoundText {
  readonly #text: string
  readonly #matcher: Matcher
  #folded: { readonly words: string; readonly small: string; readonly terms: readonly number[] } | undefined

  constructor(text: string, matcher: Matcher) {
    this.#text = text
    this.#matcher = matcher
  }

  /**
   * Whether every term that stands in the texts of a hit stands here, and so do the very words that its snippet shows: a
   * pattern or the beginning of a word may match something else here.
   * @param found what is highlighted in the snippet
   */
  holds(fields: Fields, found: readonly string[]): boolean {
    const { words, small, terms } = this.#fold()
    const isHere = (one: string): boolean => {
      const sought = wordsOf(one)
      return (sought.trim() !== '' && words.includes(sought)) || small.includes(smallLetters(one))
    }
    const shown = found.filter((one) => one !== '')
    if (shown.length === 0 || !shown.every(isHere)) return false
    // A single term stands in every hit: its texts need not be folded for that.
    const wanted = this.#matcher.termCount > 1 ? this.#matcher.frequencies(fields) : [1]
    return wanted.every((count, term) => count === 0 || (terms[term] ?? 0) > 0)
  }

  #fold() {
    this.#folded ??= {
      words: wordsOf(this.#text),
      small: smallLetters(this.#text),
      terms: this.#matcher.frequencies([this.#text]),
    }
    return this.#folded
  }
}
