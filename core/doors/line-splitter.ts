const NEWLINE = 0x0a

export type LineSplitterOptions = {
  readonly mostBytes: number
  /** Called for a line that is longer, as soon as it is. The rest of it is dropped, because it may never end. */
  readonly onTooLong: () => void
}

/** Cuts a stream of bytes into lines, whatever pieces it comes in, and never holds more than one of them. */
export class LineSplitter {
  readonly #options: LineSplitterOptions
  #pieces: Buffer[] = []
  #bytes = 0
  #isTooLong = false

  constructor(options: LineSplitterOptions) {
    this.#options = options
  }

  /** Returns the lines that end in this piece, without their ends. */
  *take(piece: Buffer): Generator<Buffer> {
    let from = 0
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, from)) {
      this.#keep(piece.subarray(from, end))
      from = end + 1
      yield* this.end()
    }
    this.#keep(piece.subarray(from))
  }

  /** Returns what stands after the last line end. */
  *end(): Generator<Buffer> {
    const line = this.#isTooLong ? null : Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#bytes = 0
    this.#isTooLong = false
    if (line !== null && line.length > 0) yield line
  }

  #keep(piece: Buffer): void {
    if (this.#isTooLong || piece.length === 0) return
    this.#bytes += piece.length
    this.#pieces.push(piece)
    if (this.#bytes <= this.#options.mostBytes) return
    this.#isTooLong = true
    this.#pieces = []
    this.#options.onTooLong()
  }
}
