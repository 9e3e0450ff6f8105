/** Thrown where a pattern contains something that its reader does not know. */
export class Unread extends Error {}

/** Escapes that stand for one character. */
const CONTROLS: Readonly<Record<string, string>> = { a: '\u0007', f: '\f', t: '\t', n: '\n', r: '\r', v: '\v' }

/** A cursor in the text of a pattern. */
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

  /** Returns the character that stands `count` places after the next one. */
  ahead(count: number): string | undefined {
    return this.#characters[this.#at + count]
  }

  /**
   * Returns the next character and moves on.
   * @throws Unread at the end
   */
  pass(): string {
    const character = this.next
    if (character === undefined) throw new Unread()
    this.#at += 1
    return character
  }

  /** Moves past a text if it stands here, and returns whether it did. */
  take(text: string): boolean {
    const characters = [...text]
    if (!characters.every((character, i) => this.#characters[this.#at + i] === character)) return false
    this.#at += characters.length
    return true
  }

  /** Returns the text up to a character, and moves past that character. */
  until(end: string): string {
    let text = ''
    for (let character = this.pass(); character !== end; character = this.pass()) text += character
    return text
  }

  /** Returns the next `count` characters, or fewer at the end. */
  some(count: number): string {
    this.#at += count
    return this.#characters.slice(this.#at - count, this.#at).join('')
  }

  /** Reads `{2}`, `{2,}` or `{2,5}`. Returns null and does not move where a brace is an ordinary character. */
  braces(): [min: number, max: number] | null {
    const rest = this.#characters.slice(this.#at, this.#at + 24).join('')
    const [whole, min, comma, max] = /^\{(\d+)(,)?(\d*)\}/.exec(rest) ?? []
    if (whole === undefined || min === undefined) return null
    this.#at += whole.length
    const least = Number(min)
    return [least, comma === undefined ? least : max ? Number(max) : Number.POSITIVE_INFINITY]
  }

  /**
   * Returns the character for which an escape stands, inside or outside of a class.
   * @param letter the letter after the backslash, which has been passed
   */
  escaped(letter: string): string {
    const control = CONTROLS[letter]
    if (control !== undefined) return control
    if (letter === 'x' || letter === 'u') {
      const digits = this.take('{') ? this.until('}') : this.some(letter === 'x' ? 2 : 4)
      if (!/^[0-9a-fA-F]{1,6}$/.test(digits)) throw new Unread()
      const code = Number.parseInt(digits, 16)
      // Two halves of a surrogate pair may stand for one character together.
      if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new Unread()
      return String.fromCodePoint(code)
    }
    if (/^[\p{L}\p{N}]$/u.test(letter)) throw new Unread()
    return letter
  }

  /** Moves past the name of a Unicode class after `\p`. */
  property(): void {
    if (this.take('{')) this.until('}')
    else this.pass()
  }
}
