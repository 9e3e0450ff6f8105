import type { TimeSlice } from '../yielding.ts'
import { Growing, type SourceText, unitEnd } from './passages.ts'

/** How much text is scanned between two looks at the clock. */
const PIECE_CHARS = 10_000

/** Texts that are divided into units (lines and sentences). An index of them keeps what it needs of each unit. */
export abstract class TextUnits {
  readonly texts: SourceText[] = []
  chars = 0
  readonly #textOf = new Growing()
  readonly #starts = new Growing()
  readonly #ends = new Growing()
  #roughScores = new Float32Array(0)

  get units(): number {
    return this.#starts.length
  }
  textOf(unit: number): number {
    return this.#textOf.at(unit)
  }
  startOf(unit: number): number {
    return this.#starts.at(unit)
  }
  endOf(unit: number): number {
    return this.#ends.at(unit)
  }
  get roughScores(): Float32Array {
    if (this.#roughScores.length < this.units) this.#roughScores = new Float32Array(this.units)
    return this.#roughScores
  }

  async add(source: SourceText, slice: TimeSlice): Promise<void> {
    const place = this.texts.push(source) - 1
    const { text } = source
    this.chars += text.length
    let sinceLook = 0
    for (let start = 0; start < text.length; ) {
      const end = unitEnd(text, start)
      const unit = this.units
      this.#textOf.push(place)
      this.#starts.push(start)
      this.#ends.push(end)
      this.addUnit(unit, text, start, end)
      sinceLook += end - start
      start = end
      if (sinceLook < PIECE_CHARS) continue
      sinceLook = 0
      if (slice.isOver) await slice.yieldIfOver()
    }
  }

  protected abstract addUnit(unit: number, text: string, start: number, end: number): void
}
