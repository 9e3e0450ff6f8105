import type { SpecificKind } from '../contract/provenance.ts'
import { isAscii } from '../text.ts'
import { SIGNS, signsIn } from './text-signs.ts'
import { fold, isWordUnit, numberKey, scanTokens, type TokenKind } from './tokens.ts'
import { unitAt } from './units.ts'
import { BEFORE_MONTH, NO_NAMES } from './word-lists.ts'

/**
 * A name, number, path or quotation in a text, which is right or wrong to the letter. Offsets are UTF-16 units of that
 * text.
 */
export type Specific = {
  readonly kind: SpecificKind
  readonly text: string
  readonly start: number
  readonly end: number
  /** What is compared: numbers by value and unit, everything else in lower case with single spaces. */
  readonly key: string
  /** Equal for two that are the same: their kind and key. */
  readonly same: string
  /** The part that a scan looks for first: the longest token, without stemming. */
  readonly anchor: string
  /** The unit of a number, if it has one. */
  readonly unit?: string
}

type Rule = {
  readonly kind: SpecificKind
  readonly pattern: RegExp
  /** Of each of these, the text has at least one sign. */
  readonly needs: readonly number[]
}

// The rules in the order in which they take characters. Characters that one rule took are not looked at by the next.
const RULES: readonly Rule[] = [
  {
    kind: 'url',
    needs: [SIGNS.colon],
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`）)\]}，。、]+[^\s<>"'`）)\]}，。、.,;:!?]/gi,
  },
  { kind: 'identifier', needs: [SIGNS.at], pattern: /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g },
  {
    kind: 'date',
    needs: [SIGNS.digit, SIGNS.dash],
    pattern: /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?![\w-])/g,
  },
  {
    kind: 'time',
    needs: [SIGNS.digit, SIGNS.colon],
    pattern: /(?<![\w:])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?=Z|\b)/g,
  },
  // A path has a slash and no space. A file name has an extension that looks like a known one.
  {
    kind: 'path',
    needs: [SIGNS.slash | SIGNS.extension],
    pattern:
      /(?<![\w@.])(?:~|\.{1,2}|[A-Za-z]:|@[\w-]+)?[\\/]?(?:[\w@.$+-]+[\\/])+[\w@.$+-]*[\w$]|(?<![\w/\\.])[\w-]+(?:\.[\w-]+)*\.[a-z]{1,5}\d?(?![\w(])/g,
  },
  {
    kind: 'hash',
    needs: [SIGNS.hex],
    pattern: /\b(?=[0-9a-f-]*\d)(?=[0-9a-f-]*[a-f])[0-9a-f]{7,64}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi,
  },
  {
    kind: 'code',
    needs: [SIGNS.digit | SIGNS.capitals],
    pattern: /\b(?:E[A-Z]{3,}|[A-Z]{1,6}-?\d{3,6}|SQLITE_[A-Z_]+|0x[0-9a-fA-F]+)\b/g,
  },
  {
    kind: 'version',
    needs: [SIGNS.digit],
    pattern: /\bv\d+(?:\.\d+)*(?:-[\w.]+)?\b|\b\d+(?:\.\d+){2,}(?:-[\w.]+)?\b/g,
  },
  {
    kind: 'identifier',
    needs: [SIGNS.identifier],
    pattern:
      /(?<![\w-])--?[a-z][\w-]{2,}|[A-Za-z_$][\w$]+(?:(?:::|->|\.|#)[A-Za-z_$][\w$]*)+(?:\(\))?|\b[A-Za-z][\w-]+(?:\.[A-Za-z][\w-]*)+\b|\b[A-Za-z_$][\w$]*\(\)|\b[A-Za-z_$][\w$]{2,}(?=\((?!(?:e?s|en|in)\)))|\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b|(?<!\w)_[A-Za-z]\w*|\b[a-z]+\d*(?:[A-Z][a-z0-9]*)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b|\b[a-z0-9]+(?:-[a-z0-9]+){2,}\b|#\d+\b|\b[A-Za-z]+\d+[\w]*\b|\bC\+\+|\b[A-Z]#/g,
  },
  // Scripts without word breaks have no space before a number.
  {
    kind: 'number',
    needs: [SIGNS.digit],
    pattern:
      /(?:(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])|(?<![\p{L}_\d]))\d+(?:[.,]\d+)*/gu,
  },
]

/** A text in quotation marks. It is looked at as a whole, and nothing inside it is looked at again. */
const QUOTES =
  /`([^`\s,.;:·][^`\n]{0,198}[^`\s])`|“([^”\n]{3,200})”|(?<![\w\\])"([^"\s,.;:·][^"\n]{1,198}[^"\s\\])"(?!\w)|「([^」\n]{2,200})」|『([^』\n]{2,200})』|«([^»\n]{3,200})»|„([^“\n]{3,200})“/g

const NAME = /(?<![\p{L}\p{N}_])\p{Lu}[\p{L}\p{M}]+(?:[’'-]\p{L}+)*/gu
/**
 * Returns the specifics of one sentence in order, none within another. A word or number that was cut off at the end is
 * left out.
 */
export function specificsOf(given: string): Specific[] {
  const text = withoutEscapes(given)
  const signs = signsIn(text)
  if (signs === 0) return []
  const taken: { readonly start: number; readonly end: number }[] = []
  const found: Specific[] = []
  const isTaken = (start: number, end: number): boolean => taken.some((one) => one.start < end && one.end > start)
  const add = (kind: SpecificKind, start: number, end: number): void => {
    if (isTaken(start, end)) return
    taken.push({ start, end })
    const piece = text.slice(start, end)
    const isWhole = !isCutOff(text, end) && !(kind === 'quote' && isCutOff(text, end + 1))
    const anchor = isWhole ? anchorIn(piece) : ''
    if (anchor === '') return
    const unit = kind === 'number' ? unitAt(text, end) : null
    const key = specificKey(kind, piece)
    const compared = unit === null ? key : `${key} ${unit}`
    const same = `${kind} ${compared}`
    found.push({ kind, text: piece, start, end, key: compared, same, anchor, ...(unit !== null && { unit }) })
  }
  for (const match of (signs & SIGNS.quote) === 0 ? [] : matchesOf(QUOTES, text)) {
    const inner = match.slice(1).find((group) => group !== undefined) ?? ''
    const start = match.index + match[0].indexOf(inner)
    const trimmedEnd = start + inner.replace(/[\s.,;:!?…]+$/, '').length
    const isPhrase = /\s/.test(inner.trim())
    if (isPhrase && !inner.includes('…')) add('quote', start, trimmedEnd)
    else if (!isPhrase && match[0].startsWith('`')) add(kindOf(inner), start, trimmedEnd)
  }
  for (const { kind, needs, pattern } of RULES) {
    if (needs.some((need) => (signs & need) === 0)) continue
    for (const match of matchesOf(pattern, text)) {
      if (kind === 'path' && !isPath(match[0])) continue
      if (kind === 'number' && isListNumber(text, match)) continue
      add(kind, match.index, match.index + match[0].length)
    }
  }
  const names = (signs & SIGNS.capital) === 0 ? [] : matchesOf(NAME, text).filter((match) => isName(text, match))
  if (names.length > 0 && !isTitleCase(text))
    for (const { 0: name, index } of names) add('name', index, index + name.replace(/[’']s$/, '').length)
  return found.sort((a, b) => a.start - b.start)
}

/** Returns the same as `matchAll`, which first makes a copy of the pattern: that takes longer than most matches. */
function matchesOf(pattern: RegExp, text: string): RegExpExecArray[] {
  const found: RegExpExecArray[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) found.push(match)
  return found
}

const isName = (text: string, { 0: word, index }: RegExpExecArray): boolean =>
  !NO_NAMES.has(word) && !isSentenceStart(text, index)

/** Returns whether a number is a list number, as the 2 in "1. do this 2. do that". */
const isListNumber = (text: string, { index, 0: digits }: RegExpExecArray): boolean =>
  digits.length === 1 &&
  !BEFORE_MONTH.test(text.slice(index + 1)) &&
  (/^[.)]\s+\S/.test(text.slice(index + 1)) || (/^[.)]$/.test(text.slice(index + 1)) && /(?:^|\s)1[.)]\s/.test(text)))

/**
 * Replaces line ends that JSON escaped by as many spaces. After the name of a drive a backslash separates folders
 * instead.
 */
const withoutEscapes = (text: string): string =>
  text.includes('\\') && !/\b[A-Za-z]:\\/.test(text) ? text.replace(/\\[nrt]/g, '  ') : text

/** Words with a slash, as in `and/or`, `input/output` or `2/3`, are a path only when something in them shows it. */
function isPath(text: string): boolean {
  const parts = text.split(/[\\/]/)
  if (parts.length === 1)
    return (
      /\.[a-z]{1,5}\d?$/.test(text) &&
      !/^(?:e\.g|i\.e|z\.b|d\.h|a\.m|p\.m|vs\.\w+)$/i.test(text) &&
      !/^[\d.]+\.[a-z]+\d?$/.test(text)
    )
  if (parts.every((part) => /^\d*$/.test(part))) return false
  return parts.length > 2 || /[._@~\d-]/.test(text) || /^[\\/]/.test(text)
}

/** Returns the kind of a text that stands alone between backticks. */
function kindOf(text: string): SpecificKind {
  for (const { kind, pattern } of RULES) {
    const [whole] = text.match(pattern) ?? []
    if (whole === text && (kind !== 'path' || isPath(text))) return kind
  }
  return 'identifier'
}

/** An extract that was cut ends in "…", often within a word. */
const isCutOff = (text: string, end: number): boolean => text.startsWith('…', end) || text.startsWith('...', end)

const isSentenceStart = (text: string, at: number): boolean =>
  /(?:^|[.!?:;…。！？]["'”’)\]]*\s*|^[\s"'“‘«„(*_[]*|(?:^|\n)\s*[-*•]\s+)$/.test(text.slice(Math.max(0, at - 12), at))

const LONG_WORD = /(?<![\p{L}\p{N}_])\p{L}{3,}/gu

/** Where every other word begins with a capital (in titles and in German), a capital is no sign of a name. */
function isTitleCase(text: string): boolean {
  const words = text.match(LONG_WORD) ?? []
  const large = words.filter((word) => /^\p{Lu}\p{Ll}/u.test(word)).length
  const german = words.filter((word) => /^(?:der|die|das|und|nicht|ist|ein|eine|mit|wir|auf|für)$/i.test(word)).length
  return (words.length >= 4 && large > words.length * 0.6) || german >= 2
}

/** Returns what a specific is compared by. */
function specificKey(kind: SpecificKind, text: string): string {
  if (kind === 'number') return numberKey(text)
  if (kind === 'version') return text.toLowerCase().replace(/^v/, '')
  return foldPlain(text).trim()
}

/** Returns a text in lower case with single spaces. */
const foldPlain = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ')

/** Returns the longest token of a specific as it is looked for, or nothing when it has none. */
function anchorIn(text: string): string {
  let kind: TokenKind = 'word'
  let [start, end] = [0, 0]
  scanTokens(text, 0, text.length, (ofToken, from, to) => {
    if (to - from > end - start) [kind, start, end] = [ofToken, from, to]
  })
  return end === 0 ? '' : anchorKey(kind, text.slice(start, end))
}

export const anchorKey = (kind: string, raw: string): string => (kind === 'number' ? numberKey(raw) : fold(raw))

/**
 * Returns where a specific stands in a text that contains its anchor, or null when the specific is not there as a
 * whole.
 * @param anchorStart the offset of the anchor in the text
 */
export function standsAt(
  specific: Specific,
  text: string,
  anchorStart: number,
  anchorEnd: number,
): [number, number] | null {
  if (specific.kind === 'number') {
    // The same number with another unit is another specific. Without a unit it may stand in a table.
    const unit = specific.unit === undefined ? null : unitAt(text, anchorEnd)
    return unit === null || unit === specific.unit ? [anchorStart, anchorEnd] : null
  }
  const needle = specific.key
  const spare = needle.includes(' ') ? needle.length : 8
  const from = Math.max(0, anchorStart - needle.length - spare)
  const window = text.slice(from, anchorEnd + needle.length + spare)
  const stands = (a: number, b: number): boolean =>
    a <= anchorStart && b >= anchorEnd && isBorder(text, a, needle, specific.kind) && isEnd(text, b, needle)
  const small = window.toLowerCase()
  // A letter whose lower case has another length would shift the offsets after it, so such texts are compared as they
  // are.
  const compared = small.length === window.length ? small : window
  if (!/[\s"\\]/.test(needle)) {
    const first = Math.max(0, anchorEnd - needle.length - from)
    for (let at = compared.indexOf(needle, first); at >= 0; at = compared.indexOf(needle, at + 1)) {
      const [a, b] = [from + at, from + at + needle.length]
      if (stands(a, b)) return [a, b]
    }
    return null
  }
  for (const { index, 0: found } of compared.matchAll(tolerant(needle))) {
    const [a, b] = [from + index, from + index + found.length]
    if (stands(a, b)) return [a, b]
  }
  return null
}

/**
 * Returns the offset at which a specific has its anchor. Returns −1 when it has the anchor several times, and when a text
 * may have the specific in other characters.
 */
export function anchorOffset({ kind, key, anchor }: Specific): number {
  if (kind === 'number' || !isAscii(key) || /[\s"\\]/.test(key)) return -1
  const at = key.indexOf(anchor)
  return key.includes(anchor, at + 1) ? -1 : at
}

/** Returns true when a text certainly has something else where a word of ASCII would stand, false when it may have the word. */
export function differsAt(text: string, start: number, key: string): boolean {
  for (let at = 0; at < key.length; at += 1) {
    const unit = text.charCodeAt(start + at)
    if (unit > 127) return false
    if ((unit >= 65 && unit <= 90 ? unit + 32 : unit) !== key.charCodeAt(at)) return true
  }
  return false
}

/**
 * Returns a pattern that also finds a text in which JSON escaped quotes, backslashes and line ends, and in which the
 * white space differs.
 */
function tolerant(needle: string): RegExp {
  const source = needle.replace(/\s+|["\\]|[.*+?^${}()|[\]]/g, (part) => {
    if (part === '"') return '\\\\?"'
    if (part === '\\') return '\\\\{1,2}'
    return /\s/.test(part) ? '(?:\\s|\\\\[nrt])+' : `\\${part}`
  })
  return new RegExp(source, 'g')
}

function isBorder(text: string, at: number, needle: string, kind: SpecificKind): boolean {
  if (at === 0 || !isWordUnit(needle.charCodeAt(0))) return true
  const before = text.charCodeAt(at - 1)
  if (!isWordUnit(before)) return !(kind === 'version' && before === 46)
  if (kind === 'version' && (before === 118 || before === 86)) return !isWordUnit(text.charCodeAt(at - 2))
  // The text before may be a line end or tab that JSON escaped.
  return text.charCodeAt(at - 2) === 92
}

function isEnd(text: string, at: number, needle: string): boolean {
  if (at >= text.length || !isWordUnit(needle.charCodeAt(needle.length - 1))) return true
  return !isWordUnit(text.charCodeAt(at))
}
