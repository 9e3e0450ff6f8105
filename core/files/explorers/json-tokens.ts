import { type ParsedTokenInfo, Tokenizer, TokenType } from '@streamparser/json'
import { CUT_MARK } from './value-stats.ts'

/** Of a longer text in the document only the beginning is read, and of a longer number. */
const LONGEST_TEXT_BYTES = 200
const LONGEST_NUMBER_BYTES = 300
/** Nothing deeper is read. No document that somebody means is so deep. */
const DEEPEST = 10_000

const CUT = Buffer.from(CUT_MARK)
const QUOTE = 0x22
const BACKSLASH = 0x5c
const SLASH = 0x2f
const STAR = 0x2a
const LINE_FEED = 0x0a
const SPACE = 0x20

/** What stands in a JSON text, in its order. */
export interface JsonEvents {
  open(kind: 'object' | 'array'): void
  close(): void
  key(name: string): void
  text(value: string): void
  /** @param written as it stands in the document */
  number(value: number, written: string): void
  boolean(value: boolean): void
  null(): void
}

/**
 * Reads JSON values, one behind the other, without keeping them. Comments and commas too many are accepted, because
 * configuration files have them. What is kept of a text ends after some characters.
 */
export class JsonTokens {
  readonly #events: JsonEvents
  readonly #clip = new TextClip()
  #tokenizer = this.#newTokenizer()
  /** Per level whether it is an object. */
  #levels: boolean[] = []
  #next: 'value' | 'name' | 'colon' | 'comma' = 'value'
  #error: string | null = null
  /** The deepest level so far. */
  depth = 0

  constructor(events: JsonEvents) {
    this.#events = events
  }

  /** Says what is wrong, once something is; nothing is read after that. */
  get error(): string | null {
    return this.#error
  }

  /** Says whether a value has begun that has not ended. */
  get isWithin(): boolean {
    return this.#levels.length > 0 || this.#clip.isWithin
  }

  write(bytes: Uint8Array): void {
    if (this.#error === null) this.#tokenizer.write(this.#clip.clipped(bytes))
  }

  /** Ends the last number of the text. */
  end(): void {
    this.write(Uint8Array.of(LINE_FEED))
    if (this.#error === null && this.isWithin) this.#fail('it is cut off before its end')
  }

  /** Forgets what went wrong and begins with another value. */
  restart(): void {
    if (this.#error !== null || this.#clip.isWithin) this.#tokenizer = this.#newTokenizer()
    this.#clip.restart()
    this.#levels = []
    this.#next = 'value'
    this.#error = null
  }

  #newTokenizer(): SpellingTokenizer {
    const tokenizer = new SpellingTokenizer()
    tokenizer.onToken = (token) => this.#take(token)
    tokenizer.onError = () => this.#fail('something in it is not JSON')
    return tokenizer
  }

  #fail(reason: string): void {
    this.#error ??= reason
  }

  #take({ token, value }: ParsedTokenInfo): void {
    if (this.#error !== null) return
    const problem = this.#problemOf(token)
    if (problem !== null) this.#fail(problem)
    else if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) this.#open(token)
    else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) this.#close(token)
    else if (token === TokenType.COLON) this.#next = 'value'
    else if (token === TokenType.COMMA) this.#next = this.#levels.at(-1) ? 'name' : 'value'
    else if (this.#next === 'name') {
      this.#events.key(String(value))
      this.#next = 'colon'
    } else {
      this.#tell(value)
      this.#endValue()
    }
  }

  #problemOf(token: TokenType): string | null {
    const isClosing = token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET
    if ((token === TokenType.COLON) !== (this.#next === 'colon')) return 'a colon is missing or too much'
    if (token === TokenType.COLON || isClosing) return null
    if (token === TokenType.COMMA) return this.#next === 'comma' ? null : 'a comma is too much'
    if (this.#next === 'comma') return 'a comma is missing'
    return this.#next === 'name' && token !== TokenType.STRING ? 'a name is missing' : null
  }

  #tell(value: ParsedTokenInfo['value']): void {
    if (typeof value === 'string') this.#events.text(value)
    else if (typeof value === 'number') this.#events.number(value, this.#tokenizer.lastNumber)
    else if (typeof value === 'boolean') this.#events.boolean(value)
    else this.#events.null()
  }

  #open(token: TokenType): void {
    const isObject = token === TokenType.LEFT_BRACE
    this.#levels.push(isObject)
    this.depth = Math.max(this.depth, this.#levels.length)
    this.#next = isObject ? 'name' : 'value'
    if (this.#levels.length > DEEPEST) this.#fail(`it is nested more than ${DEEPEST} deep`)
    else this.#events.open(isObject ? 'object' : 'array')
  }

  #close(token: TokenType): void {
    if (this.#levels.pop() === (token === TokenType.RIGHT_BRACE)) {
      this.#events.close()
      this.#endValue()
    } else this.#fail('its brackets do not match')
  }

  /** Values without an array or object around them follow each other without a comma. */
  #endValue(): void {
    this.#next = this.#levels.length === 0 ? 'value' : 'comma'
  }
}

/** Keeps how the last number is written: a number of JavaScript has only about 16 digits. */
class SpellingTokenizer extends Tokenizer {
  lastNumber = ''

  override parseNumber(written: string): number {
    this.lastNumber = written
    return super.parseNumber(written)
  }
}

/**
 * Leaves out the rest of long texts and numbers, and comments: a text of gigabytes would not fit into memory. What is
 * left is as valid as the whole. The bytes are UTF-8.
 */
class TextClip {
  #state: 'outside' | 'text' | 'escape' | 'slash' | 'line comment' | 'comment' | 'star' = 'outside'
  #length = 0
  #digits = 0
  #sinceEscape = 0
  #isLeftOut = false

  get isWithin(): boolean {
    return this.#state !== 'outside' && this.#state !== 'line comment'
  }

  restart(): void {
    this.#state = 'outside'
    this.#digits = 0
  }

  clipped(bytes: Uint8Array): Uint8Array {
    const kept = new Uint8Array(bytes.length + Math.ceil(bytes.length / LONGEST_TEXT_BYTES) * CUT.length + 16)
    let length = 0
    for (const byte of bytes) {
      switch (this.#state) {
        case 'outside':
          this.#digits = byte >= 0x30 && byte <= 0x39 ? this.#digits + 1 : 0
          if (byte === SLASH) this.#state = 'slash'
          else if (this.#digits <= LONGEST_NUMBER_BYTES) kept[length++] = byte
          if (byte === QUOTE) this.#beginText()
          break
        case 'text':
        case 'escape':
          if (byte === QUOTE && this.#state === 'text' && this.#isLeftOut) {
            kept.set(CUT, length)
            length += CUT.length
          }
          if (this.#isKept(byte)) kept[length++] = byte
          break
        case 'slash':
          if (byte === SLASH) this.#state = 'line comment'
          else if (byte === STAR) this.#state = 'comment'
          else {
            kept[length++] = SLASH
            this.#state = 'outside'
          }
          break
        case 'line comment':
          if (byte === LINE_FEED) {
            kept[length++] = SPACE
            this.#state = 'outside'
          }
          break
        case 'comment':
          if (byte === STAR) this.#state = 'star'
          break
        default:
          if (byte === SLASH) this.#state = 'outside'
          else if (byte !== STAR) this.#state = 'comment'
      }
    }
    return kept.subarray(0, length)
  }

  #beginText(): void {
    this.#state = 'text'
    this.#length = 0
    this.#sinceEscape = 6
    this.#isLeftOut = false
  }

  /** The text ends neither within a character nor within an escape, of which the longest has six bytes. */
  #isKept(byte: number): boolean {
    this.#length += 1
    this.#sinceEscape += 1
    if (this.#state === 'escape') {
      this.#state = 'text'
      return !this.#isLeftOut
    }
    if (byte === QUOTE) {
      this.#state = 'outside'
      return true
    }
    const isCharacterStart = (byte & 0xc0) !== 0x80
    if (this.#length > LONGEST_TEXT_BYTES && this.#sinceEscape > 5 && isCharacterStart) this.#isLeftOut = true
    if (byte === BACKSLASH) {
      this.#state = 'escape'
      this.#sinceEscape = 0
    }
    return !this.#isLeftOut
  }
}
