/** A line, and whether it is in a fenced block, where nothing has a meaning. The fences themselves are in it. */
export type FencedLine = { readonly text: string; readonly number: number; readonly isFenced: boolean }

/** A line within an open fence. `closedAt` is the place of the fence that closes the one on this line. */
type HeldLine = { readonly text: string; readonly number: number; closedAt: number | null }

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
  #held: HeldLine[] = []
  #units = 0
  /** The place of the first held line. Places count the lines that were ever held. */
  #begin = 0
  /** The places of the open fences, the outermost first. */
  #open: number[] = []
  /** True when the last tag opened a tool, whose output may contain anything. */
  #isInTool = false

  /** Takes the next line, and returns the lines whose meaning is known now. */
  take(text: string, number: number): FencedLine[] {
    const fence = fenceOf(text)
    if (this.#open.length === 0 && fence === null) return [this.#unfenced({ text, number })]
    const place = this.#begin + this.#held.length
    this.#held.push({ text, number, closedAt: null })
    this.#units += text.length
    if (fence !== null) {
      const closed = fence === '' ? this.#open.pop() : undefined
      const opening = closed === undefined ? undefined : this.#held[closed - this.#begin]
      if (opening) opening.closedAt = place
      else this.#open.push(place)
    }
    if (this.#open.length === 0) return this.#release()
    const lines: FencedLine[] = []
    while (this.#held.length > LONGEST_LINES || this.#units > LONGEST_UNITS) this.#giveUp(lines)
    return lines
  }

  /** Returns the rest after the last line. */
  end(): FencedLine[] {
    // The file ends within the output of a tool, so everything so far is output.
    if (this.#isInTool && !this.#held.some(({ text }) => text.trimEnd().endsWith(TOOL_ENDS))) return this.#release()
    const lines: FencedLine[] = []
    while (this.#held.length > 0) this.#giveUp(lines)
    return lines
  }

  /** Returns all held lines as fenced. */
  #release(): FencedLine[] {
    return this.#takeHeld(this.#held.length).map(({ text, number }) => ({ text, number, isFenced: true }))
  }

  /** Treats the outermost fence as text. What stands behind it, up to the next open fence, is known then. */
  #giveUp(lines: FencedLine[]): void {
    this.#open.shift()
    const begin = this.#begin
    const [opening, ...rest] = this.#takeHeld((this.#open[0] ?? begin + this.#held.length) - begin)
    if (!opening) return
    lines.push({ text: opening.text, number: opening.number, isFenced: false })
    let fencedTo = begin
    for (const [index, line] of rest.entries()) {
      fencedTo = Math.max(fencedTo, line.closedAt ?? 0)
      const { text, number } = line
      lines.push(begin + 1 + index <= fencedTo ? { text, number, isFenced: true } : this.#unfenced({ text, number }))
    }
  }

  /** Takes out the first of the held lines. */
  #takeHeld(count: number): readonly HeldLine[] {
    const taken = this.#held.splice(0, count)
    this.#begin += count
    for (const { text } of taken) this.#units -= text.length
    return taken
  }

  #unfenced(line: { readonly text: string; readonly number: number }): FencedLine {
    if (/^<tool-use[ >]/.test(line.text)) this.#isInTool = true
    if (line.text.trimEnd().endsWith(TOOL_ENDS)) this.#isInTool = false
    return { ...line, isFenced: false }
  }
}

/** Returns the text after the backticks (a language, or nothing), or null for a line that is not a fence. */
function fenceOf(text: string): string | null {
  const match = /^ {0,3}`{3,}([^`]*)$/.exec(text)
  return match ? (match[1] ?? '').trim() : null
}
