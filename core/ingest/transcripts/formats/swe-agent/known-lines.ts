import { IdNumbers } from '#core/ingest/transcripts/id-numbers.ts'

/** The amount of history that is kept for searches of lines in another shape, and the number of searches. */
const MOST_HELD = 2_000_000
const MOST_LOOKS = 512

/**
 * Remembers the lines of a history as hashes. A history puts what a step saw into a template, and joins or breaks lines
 * of the model. So the text of a step is known when each of its lines is, without white space and fences.
 */
export class KnownLines {
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
