import { ANYTHING, type Formula } from '../query/index-expression.ts'
import { type Flavour, type Pattern, readPattern } from './regex-syntax.ts'

/*
 * What must stand in a text for a pattern to match, after "Regular Expression Matching with a Trigram Index" by
 * Russ Cox. https://swtch.com/~rsc/regexp/regexp4.html
 */

/** At most this many strings are kept apart. */
const MAX_STRINGS = 16
/** A longer string is built letter by letter and would hardly exclude more texts. */
const MAX_LENGTH = 128
/** A choice has at most this many strings. */
const MAX_CHOICES = 64
/** At most this many copies of a repeated part are written out. */
const MAX_COPIES = 4
/** The index says nothing about shorter texts. */
const TRIGRAM = 3

type Strings = ReadonlySet<string>

/** What is known of all texts that a part of a pattern matches. */
type Known = {
  /** All these texts, or null when there are others. */
  readonly exact: Strings | null
  /** Each of the texts begins with one string of `prefix` and ends with one of `suffix`. */
  readonly prefix: Strings
  readonly suffix: Strings
  /** Each of the texts satisfies all of these formulas. */
  readonly holds: readonly Formula[]
}

const NOTHING: Strings = new Set([''])
const exactly = (strings: Strings): Known => ({ exact: strings, prefix: strings, suffix: strings, holds: [] })
const UNKNOWN: Known = { exact: null, prefix: NOTHING, suffix: NOTHING, holds: [] }

/** Returns what every text must contain that the pattern matches, without regard to case. */
export function formulaOf(pattern: string, flavour: Flavour): Formula {
  const read = readPattern(pattern, flavour, true)
  return read ? whole(knownOf(read)) : ANYTHING
}

/** Returns the longest text that every match contains with regard to case, or null when none is known. */
export function heldText(pattern: string, flavour: Flavour): string | null {
  const read = readPattern(pattern, flavour, false)
  const formula = read ? whole(knownOf(read)) : ANYTHING
  const parts = formula.kind === 'all' ? formula.of : [formula]
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []))
  return texts.toSorted((a, b) => b.length - a.length)[0] ?? null
}

function knownOf(pattern: Pattern): Known {
  switch (pattern.kind) {
    case 'character':
      return pattern.of === null ? UNKNOWN : exactly(new Set(pattern.of))
    case 'empty':
      return exactly(NOTHING)
    case 'unknown':
      return UNKNOWN
    case 'sequence':
      return pattern.of.map(knownOf).reduce(followed, exactly(NOTHING))
    case 'choice':
      return pattern.of.map(knownOf).reduce(either)
    case 'repeat':
      return repeated(knownOf(pattern.of), pattern.min, pattern.max)
  }
}

function followed(a: Known, b: Known): Known {
  if (a.exact && b.exact) return limited({ ...exactly(product(a.exact, b.exact)), holds: [...a.holds, ...b.holds] })
  const holds = [...a.holds, ...b.holds]
  // A string across the border of two parts is kept in the prefix or suffix of the whole, unless both parts are open
  // there.
  const across = a.exact || b.exact ? ANYTHING : oneOf(product(a.suffix, b.prefix))
  if (isTelling(across)) holds.push(across)
  return limited({
    exact: null,
    prefix: a.exact ? product(a.exact, b.prefix) : a.prefix,
    suffix: b.exact ? product(a.suffix, b.exact) : b.suffix,
    holds,
  })
}

function either(a: Known, b: Known): Known {
  if (a.exact && b.exact) return limited({ ...exactly(a.exact.union(b.exact)), holds: [] })
  const of = [whole(a), whole(b)].flatMap((formula) => (formula.kind === 'any' ? formula.of : [formula]))
  const both: Formula = { kind: 'any', of }
  const [prefix, suffix] = [a.prefix.union(b.prefix), a.suffix.union(b.suffix)]
  return limited({ exact: null, prefix, suffix, holds: isTelling(both) ? [both] : [] })
}

function repeated(known: Known, min: number, max: number): Known {
  if (max === 0) return exactly(NOTHING)
  if (min === 0) return max === 1 ? either(known, exactly(NOTHING)) : UNKNOWN
  const copies = Array.from({ length: Math.min(min, MAX_COPIES) }, () => known).reduce(followed)
  return max === min && min <= MAX_COPIES ? copies : ended(followed(copies, UNKNOWN), copies)
}

/** Whatever the number of further copies, the whole ends as they do. */
const ended = (all: Known, copies: Known): Known => ({ ...all, suffix: copies.suffix })

/** Shortens lists and strings. What is cut from prefix and suffix is first added to `holds`. */
function limited(known: Known): Known {
  if (known.exact && isShort(known.exact)) return known
  const holds = [...known.holds]
  const hold = (formula: Formula): void => {
    if (isTelling(formula)) holds.push(formula)
  }
  if (known.exact) hold(oneOf(known.exact))
  const shorter = (strings: Strings, cut: (characters: string[]) => string[]): Strings => {
    if (isShort(strings) && !known.exact) return strings
    hold(oneOf(strings))
    const short = new Set([...strings].map((text) => cut([...text]).join('')))
    return short.size <= MAX_STRINGS ? short : NOTHING
  }
  const prefix = shorter(known.prefix, (characters) => characters.slice(0, TRIGRAM - 1))
  const suffix = shorter(known.suffix, (characters) => characters.slice(1 - TRIGRAM))
  return { exact: null, prefix, suffix, holds }
}

const isShort = (strings: Strings): boolean =>
  strings.size <= MAX_STRINGS && [...strings].every((text) => text.length <= MAX_LENGTH)

/** The product stays small, because `limited` has shortened both lists before. */
function product(a: Strings, b: Strings): Strings {
  const all = new Set<string>()
  for (const first of a) for (const second of b) all.add(first + second)
  return all
}

/** Returns everything that is known as one formula. */
function whole({ exact, prefix, suffix, holds }: Known): Formula {
  const all = exact ? [...holds, oneOf(exact)] : [...holds, oneOf(prefix), oneOf(suffix)]
  const telling = all.filter(isTelling).flatMap((formula) => (formula.kind === 'all' ? formula.of : [formula]))
  const [only] = telling
  if (!only) return ANYTHING
  return telling.length === 1 ? only : { kind: 'all', of: telling }
}

function oneOf(strings: Strings): Formula {
  const texts = [...strings]
  if (texts.length > MAX_CHOICES || texts.some((text) => [...text].length < TRIGRAM)) return ANYTHING
  const of = texts.map((text): Formula => ({ kind: 'text', text }))
  const [only] = of
  if (!only) return ANYTHING
  return of.length === 1 ? only : { kind: 'any', of }
}

const isTelling = (formula: Formula): boolean =>
  formula.kind === 'any' ? formula.of.every(isTelling) : formula.kind !== 'anything'
