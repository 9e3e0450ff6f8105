import { IdNumbers } from '../../id-numbers.ts'

/** So much of a history is held to look for lines that it says in another shape, and so often that is done. */
const MOST_HELD = 2_000_000
const MOST_LOOKS = 512

/**
 * What a history has said, line by line, as hashes. A history puts what a step saw into a template, and joins or breaks
 * lines of what the model said, so a step's text counts as told when each of its lines is, white space and fences aside.
 */
export class ToldLines {
  readonly #lines = new IdNumbers()
  #held: string[] = []
  #heldUnits = 0
  #joined: string | null = null
  #looks = 0

  add(text: string): void {
    for (const line of linesOf(text)) this.#lines.add(line)
    const whole = squeezed(text)
    if (this.#heldUnits + whole.length > MOST_HELD) return
    this.#held.push(whole)
    this.#heldUnits += whole.length
    this.#joined = null
  }

  has(text: string): boolean {
    return linesOf(text).every((line) => this.#lines.has(line) || this.#isWithin(line))
  }

  #isWithin(line: string): boolean {
    this.#looks += 1
    if (this.#looks > MOST_LOOKS) return false
    this.#joined ??= this.#held.join('\n')
    return this.#joined.includes(line)
  }
}

const squeezed = (text: string): string => text.replace(/[\s`]+/g, '')

const linesOf = (text: string): string[] =>
  text
    .split(/\r\n|\r|\n/)
    .map(squeezed)
    .filter((line) => line !== '')
