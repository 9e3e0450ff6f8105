import { type PatternCursor, Unread } from './pattern-cursor.ts'

export type CharacterClass = {
  /** The characters of the class, or null when there are too many to be of use. */
  readonly of: ReadonlySet<string> | null
  /** The same class or a larger one in JavaScript's syntax with the flag "u", or null when it is not known. */
  readonly source: string | null
}

/** A class with more characters excludes too few texts. */
const MAX_CHARACTERS = 8

/** The members of RE2's named classes, as they are written inside a class. */
export const NAMED_CLASSES: Readonly<Record<string, string>> = { d: '0-9', w: '0-9A-Za-z_', s: '\\t\\n\\f\\r ' }

/** Returns a character as it is written inside a JavaScript class with the flag "u". */
export const classSource = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/**
 * Parses a class after its opening bracket.
 * @throws Unread
 */
export function readClass(cursor: PatternCursor, isRe2: boolean): CharacterClass {
  const isNegated = cursor.take('^')
  const all = new Set<string>()
  let isMany = isNegated
  let source: string | null = ''
  const add = (more: string | null): void => {
    source = source === null || more === null ? null : source + more
  }
  // A `]` that stands first is a character in RE2 and the end of an empty class in JavaScript.
  for (let isFirst = isRe2; isFirst || cursor.next !== ']'; isFirst = false) {
    const from = readMember(cursor, isRe2)
    const isRange = cursor.next === '-' && cursor.ahead(1) !== ']'
    if (from.character === null) {
      isMany = true
      add(isRange ? null : from.source)
      continue
    }
    if (!isRange) {
      all.add(from.character)
      add(classSource(from.character))
      continue
    }
    cursor.pass()
    const to = readMember(cursor, isRe2)
    if (to.character === null) throw new Unread()
    const first = from.character.codePointAt(0) ?? 0
    const last = to.character.codePointAt(0) ?? 0
    add(`${classSource(from.character)}-${classSource(to.character)}`)
    if (last - first >= MAX_CHARACTERS) isMany = true
    else for (let code = first; code <= last; code += 1) all.add(String.fromCodePoint(code))
  }
  cursor.pass()
  return {
    of: isMany || all.size > MAX_CHARACTERS || all.size === 0 ? null : all,
    source: source === null ? null : `[${isNegated ? '^' : ''}${source}]`,
  }
}

type Member = { readonly character: string | null; readonly source: string | null }
const UNKNOWN: Member = { character: null, source: null }

/** Parses a character of a class, or a named class in it. */
function readMember(cursor: PatternCursor, isRe2: boolean): Member {
  const character = cursor.pass()
  if (character === '[' && cursor.next === ':' && isRe2) {
    cursor.until(']')
    return UNKNOWN
  }
  if (character !== '\\') return { character, source: null }
  const letter = cursor.pass()
  const named = NAMED_CLASSES[letter]
  if (named !== undefined) return { character: null, source: isRe2 ? named : null }
  if (/^[DSW]$/.test(letter)) return UNKNOWN
  if (/^[pP]$/.test(letter)) {
    cursor.property()
    return UNKNOWN
  }
  return { character: cursor.escaped(letter), source: null }
}
