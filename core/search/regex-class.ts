import { type PatternCursor, Unread } from './pattern-cursor.ts'

export type CharacterClass = {
  /** The characters of the class; null: too many to be of use. */
  readonly of: ReadonlySet<string> | null
  /** The same class, or a larger one, as JavaScript writes it with the flag "u"; null: not known. */
  readonly source: string | null
}

/** A class of more characters than this tells too little. */
const MAX_CHARACTERS = 8

/** Members of RE2's named classes, as they are written in a class. */
export const NAMED_CLASSES: Readonly<Record<string, string>> = { d: '0-9', w: '0-9A-Za-z_', s: '\\t\\n\\f\\r ' }

/** A character as it is written in a class of JavaScript, with the flag "u". */
export const classSource = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/**
 * Reads a class whose opening bracket has been passed over.
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
  // In RE2 `]` is a character when it stands first; in JavaScript the class is empty then.
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

/** A character of a class, or a named class in it. */
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
