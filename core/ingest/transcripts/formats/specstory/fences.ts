/** A line, and whether it lies in a fenced block, where nothing has a meaning. The fences themselves lie in it. */
export type FencedLine = { readonly text: string; readonly number: number; readonly isFenced: boolean }

const TOOL_ENDS = '</tool-use>'

/** A fence that is open for so much text is none. */
const LONGEST_LINES = 200_000
const LONGEST_UNITS = 32_000_000

/**
 * Finds fenced blocks. Tool output is put between fences as it is, fences and all, so they nest: one with a language
 * opens another block, one without closes the innermost. A fence that is never closed is taken for text, so that it
 * does not swallow the rest of the session.
 */
export class Fences {
  /** Lines since the outermost fence that is open. */
  #held: { readonly text: string; readonly number: number }[] = []
  #units = 0
  #depth = 0
  /** The last tag that was opened or closed is a tool's, and open: its output may hold anything. */
  #isInTool = false

  /** Takes the next line; returns the lines of which it is clear now what they are. */
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

  /** The rest, after the last line. */
  end(): FencedLine[] {
    // The file ends within the output of a tool: all of it is output as yet.
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

  /** The outermost fence is text; what came behind it is looked at again. */
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

/** What stands behind the backticks (a language, or nothing); null for a line that is no fence. */
function fenceOf(text: string): string | null {
  const match = /^ {0,3}`{3,}([^`]*)$/.exec(text)
  return match ? (match[1] ?? '').trim() : null
}
