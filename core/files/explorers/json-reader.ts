import { CUT_MARK } from './value-stats.ts'

/** Only the beginning of a longer text, and of a longer run of digits, is passed on. */
const LONGEST_TEXT_BYTES = 200
const LONGEST_DIGITS = /(\d{300})\d+/g
/** A document that is nested deeper is not read on. Nobody writes one on purpose. */
const DEEPEST = 10_000
const TOKENS_PER_STEP = 1000

const BLANKS = /[ \t\r\n]*/y
const MARK = /[{}[\]:,]/y
const NUMBER = /-?(?:0|[1-9]\d*(?!\d))(?:\.\d+(?!\d)(?:[eE][+-]?\d+|(?![eE]))|[eE][+-]?\d+|(?![.eE]))/y
const WORD = /true|false|null/y
/** A word or number that is cut in two leaves fewer characters. */
const CUT_CHARS = 16
/** Control characters that JSON does not allow in a text. */
const CONTROL = /(?![\u007f-\u009f])\p{Cc}/u

/** Receives the parts of a JSON text in their order. */
export interface JsonEvents {
  open(kind: 'object' | 'array'): void
  close(): void
  key(name: string): void
  text(value: string): void
  /** @param written the digits as the document spells them */
  number(value: number, written: string): void
  boolean(value: boolean): void
  null(): void
}

const NOT_JSON = 'something in it is not JSON'

/**
 * Reads JSON values, one behind the other. Comments and commas too many are accepted, because configuration files have
 * them. Everything before an error is passed on.
 */
export class JsonReader {
  readonly #text: string
  readonly #events: JsonEvents | null
  #at = 0
  /** Per level whether it is an object. */
  readonly #levels: boolean[] = []
  #next: 'value' | 'name' | 'colon' | 'comma' = 'value'
  /** Says what is wrong, once something is; nothing is read after that. */
  error: string | null = null
  /** What is wrong may be that the text ends. */
  isErrorAtEnd = false
  /** The deepest level so far. */
  depth = 0

  /** @param events receives the parts; null to look for errors only */
  constructor(text: string, events: JsonEvents | null = null) {
    this.#text = text
    this.#events = events
  }

  *read(): Generator<void> {
    for (let tokens = 1; ; tokens += 1) {
      this.#skipBlanks()
      if (this.#at === this.#text.length || this.error !== null) break
      this.#takeToken()
      if (tokens % TOKENS_PER_STEP === 0) yield
    }
    if (this.#levels.length > 0) this.#failAtEnd()
  }

  #fail(reason: string): void {
    this.isErrorAtEnd ||= this.error === null && this.#text.length - this.#at < CUT_CHARS
    this.error ??= reason
  }

  #failAtEnd(reason = 'it is cut off before its end'): void {
    this.#at = this.#text.length
    this.#fail(reason)
  }

  #skipBlanks(): void {
    this.#match(BLANKS)
    while (this.#text[this.#at] === '/') {
      const opening = this.#text.slice(this.#at, this.#at + 2)
      const end = opening === '//' ? '\n' : '*/'
      const found = this.#text.indexOf(end, this.#at + 2)
      if (opening !== '//' && opening !== '/*') return
      if (found < 0 && opening === '/*') this.#failAtEnd()
      this.#at = found < 0 ? this.#text.length : found + end.length
      this.#match(BLANKS)
    }
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found === undefined) return null
    this.#at += found.length
    return found
  }

  #takeToken(): void {
    if (this.#text[this.#at] === '"') {
      this.#takeText()
      return
    }
    const mark = this.#match(MARK)
    if (mark !== null) {
      this.#takeMark(mark)
      return
    }
    const number = this.#match(NUMBER)
    const word = number === null ? this.#match(WORD) : null
    if (number === null && word === null) this.#fail(NOT_JSON)
    else if (this.#next === 'name') this.#fail('a name is missing')
    else if (this.#isValueDue()) {
      if (number !== null) this.#tellNumber(number)
      else if (word === 'null') this.#events?.null()
      else this.#events?.boolean(word === 'true')
      this.#endValue()
    }
  }

  #takeText(): void {
    const start = this.#at + 1
    const end = endOfText(this.#text, start)
    const kept = clipped(this.#text.slice(start, end ?? this.#text.length))
    const text = CONTROL.test(kept) ? null : unescaped(kept)
    if (end === null) this.#failAtEnd(kept.endsWith(CUT_MARK) ? undefined : NOT_JSON)
    else if (text === null) this.#fail(NOT_JSON)
    else {
      this.#at = end + 1
      if (this.#next === 'name') {
        this.#events?.key(text)
        this.#next = 'colon'
      } else if (this.#isValueDue()) {
        this.#events?.text(text)
        this.#endValue()
      }
    }
  }

  #takeMark(mark: string): void {
    if ((mark === ':') !== (this.#next === 'colon')) this.#fail('a colon is missing or too much')
    else if (mark === ':') this.#next = 'value'
    else if (mark === '}' || mark === ']') this.#close(mark)
    else if (mark === ',') {
      if (this.#next !== 'comma') this.#fail('a comma is too much')
      else this.#next = this.#levels.at(-1) ? 'name' : 'value'
    } else if (this.#next === 'name') this.#fail('a name is missing')
    else if (this.#isValueDue()) this.#open(mark)
  }

  #isValueDue(): boolean {
    if (this.#next === 'colon') this.#fail('a colon is missing or too much')
    else if (this.#next === 'comma') this.#fail('a comma is missing')
    return this.#next === 'value'
  }

  #tellNumber(written: string): void {
    const kept = written.replaceAll(LONGEST_DIGITS, '$1')
    this.#events?.number(Number(kept), kept)
  }

  #open(mark: string): void {
    const isObject = mark === '{'
    this.#levels.push(isObject)
    this.depth = Math.max(this.depth, this.#levels.length)
    this.#next = isObject ? 'name' : 'value'
    if (this.#levels.length > DEEPEST) this.#fail(`it is nested more than ${DEEPEST} deep`)
    else this.#events?.open(isObject ? 'object' : 'array')
  }

  #close(mark: string): void {
    if (this.#levels.pop() === (mark === '}')) {
      this.#events?.close()
      this.#endValue()
    } else this.#fail('its brackets do not match')
  }

  /** Values without an array or object around them follow each other without a comma. */
  #endValue(): void {
    this.#next = this.#levels.length === 0 ? 'value' : 'comma'
  }
}

/** The place of the quotation mark that ends a text, or null. */
function endOfText(json: string, start: number): number | null {
  for (let at = json.indexOf('"', start); at >= 0; at = json.indexOf('"', at + 1)) {
    let backslashes = 0
    while (at - backslashes > start && json[at - backslashes - 1] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return at
  }
  return null
}

function unescaped(text: string): string | null {
  if (!text.includes('\\')) return text
  try {
    return JSON.parse(`"${text}"`)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** The beginning of a long text. It ends neither within a character nor within an escape, of which the longest has six bytes. */
function clipped(text: string): string {
  if (Buffer.byteLength(text) <= LONGEST_TEXT_BYTES) return text
  let [bytes, sinceEscape, isEscaped] = [0, 6, false]
  let at = 0
  for (const character of text.slice(0, LONGEST_TEXT_BYTES * 2)) {
    if (!isEscaped && bytes >= LONGEST_TEXT_BYTES && sinceEscape >= 5) return text.slice(0, at) + CUT_MARK
    isEscaped = !isEscaped && character === '\\'
    const size = Buffer.byteLength(character)
    bytes += size
    sinceEscape = isEscaped ? 0 : sinceEscape + size
    at += character.length
  }
  return text
}
