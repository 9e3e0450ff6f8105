import { type ExactNumber, exactNumber, isFraction, isLess } from './exact-number.ts'
import { counted, quoted, shown } from './shown.ts'

/** Different texts are told apart up to this number. */
const MOST_DIFFERENT = 12
const SAMPLES = 3
const SAMPLE_CHARS = 40
/** Of a longer text only the beginning is kept. */
const KEPT_CHARS = 120

const INTEGER = /^[+-]?\d{1,15}$/
const NUMBER = /^[+-]?(?:\d{1,15}(?:\.\d{1,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,3})?$/
/** A number that begins with a zero is a code, whose zeros count. */
const CODE = /^[+-]?0\d/
const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/

/** Stands at the end of a text of which only the beginning was read. No text may hold this character. */
export const CUT_MARK = '\uffff'

/** What the values at one place of a file have in common: a column of a table, a key of all records. */
export class ValueStats {
  #nulls = 0
  #trues = 0
  #falses = 0
  #numbers = 0
  #fractions = 0
  #least: ExactNumber | null = null
  #greatest: ExactNumber | null = null
  #texts = 0
  #shortest = Number.POSITIVE_INFINITY
  #longest = 0
  #isLongestCut = false
  #times = 0
  #earliest = ''
  #latest = ''
  /** How often each text occurs; null when there are too many. */
  #different: Map<string, number> | null = new Map()
  readonly #samples: string[] = []

  get nulls(): number {
    return this.#nulls
  }

  addNull(): void {
    this.#nulls += 1
  }

  addBoolean(value: boolean): void {
    if (value) this.#trues += 1
    else this.#falses += 1
  }

  /** @param written as it stands in the file, because a value may have more digits than a number can hold */
  addNumber(value: number, written: string): void {
    const number = exactNumber(value, written)
    this.#numbers += 1
    if (isFraction(number)) this.#fractions += 1
    this.#widen(number)
  }

  #widen(number: ExactNumber): void {
    if (this.#least === null || isLess(number, this.#least)) this.#least = number
    if (this.#greatest === null || isLess(this.#greatest, number)) this.#greatest = number
  }

  addText(read: string): void {
    const text = read.endsWith(CUT_MARK) ? read.slice(0, -1) : read
    this.#texts += 1
    if (text !== read) this.#isLongestCut = true
    if (text.length < this.#shortest) this.#shortest = text.length
    if (text.length > this.#longest) this.#longest = text.length
    if (text.length >= 10 && text.length <= 35 && TIME.test(text)) {
      this.#times += 1
      if (this.#earliest === '' || text < this.#earliest) this.#earliest = text
      if (text > this.#latest) this.#latest = text
    }
    if (this.#different === null && this.#samples.length === SAMPLES) return
    this.#note(text.length > KEPT_CHARS ? text.slice(0, KEPT_CHARS) : text)
  }

  /** A value of a file in which everything is text: empty, a truth value, a number or a text. */
  addWritten(text: string): void {
    const value = text.length <= 40 ? text.trim() : text
    if (value === '') this.addNull()
    else if (value.length <= 40 && !CODE.test(value) && (INTEGER.test(value) || NUMBER.test(value)))
      this.addNumber(Number(value), value)
    else if (value === 'true' || value === 'TRUE' || value === 'True') this.addBoolean(true)
    else if (value === 'false' || value === 'FALSE' || value === 'False') this.addBoolean(false)
    else this.addText(value)
  }

  merge(other: ValueStats): void {
    this.#nulls += other.#nulls
    this.#trues += other.#trues
    this.#falses += other.#falses
    this.#numbers += other.#numbers
    this.#fractions += other.#fractions
    for (const number of [other.#least, other.#greatest]) if (number !== null) this.#widen(number)
    this.#texts += other.#texts
    this.#shortest = Math.min(this.#shortest, other.#shortest)
    this.#longest = Math.max(this.#longest, other.#longest)
    this.#isLongestCut ||= other.#isLongestCut
    this.#times += other.#times
    if (this.#earliest === '' || (other.#earliest !== '' && other.#earliest < this.#earliest))
      this.#earliest = other.#earliest
    if (other.#latest > this.#latest) this.#latest = other.#latest
    for (const sample of other.#samples) this.#addSample(sample)
    if (other.#different === null) this.#different = null
    else for (const [text, count] of other.#different) this.#count(text, count)
  }

  /** The kinds of values, their range and examples, or null when there was no value. */
  describe(): string | null {
    const kinds = [this.#describeTexts(), this.#describeNumbers(), this.#describeBooleans()].filter(
      (kind) => kind !== null,
    )
    if (kinds.length === 0) return this.#nulls === 0 ? null : 'always null'
    return kinds.join(' or ')
  }

  #note(text: string): void {
    this.#addSample(text)
    this.#count(text, 1)
  }

  #addSample(text: string): void {
    if (this.#samples.length < SAMPLES && text.trim() !== '' && !this.#samples.includes(text)) this.#samples.push(text)
  }

  #count(text: string, times: number): void {
    if (this.#different === null) return
    const before = this.#different.get(text) ?? 0
    if (before === 0 && this.#different.size === MOST_DIFFERENT) this.#different = null
    else this.#different.set(text, before + times)
  }

  #describeNumbers(): string | null {
    if (this.#least === null || this.#greatest === null) return null
    const kind = this.#fractions > 0 ? 'number' : 'integer'
    const [least, greatest] = [this.#least, this.#greatest].map(({ shown: text }) => shown(text, SAMPLE_CHARS))
    return isLess(this.#least, this.#greatest) ? `${kind} ${least} to ${greatest}` : `${kind} ${least}`
  }

  #describeBooleans(): string | null {
    if (this.#trues + this.#falses === 0) return null
    if (this.#falses === 0) return 'true'
    if (this.#trues === 0) return 'false'
    return `boolean (${counted(this.#trues)} true, ${counted(this.#falses)} false)`
  }

  #describeTexts(): string | null {
    if (this.#texts === 0) return null
    if (this.#times === this.#texts)
      return this.#earliest === this.#latest
        ? `time ${shown(this.#earliest, 35)}`
        : `time ${shown(this.#earliest, 35)} to ${shown(this.#latest, 35)}`
    if (this.#different !== null && (this.#different.size === 1 || this.#different.size * 2 <= this.#texts))
      return this.#describeFew(this.#different)
    const samples = this.#samples.map((sample) => quoted(sample, SAMPLE_CHARS)).join(', ')
    const longest = `${counted(this.#longest)}${this.#isLongestCut ? ' or more' : ''}`
    const lengths = this.#shortest === this.#longest ? longest : `${counted(this.#shortest)} to ${longest}`
    return this.#texts <= SAMPLES || samples === ''
      ? samples || 'empty text'
      : `text of ${lengths} characters such as ${samples}`
  }

  #describeFew(different: ReadonlyMap<string, number>): string {
    const byCount = [...different].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    const values = byCount.slice(0, 6).map(([text]) => quoted(text, SAMPLE_CHARS))
    if (values.length === 1) return values[0] ?? ''
    return `one of ${values.join(', ')}${byCount.length > 6 ? ` and ${byCount.length - 6} more` : ''}`
  }
}
