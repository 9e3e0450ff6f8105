import type { Fields, Matcher } from './matcher.ts'
import { smallLetters, wordsOf } from './text-folding.ts'

/** A text that is asked whether it contains what was found in another text. */
export class FoundText {
  readonly #text: string
  readonly #matcher: Matcher
  #folded: { readonly words: string; readonly small: string; readonly terms: readonly boolean[] } | undefined

  constructor(text: string, matcher: Matcher) {
    this.#text = text
    this.#matcher = matcher
  }

  /**
   * Returns whether this text contains every term that stands in the texts of a hit, and also the very words that the
   * snippet highlights, because a pattern or a prefix may match other words here.
   * @param found what the snippet highlights
   */
  holds(fields: Fields, found: readonly string[]): boolean {
    const { words, small, terms } = this.#fold()
    const isHere = (one: string): boolean => {
      const sought = wordsOf(one)
      return (sought.trim() !== '' && words.includes(sought)) || small.includes(smallLetters(one))
    }
    const shown = found.filter((one) => one !== '')
    if (shown.length === 0 || !shown.every(isHere)) return false
    // A single term stands in every hit, so the texts of the hit need not be folded to know that.
    const wanted = this.#matcher.termCount > 1 ? this.#matcher.holding(fields) : [true]
    return wanted.every((isWanted, term) => !isWanted || terms[term] === true)
  }

  #fold() {
    this.#folded ??= {
      words: wordsOf(this.#text),
      small: smallLetters(this.#text),
      terms: this.#matcher.holding([this.#text]),
    }
    return this.#folded
  }
}
