/** The rest of a longer line is left out, so that a file without line breaks takes no more memory than another. */
const LONGEST_LINE_CHARS = 16 * 1024

/** Cuts pieces of a text into lines. */
export class LineSplitter {
  #rest = ''
  #isRestCut = false
  /** The number of lines that were longer than what is kept of a line. */
  cutLines = 0

  /** The lines that this piece completes. */
  push(piece: string): string[] {
    const lines = piece.split('\n')
    const last = lines.pop() ?? ''
    if (lines.length === 0) {
      this.#keep(last)
      return lines
    }
    this.#keep(lines[0] ?? '')
    lines[0] = this.#rest
    if (this.#isRestCut) this.cutLines += 1
    this.#rest = ''
    this.#isRestCut = false
    this.#keep(last)
    for (const [index, line] of lines.entries()) {
      if (line.length > LONGEST_LINE_CHARS) {
        lines[index] = line.slice(0, LONGEST_LINE_CHARS)
        this.cutLines += 1
      } else if (line.endsWith('\r')) lines[index] = line.slice(0, -1)
    }
    return lines
  }

  /** The last line, if the text does not end with a line break. */
  end(): string[] {
    if (this.#isRestCut) this.cutLines += 1
    return this.#rest === '' ? [] : [this.#rest.endsWith('\r') ? this.#rest.slice(0, -1) : this.#rest]
  }

  #keep(text: string): void {
    const room = LONGEST_LINE_CHARS - this.#rest.length
    if (text.length > room) this.#isRestCut = true
    if (room > 0) this.#rest += text.slice(0, room)
  }
}
