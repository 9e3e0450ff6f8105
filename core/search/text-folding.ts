import { firstIndex } from '../binary-search.ts'
import { isAscii } from '../text.ts'
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

let built: Tables | undefined

/** Returns the tables, which are made when they are first asked for. */
function tables(): Tables {
  built ??= buildTables()
  return built
}

function buildTables(): Tables {
  const small = Uint16Array.from({ length: 0x10000 }, (_, code) => code)
  const smallAbove = new Map<number, number>()
  for (const [first = 0, count = 0, step = 1, difference = 0] of CASE_FOLDS.split(',').map(numbers)) {
    for (let code = first; code < first + count * step; code += step) {
      if (code < 0x10000) small[code] = code + difference
      else smallAbove.set(code, code + difference)
    }
  }
  const bases = new Map<number, number>()
  for (const [base = 0, ...letters] of BASE_LETTERS.split(',').map(numbers)) {
    for (const letter of letters) bases.set(letter, base)
  }
  const words = new Uint16Array(0x10000)
  const rangesAbove: number[] = []
  let start = 0
  numbers(RANGES).forEach((length, index) => {
    const isToken = index % 2 === 1
    for (let code = start; isToken && code < Math.min(start + length, 0x10000); code += 1) {
      const letter = small[code] as number
      words[code] = bases.get(letter) ?? letter
    }
    start += length
    rangesAbove.push(start)
  })
  for (const mark of numbers(MARKS)) words[mark] = MARK
  return { words, small, smallAbove, rangesAbove }
}

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

/** Returns the tokens of a text as FTS5 compares them, in a form for `includes(' word ')`. */
export function wordsOf(text: string): string {
  return decode(fold(text, null))
}

/** Returns the same as `wordsOf`, with the offsets of the tokens in the text. */
export function locatedWordsOf(text: string): Words {
  const origins = new Uint32Array(text.length * 2 + 2)
  const units = fold(text, origins)
  return { text: decode(units), origins: origins.subarray(0, units.length) }
}

function fold(text: string, origins: Uint32Array | null): Uint16Array {
  const { words } = tables()
  // A token of one letter takes two units with the space after it.
  const units = new Uint16Array(text.length * 2 + 2)
  units[0] = SPACE
  let end = 1
  let inToken = false
  const put = (unit: number, origin: number): void => {
    units[end] = unit
    if (origins) origins[end] = origin
    end += 1
  }
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    const code = unit >= 0xd800 && unit <= 0xdbff ? (text.codePointAt(i) as number) : unit
    const letter = code > 0xffff ? wordLetterAbove(code) : isHalf(code) ? OUTSIDE : (words[code] as number)
    if (letter === MARK && inToken) continue
    if (letter === OUTSIDE || letter === MARK) {
      if (inToken) put(SPACE, i)
      inToken = false
    } else if (letter > 0xffff) {
      put(0xd800 + ((letter - 0x10000) >> 10), i)
      put(0xdc00 + ((letter - 0x10000) & 0x3ff), i)
      inToken = true
    } else {
      put(letter, i)
      inToken = true
    }
    if (code > 0xffff) i += 1
  }
  if (inToken) put(SPACE, text.length)
  return units.subarray(0, end)
}

/** Whether the unit is half of a surrogate pair. SQLite stores a single half as U+FFFD, which is in no token. */
const isHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdfff

/** Returns a text in lower case with the same offsets. Accents stay. */
export function smallLetters(text: string): string {
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

const utf16 = new TextDecoder('utf-16le', { ignoreBOM: true })

/** TextDecoder replaces halves of surrogate pairs. They were folded away before or do not matter for the comparison. */
const decode = (units: Uint16Array): string => utf16.decode(units)
