/** Thrown where a pattern holds what its reader does not know. */
export class Unread extends Error {}

/** Escapes that stand for one character. */
const CONTROLS: Readonly<Record<string, string>> = { a: '\u0007', f: '\f', t: '\t', n: '\n', r: '\r', v: '\v' }

/** A place in a pattern. */
export class PatternCursor {
  readonly #characters: readonly string[]
  #at = 0

  constructor(pattern: string) {
    this.#characters = [...pattern]
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#characters.length
  }

  get next(): string | undefined {
    return this.#characters[this.#at]
  }

  /** What stands so many characters behind the next one. */
  ahead(count: number): string | undefined {
    return this.#characters[this.#at + count]
  }

  /** @throws Unread at the end */
  pass(): string {
    const character = this.next
    if (character === undefined) throw new Unread()
    this.#at += 1
    return character
  }

  /** Passes over a text if it stands here. */
  take(text: string): boolean {
    const characters = [...text]
    if (!characters.every((character, i) => this.#characters[this.#at + i] === character)) return false
    this.#at += characters.length
    return true
  }

  /** What stands up to a character, which is passed over. */
  until(end: string): string {
    let text = ''
    for (let character = this.pass(); character !== end; character = this.pass()) text += character
    return text
  }

  /** So many characters, and less at the end. */
  some(count: number): string {
    this.#at += count
    return this.#characters.slice(this.#at - count, this.#at).join('')
  }

  /** `{2}`, `{2,}`, `{2,5}`; null, and nothing is passed over, where a brace is a character. */
  braces(): [min: number, max: number] | null {
    const rest = this.#characters.slice(this.#at, this.#at + 24).join('')
    const [whole, min, comma, max] = /^\{(\d+)(,)?(\d*)\}/.exec(rest) ?? []
    if (whole === undefined || min === undefined) return null
    this.#at += whole.length
    const least = Number(min)
    return [least, comma === undefined ? least : max ? Number(max) : Number.POSITIVE_INFINITY]
  }

  /**
   * The one character for which an escape stands, inside of classes and outside.
   * @param letter what follows the backslash, which has been passed over
   */
  escaped(letter: string): string {
    const control = CONTROLS[letter]
    if (control !== undefined) return control
    if (letter === 'x' || letter === 'u') {
      const digits = this.take('{') ? this.until('}') : this.some(letter === 'x' ? 2 : 4)
      if (!/^[0-9a-fA-F]{1,6}$/.test(digits)) throw new Unread()
      const code = Number.parseInt(digits, 16)
      // Halves of a pair may stand for one character together.
      if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new Unread()
      return String.fromCodePoint(code)
    }
    if (/^[\p{L}\p{N}]$/u.test(letter)) throw new Unread()
    return letter
  }

  /** The name of a class of Unicode after `\p`. */
  property(): void {
    if (this.take('{')) this.until('}')
    else this.pass()
  }
}
