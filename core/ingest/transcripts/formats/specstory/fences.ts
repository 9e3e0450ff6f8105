/** A line, and whether it is in a fenced block, where nothing has a meaning. The fences themselves are in it. */
export type FencedLine = { readonly text: string; readonly number: number; readonly isFenced: boolean }

const TOOL_ENDS = '</tool-use>'

/** A fence that stays open for this many lines is none. */
const LONGEST_LINES = 200_000
const LONGEST_UNITS = 32_000_000

/**
 * Finds fenced blocks. Tool output is put between fences unchanged, with its own fences, so they nest: a fence with a
 * language opens another block, and one without closes the innermost. A fence that is never closed is treated as text,
 * so that it does not swallow the rest of the session.
 */
export class Fences {
  /** The lines since the outermost open fence. */
  #held: { readonly text: string; readonly number: number }[] = []
  #units = 0
  #depth = 0
  /** True when the last tag opened a tool, whose output may contain anything. */
  #isInTool = false

  /** Takes the next line, and returns the lines whose meaning is known now. */
  take(text: string, number: number): FencedLine[] {
    const fence = fenceOf(text)
    if (this.#depth === 0 && fence === null) {
      if (/^<tool-use[ >]/.test(text)) this.#isInTool = true
      if (text.trimEnd().endsWith(TOOL_ENDS)) this.#isInTool = false
      return [{ text, number, isFenced: false }]
    }
    this.#held.push({ text, number })
    this.#units += text.length
    if (fence !== null) this.#depth += this.#depth === 0 || fence !== '' ? 1 : -1
    if (this.#depth === 0) return this.#release()
    return this.#held.length > LONGEST_LINES || this.#units > LONGEST_UNITS ? this.#giveUp() : []
  }

  /** Returns the rest after the last line. */
  end(): FencedLine[] {
    // The file ends within the output of a tool, so everything so far is output.
    if (this.#isInTool && !this.#held.some(({ text }) => text.trimEnd().endsWith(TOOL_ENDS))) return this.#release()
    const lines: FencedLine[] = []
    while (this.#held.length > 0) lines.push(...this.#giveUp())
    return lines
  }

  #release(): FencedLine[] {
    const lines = this.#held.map((line) => ({ ...line, isFenced: true }))
    this.#forget()
    return lines
  }

  /** Treats the outermost fence as text, and examines the lines after it again. */
  #giveUp(): FencedLine[] {
    const [first, ...rest] = this.#held
    this.#forget()
    if (!first) return []
    const lines: FencedLine[] = [{ ...first, isFenced: false }]
    for (const { text, number } of rest) lines.push(...this.take(text, number))
    return lines
  }

  #forget(): void {
    this.#held = []
    this.#units = 0
    this.#depth = 0
  }
}

/** Returns the text after the backticks (a language, or nothing), or null for a line that is not a fence. */
function fenceOf(text: string): string | null {
  const match = /^ {0,3}`{3,}([^`]*)$/.exec(text)
  return match ? (match[1] ?? '').trim() : null
}
