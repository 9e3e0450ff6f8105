import { type Fields, FoldedText, type Matcher } from './query/matcher.ts'
import { smallLetters, wordsOf } from './query/text-folding.ts'

/** A text that is asked whether it contains what was found in another text. */
export class FoundText {
  readonly #text: FoldedText
  readonly #matcher: Matcher
  #terms: readonly boolean[] | undefined
  /** Hits of one search highlight the same words. */
  readonly #here = new Map<string, boolean>()

  constructor(text: FoldedText, matcher: Matcher) {
    this.#text = text
    this.#matcher = matcher
  }

  /**
   * Returns whether this text contains every term that stands in the texts of a hit, and also the very words that the
   * snippet highlights, because a pattern or a prefix may match other words here.
   * @param found what the snippet highlights
   */
  holds(fields: Fields, found: readonly string[]): boolean {
    const shown = found.filter((one) => one !== '')
    if (shown.length === 0 || !shown.every((one) => this.#isHere(one))) return false
    this.#terms ??= this.#matcher.holding([this.#text])
    const terms = this.#terms
    // A single term stands in every hit, so the texts of the hit need not be folded to know that.
    const wanted =
      this.#matcher.termCount > 1 ? this.#matcher.holding(fields.map((field) => new FoldedText(field))) : [true]
    return wanted.every((isWanted, term) => !isWanted || terms[term] === true)
  }

  #isHere(one: string): boolean {
    const known = this.#here.get(one)
    if (known !== undefined) return known
    const { words, small } = this.#text
    const sought = wordsOf(one)
    const isHere = (sought.trim() !== '' && words.includes(sought)) || small.includes(smallLetters(one))
    this.#here.set(one, isHere)
    return isHere
  }
}
