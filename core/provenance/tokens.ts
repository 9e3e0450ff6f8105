import { isAscii } from '../text.ts'

/** A `pair` is two neighbouring characters of a script without word breaks. */
export type TokenKind = 'word' | 'number' | 'pair'

/** A part of a text that can be compared. Offsets are UTF-16 units, end exclusive. */
export type Token = {
  readonly kind: TokenKind
  readonly start: number
  readonly end: number
  /** The form by which the token is compared. */
  readonly key: string
}

// 0 is the class of units that separate tokens.
const LETTER = 1
const DIGIT = 2
const UNSPACED = 3

let built: Uint8Array | undefined

/**
 * Returns the class of each UTF-16 unit. The table is made when it is first asked for. Halves of surrogate pairs
 * (emoji, rare Han) count as characters without word breaks.
 */
function classTable(): Uint8Array {
  built ??= buildClasses()
  return built
}

/** The scripts without word breaks, for a class of a pattern. */
export const SCRIPTS_WITHOUT_BREAKS = 'Han Hiragana Katakana Hangul Thai Lao Khmer Myanmar'
  .split(' ')
  .map((script) => `\\p{Script=${script}}`)
  .join('')

function buildClasses(): Uint8Array {
  const table = new Uint8Array(0x10000)
  const unspaced = new RegExp(`[${SCRIPTS_WITHOUT_BREAKS}]`, 'u')
  for (let code = 0; code < 0x10000; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) {
      table[code] = UNSPACED
      continue
    }
    const character = String.fromCharCode(code)
    if (code >= 48 && code <= 57) table[code] = DIGIT
    else if (character === '_' || character === '々') table[code] = character === '_' ? LETTER : UNSPACED
    else if (/[\p{L}\p{M}\p{Nd}]/u.test(character))
      table[code] = code > 0xe00 && unspaced.test(character) ? UNSPACED : LETTER
  }
  return table
}

/** Returns whether a unit can stand inside a word or a number. An identifier ends where no such unit follows. */
export function isWordUnit(unit: number): boolean {
  const kind = classTable()[unit]
  return kind === LETTER || kind === DIGIT
}

const BACKSLASH = 92
/** Returns whether a letter after a backslash makes an escape of JSON for white space: \n \r \t. */
const isEscapedBlank = (unit: number): boolean => unit === 110 || unit === 114 || unit === 116

/**
 * Calls `found` for every token that starts in [from, to). Words begin with a letter and may contain digits. Numbers
 * may contain points and commas between digits. Line ends that JSON escaped separate words.
 */
export function scanTokens(
  text: string,
  from: number,
  to: number,
  found: (kind: TokenKind, start: number, end: number) => void,
): void {
  const { length } = text
  const classes = classTable()
  for (let at = from; at < to; ) {
    const unit = text.charCodeAt(at)
    switch (classes[unit]) {
      case LETTER: {
        if ((unit === 118 || unit === 86) && classes[text.charCodeAt(at + 1)] === DIGIT) {
          // In v2.1 the number 2.1 is a token.
          at += 1
          break
        }
        const start = at
        at += 1
        while (at < length && isWordUnit(text.charCodeAt(at))) at += 1
        found('word', start, at)
        break
      }
      case DIGIT: {
        const start = at
        at = numberEnd(text, at)
        found('number', start, at)
        break
      }
      case UNSPACED:
        if (at + 1 < length && classes[text.charCodeAt(at + 1)] === UNSPACED && (unit & 0xfc00) !== 0xdc00) {
          found('pair', at, at + 2)
        }
        at += 1
        break
      default:
        at += unit === BACKSLASH && isEscapedBlank(text.charCodeAt(at + 1)) ? 2 : 1
    }
  }
}

function numberEnd(text: string, start: number): number {
  const classes = classTable()
  let at = start + 1
  for (;;) {
    const unit = text.charCodeAt(at)
    if (classes[unit] === DIGIT) at += 1
    else if ((unit === 46 || unit === 44) && classes[text.charCodeAt(at + 1)] === DIGIT) at += 2
    else return at
  }
}

/** Returns the tokens of a text or a range of it, with the forms by which they are compared. */
export function tokensOf(text: string, from = 0, to = text.length): Token[] {
  const tokens: Token[] = []
  scanTokens(text, from, to, (kind, start, end) => {
    tokens.push({ kind, start, end, key: keyOf(kind, text.slice(start, end)) })
  })
  return tokens
}

/** Returns the form by which a token is compared: words without case, accents and common endings, numbers by value. */
export function keyOf(kind: TokenKind, raw: string): string {
  if (kind === 'word') return stem(fold(raw))
  return kind === 'number' ? numberKey(raw) : raw
}

/** Returns a word in lower case without accents. */
export function fold(word: string): string {
  const small = word.toLowerCase()
  if (isAscii(small)) return small
  return small
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .normalize('NFC')
}

/** `1,234` and `1234`, `0.50` and `0.5`, or `9,99` and `9.99` are the same number. Versions stay as they are. */
export function numberKey(raw: string): string {
  let digits = raw
  if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(raw)) digits = raw.replaceAll(',', '')
  else if (/^\d+,\d+$/.test(raw)) digits = raw.replace(',', '.')
  return /^\d+\.\d+$/.test(digits) ? digits.replace(/\.?0+$/, '') : digits
}

/**
 * Returns an English word without its ending. The first three letters always stay. Words of other languages seldom end
 * in the same way.
 */
export function stem(word: string): string {
  const { length } = word
  if (length < 4 || !/^[a-z]+$/.test(word)) return word
  let root = word
  if (length > 5 && word.endsWith('ies')) root = `${word.slice(0, -3)}y`
  else if (length > 4 && /(?:ss|sh|ch|x|z)es$/.test(word)) root = word.slice(0, -2)
  else if (/[^sui]s$/.test(word)) root = word.slice(0, -1)
  if (root.length > 5 && root.endsWith('ing')) root = undoubled(root.slice(0, -3))
  else if (root.length > 4 && root.endsWith('ed')) root = undoubled(root.slice(0, -2))
  if (root.length > 6 && /[ts]ion$/.test(root)) root = root.slice(0, -3)
  return root.length > 3 && root.endsWith('e') ? root.slice(0, -1) : root
}

const undoubled = (root: string): string =>
  root.length > 3 && /([bdgklmnprt])\1$/.test(root) ? root.slice(0, -1) : root

const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'
    .split(' ')
    .map((word, index) => [word, String(index + 2)]),
)

/** Returns the digits of a number that is written as a word, or undefined for other words. */
export const numberOfWord = (word: string): string | undefined => NUMBER_WORDS.get(word.toLowerCase())
