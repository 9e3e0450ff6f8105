import { firstIndex } from '#core/binary-search.ts'
import { once } from '#core/keeping.ts'
import { isAscii } from '#core/text.ts'
import { BASE_LETTERS, CASE_FOLDS, MARKS, RANGES } from './unicode61-table.ts'

/*
 * What SQLite's FTS5 does to text before it compares it, done here: tokens as by `unicode61 remove_diacritics 2`, and
 * small letters as by `trigram`. https://www.sqlite.org/fts5.html#unicode61_tokenizer
 */

const numbers = (list: string): number[] => list.split(' ').map((digits) => Number.parseInt(digits, 36))

const OUTSIDE = 0
const MARK = 0xffff
const SPACE = 0x20

type Tables = {
  /** By code point below 0x10000: OUTSIDE of tokens, a MARK that is dropped, or the letter that is compared. */
  readonly words: Uint16Array
  /** By code point below 0x10000: its lower case. */
  readonly small: Uint16Array
  readonly smallAbove: ReadonlyMap<number, number>
  /** The code points from 0x10000 on at which ranges outside and inside of tokens begin, in turn. */
  readonly rangesAbove: readonly number[]
}

/** The tables are made when they are first asked for. */
const tables = once((): Tables => {
  const small = new Uint16Array(0x10000)
  for (let code = 0; code < 0x10000; code += 1) small[code] = code
  const smallAbove = new Map<number, number>()
  const capitals: number[] = []
  for (const [first = 0, count = 0, step = 1, difference = 0] of CASE_FOLDS.split(',').map(numbers)) {
    for (let code = first; code < first + count * step; code += step) {
      if (code > 0xffff) smallAbove.set(code, code + difference)
      else {
        small[code] = code + difference
        capitals.push(code)
      }
    }
  }
  const words = new Uint16Array(0x10000)
  const rangesAbove: number[] = []
  let start = 0
  numbers(RANGES).forEach((length, index) => {
    if (index % 2 === 1) words.set(small.subarray(start, start + length), Math.min(start, 0x10000))
    start += length
    rangesAbove.push(start)
  })
  for (const [base = 0, ...letters] of BASE_LETTERS.split(',').map(numbers)) {
    for (const letter of letters) words[letter] = base
  }
  for (const capital of capitals) {
    if (words[capital] !== OUTSIDE) words[capital] = words[small[capital] as number] as number
  }
  for (const mark of numbers(MARKS)) words[mark] = MARK
  return { words, small, smallAbove, rangesAbove }
})

/** Returns the letter that is compared for a code point above 0xffff, or OUTSIDE when it is in no token. */
function wordLetterAbove(code: number): number {
  const { rangesAbove, smallAbove } = tables()
  const begun = firstIndex(rangesAbove.length, (at) => (rangesAbove[at] as number) > code)
  return begun % 2 === 1 ? (smallAbove.get(code) ?? code) : OUTSIDE
}

/** The tokens of a text with spaces around them: ` the naive fox `. A text without tokens gives one space. */
export type Words = {
  readonly text: string
  /**
   * For each unit of `text`: the offset from which it comes. For the space after a token: the offset at which the token
   * ends.
   */
  readonly origins: Uint32Array
}

/** Folding a text of this length takes some milliseconds. */
const LONG_CHARS = 100_000

/**
 * Returns a function that does the same as `make`, and remembers its answer for the last long text. One search verifies,
 * counts and shows a hit, and reads its text anew for each. The answer is held weakly, so that it can be collected.
 */
function knowingLastLong<T>(make: (text: string) => T): (text: string) => T {
  let last: WeakRef<{ readonly text: string; readonly made: T }> | undefined
  return (text) => {
    if (text.length < LONG_CHARS) return make(text)
    const known = last?.deref()
    if (known?.text === text) return known.made
    const now = { text, made: make(text) }
    last = new WeakRef(now)
    return now.made
  }
}

/** Returns the tokens of a text as FTS5 compares them, in a form for `includes(' word ')`. */
export const wordsOf = knowingLastLong((text) => folded(text, null).text)

/** Returns how many tokens a text has, by what `wordsOf` returns for it. */
export const tokenCountOf = knowingLastLong((words) => {
  let tokens = -1
  for (let at = words.indexOf(' '); at >= 0; at = words.indexOf(' ', at + 1)) tokens += 1
  return tokens
})

/** Returns the same as `wordsOf`, with the offsets of the tokens in the text. The next call overwrites the offsets. */
export function locatedWordsOf(text: string): Words {
  keptOrigins ??= new Uint32Array(KEPT)
  return folded(text, text.length + 2 <= KEPT ? keptOrigins : new Uint32Array(text.length + 2))
}

/** Memory in which texts of up to so many characters are folded. Making it anew takes longer than folding most texts. */
const KEPT = 32_768
let kept: Buffer | undefined
let keptOrigins: Uint32Array | undefined

function folded(text: string, origins: Uint32Array | null): Words {
  kept ??= Buffer.alloc(KEPT * 2)
  const bytes = text.length + 2 <= KEPT ? kept : Buffer.alloc((text.length + 2) * 2)
  const isOneByte = isAscii(text)
  const end = isOneByte ? foldAscii(text, bytes, origins) : fold(text, unitsIn(bytes), origins)
  const words = isOneByte ? bytes.toString('latin1', 0, end) : bytes.toString('utf16le', 0, end * 2)
  return { text: words, origins: origins?.subarray(0, end) ?? NO_ORIGINS }
}

const unitsIn = (bytes: Buffer): Uint16Array => new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
const NO_ORIGINS = new Uint32Array(0)

/** What `words` of the tables holds for ASCII. Making the tables takes longer than most searches. */
const ASCII_WORDS = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const letter = String.fromCharCode(code).toLowerCase()
  return /[a-z0-9]/.test(letter) ? letter.charCodeAt(0) : OUTSIDE
})

/** Folds a text of ASCII, in which each token is a run of letters and digits, and returns how many units it has then. */
function foldAscii(text: string, bytes: Buffer, origins: Uint32Array | null): number {
  const length = text.length + 2
  // The text stands behind the two spaces that are added, so that no unit is overwritten before it is read.
  bytes.write(text, 2, 'latin1')
  bytes[0] = SPACE
  let end = 1
  let inToken = false
  for (let i = 2; i < length; i += 1) {
    const letter = ASCII_WORDS[bytes[i] as number] as number
    if (letter === OUTSIDE && !inToken) continue
    inToken = letter !== OUTSIDE
    bytes[end] = inToken ? letter : SPACE
    if (origins) origins[end] = i - 2
    end += 1
  }
  if (inToken) {
    bytes[end] = SPACE
    if (origins) origins[end] = text.length
    end += 1
  }
  return end
}

function fold(text: string, units: Uint16Array, origins: Uint32Array | null): number {
  const { words } = tables()
  units[0] = SPACE
  let end = 1
  let inToken = false
  // Two tokens have at least one other character between them, which is replaced by their space.
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    const code = isHalf(unit) ? (text.codePointAt(i) as number) : unit
    const letter = code > 0xffff ? wordLetterAbove(code) : isHalf(code) ? OUTSIDE : (words[code] as number)
    if (letter === MARK && inToken) continue
    const isOutside = letter === OUTSIDE || letter === MARK
    if (!isOutside || inToken) {
      if (origins) origins[end] = i
      if (letter > 0xffff) {
        units[end] = 0xd800 + ((letter - 0x10000) >> 10)
        units[end + 1] = 0xdc00 + ((letter - 0x10000) & 0x3ff)
        if (origins) origins[end + 1] = i
        end += 1
      } else units[end] = isOutside ? SPACE : letter
      end += 1
    }
    inToken = !isOutside
    if (code > 0xffff) i += 1
  }
  if (inToken) {
    units[end] = SPACE
    if (origins) origins[end] = text.length
    end += 1
  }
  return end
}

/** Whether the unit is half of a surrogate pair. SQLite stores a single half as U+FFFD, which is in no token. */
const isHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdfff

/** Returns a text in lower case with the same offsets. Accents stay. */
export const smallLetters = knowingLastLong(lowerCase)

function lowerCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  const { small, smallAbove } = tables()
  const units = new Uint16Array(text.length)
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    units[i] = small[unit] as number
    if (unit < 0xd800 || unit > 0xdbff) continue
    const letter = smallAbove.get(text.codePointAt(i) as number)
    if (letter === undefined) continue
    units[i] = 0xd800 + ((letter - 0x10000) >> 10)
    units[i + 1] = 0xdc00 + ((letter - 0x10000) & 0x3ff)
    i += 1
  }
  return decode(units)
}

const utf16 = once(() => new TextDecoder('utf-16le', { ignoreBOM: true }))

/** TextDecoder replaces halves of surrogate pairs. They were folded away before or do not matter for the comparison. */
const decode = (units: Uint16Array): string => utf16().decode(units)
