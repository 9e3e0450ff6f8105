import { smallLetters } from './text-folding.ts'

/** A regular expression, as far as it tells which characters must stand in what it matches. */
export type Pattern =
  /**
   * One of a few characters; null: one of many. `source`: JavaScript's class of all characters that it may be, and
   * perhaps of more; null: any.
   */
  | { readonly kind: 'character'; readonly of: readonly string[] | null; readonly source: string | null }
  /** Matches between characters. */
  | { readonly kind: 'empty' }
  /** May match anything, also nothing. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'sequence' | 'choice'; readonly of: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly of: Pattern; readonly min: number; readonly max: number }

export type Dialect = 're2' | 'javascript'

/** A class of more characters than this tells too little. */
const MAX_CHARACTERS = 8
/** Groups within groups; deeper ones are given up. */
const MAX_DEPTH = 200

/** Thrown and caught here: what is read next is not known to this reader. */
class Unread extends Error {}

/**
 * Reads a pattern that its engine has compiled; null where it holds something that is not known here.
 * @param foldsCase characters are given in small letters, whether the pattern minds their case or not; otherwise as they
 * must stand
 */
export function readPattern(pattern: string, dialect: Dialect, foldsCase: boolean): Pattern | null {
  try {
    return new PatternReader([...pattern], dialect, foldsCase).read()
  } catch (error) {
    if (error instanceof Unread) return null
    throw error
  }
}

const ANY: Pattern = { kind: 'character', of: null, source: null }
const EMPTY: Pattern = { kind: 'empty' }
const UNKNOWN: Pattern = { kind: 'unknown' }

/** Escapes that stand for one character. */
const CONTROLS: Readonly<Record<string, string>> = { a: '\u0007', f: '\f', t: '\t', n: '\n', r: '\r', v: '\v' }

/** Members of RE2's named classes, as they are written in a class. */
const NAMED: Readonly<Record<string, string>> = { d: '0-9', w: '0-9A-Za-z_', s: '\\t\\n\\f\\r ' }

/** Recursive descent. */
class PatternReader {
  readonly #characters: readonly string[]
  readonly #dialect: Dialect
  readonly #foldsCase: boolean
  #at = 0
  #depth = 0
  #ignoresCase = false

  constructor(characters: readonly string[], dialect: Dialect, foldsCase: boolean) {
    this.#characters = characters
    this.#dialect = dialect
    this.#foldsCase = foldsCase
  }

  read(): Pattern {
    const pattern = this.#choice()
    if (this.#at < this.#characters.length) throw new Unread()
    return pattern
  }

  get #next(): string | undefined {
    return this.#characters[this.#at]
  }

  #take(text: string): boolean {
    const characters = [...text]
    if (!characters.every((character, i) => this.#characters[this.#at + i] === character)) return false
    this.#at += characters.length
    return true
  }

  /** What stands up to one of some characters, which is passed over. */
  #until(end: string): string {
    const from = this.#at
    while (this.#next !== end) {
      if (this.#next === undefined) throw new Unread()
      this.#at += 1
    }
    this.#at += 1
    return this.#characters.slice(from, this.#at - 1).join('')
  }

  #some(count: number): string {
    this.#at += count
    return this.#characters.slice(this.#at - count, this.#at).join('')
  }

  #choice(): Pattern {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new Unread()
    // Flags hold to the end of the group in which they are set.
    const ignoresCase = this.#ignoresCase
    const of = [this.#sequence()]
    while (this.#take('|')) of.push(this.#sequence())
    this.#ignoresCase = ignoresCase
    this.#depth -= 1
    return of.length === 1 && of[0] ? of[0] : { kind: 'choice', of }
  }

  #sequence(): Pattern {
    const of: Pattern[] = []
    while (this.#next !== undefined && this.#next !== '|' && this.#next !== ')') of.push(this.#repeated(this.#atom()))
    return of.length === 1 && of[0] ? of[0] : { kind: 'sequence', of }
  }

  #repeated(of: Pattern): Pattern {
    let pattern = of
    for (let range = this.#range(); range; range = this.#range()) {
      const [min, max] = range
      pattern = { kind: 'repeat', of: pattern, min, max }
      // Whether few or many are tried first, the texts are the same.
      this.#take('?')
    }
    return pattern
  }

  #range(): [min: number, max: number] | null {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY]
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY]
    if (this.#take('?')) return [0, 1]
    if (this.#next !== '{') return null
    const rest = this.#characters.slice(this.#at, this.#at + 24).join('')
    const [whole, min, comma, max] = /^\{(\d+)(,)?(\d*)\}/.exec(rest) ?? []
    // Otherwise a brace is a character.
    if (whole === undefined || min === undefined) return null
    this.#at += whole.length
    const least = Number(min)
    return [least, comma === undefined ? least : max ? Number(max) : Number.POSITIVE_INFINITY]
  }

  #atom(): Pattern {
    const character = this.#next ?? ''
    this.#at += 1
    switch (character) {
      case '.':
        return ANY
      case '^':
      case '$':
        return EMPTY
      case '(':
        return this.#group()
      case '[':
        return this.#class()
      case '\\':
        return this.#escape()
      case '*':
      case '+':
      case '?':
        throw new Unread()
      default:
        return this.#character(character)
    }
  }

  #character(character: string): Pattern {
    const source = this.#ignoresCase && !/[0-9]/.test(character) ? null : `[${classSource(character)}]`
    return { kind: 'character', of: this.#variants(character), source }
  }

  /** A character as it may stand in the text; null when too little is known of its cases. */
  #variants(character: string): readonly string[] | null {
    if (!this.#ignoresCase) return [this.#foldsCase ? smallLetters(character) : character]
    const cases = [character, character.toLowerCase(), character.toUpperCase()]
    if (cases.every((one) => one === character)) return [character]
    // Other scripts have letters of three cases, and more.
    if (!/^[A-Za-z]$/.test(character)) return null
    const alike = /k/i.test(character) ? ['\u212a'] : /s/i.test(character) ? ['\u017f'] : []
    const all = [...cases, ...alike]
    return [...new Set(this.#foldsCase ? all.map(smallLetters) : all)]
  }

  #group(): Pattern {
    if (!this.#take('?')) return this.#closed()
    if (this.#take(':')) return this.#closed()
    for (const look of ['=', '!', '<=', '<!']) {
      if (!this.#take(look)) continue
      this.#closed()
      return EMPTY
    }
    if (this.#take('P=')) {
      this.#until(')')
      return UNKNOWN
    }
    if (this.#take('P<') || this.#take('<')) {
      this.#until('>')
      return this.#closed()
    }
    return this.#flags()
  }

  #closed(): Pattern {
    const pattern = this.#choice()
    if (!this.#take(')')) throw new Unread()
    return pattern
  }

  /** `(?i)` for the rest of the group around it, `(?i:…)` for its own. */
  #flags(): Pattern {
    const before = this.#ignoresCase
    let isOn = true
    for (;;) {
      const flag = this.#next ?? ''
      this.#at += 1
      if (flag === ')') return EMPTY
      if (flag === ':') break
      if (flag === '-') isOn = false
      else if (flag === 'i') this.#ignoresCase = isOn
      else if (!/^[smU]$/.test(flag)) throw new Unread()
    }
    const pattern = this.#closed()
    this.#ignoresCase = before
    return pattern
  }

  #escape(): Pattern {
    const character = this.#next
    if (character === undefined) throw new Unread()
    this.#at += 1
    if (/^[AzbB]$/.test(character)) return EMPTY
    const named = NAMED[character]
    if (named !== undefined) {
      const source = character === 'd' || !this.#ignoresCase ? `[${named}]` : null
      return { kind: 'character', of: null, source }
    }
    if (/^[DSWC]$/.test(character)) return ANY
    if (/^[pP]$/.test(character)) {
      if (this.#take('{')) this.#until('}')
      else this.#at += 1
      return ANY
    }
    if (character === 'Q') return this.#quoted()
    // What a group found, or the code of a character: one is as long as it is, the other is rare.
    if (/^[0-9]$/.test(character)) {
      while (/^[0-9]$/.test(this.#next ?? '')) this.#at += 1
      return UNKNOWN
    }
    if (character === 'k' && this.#take('<')) {
      this.#until('>')
      return UNKNOWN
    }
    return this.#character(this.#escaped(character))
  }

  /** The one character for which an escape stands, inside of classes and outside. */
  #escaped(character: string): string {
    const control = CONTROLS[character]
    if (control !== undefined) return control
    if (character === 'x' || character === 'u') {
      const digits = this.#take('{') ? this.#until('}') : this.#some(character === 'x' ? 2 : 4)
      if (!/^[0-9a-fA-F]{1,6}$/.test(digits)) throw new Unread()
      const code = Number.parseInt(digits, 16)
      // Halves of a pair may stand for one character together.
      if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new Unread()
      return String.fromCodePoint(code)
    }
    if (/^[\p{L}\p{N}]$/u.test(character)) throw new Unread()
    return character
  }

  /** Everything up to `\E`, as it stands. */
  #quoted(): Pattern {
    const of: Pattern[] = []
    while (this.#next !== undefined && !this.#take('\\E')) {
      of.push(this.#character(this.#next))
      this.#at += 1
    }
    return { kind: 'sequence', of }
  }

  #class(): Pattern {
    const isNegated = this.#take('^')
    const all = new Set<string>()
    let isMany = isNegated
    // What the class is in JavaScript; null once something is in it that is not the same there.
    let source: string | null = this.#ignoresCase ? null : ''
    const add = (more: string | null): void => {
      source = source === null || more === null ? null : source + more
    }
    // In RE2 `]` is a character when it stands first; in JavaScript the class is empty then.
    for (let isFirst = this.#dialect === 're2'; isFirst || this.#next !== ']'; isFirst = false) {
      const from = this.#member()
      const isRange = this.#next === '-' && this.#characters[this.#at + 1] !== ']'
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
      this.#at += 1
      const to = this.#member()
      if (to.character === null) throw new Unread()
      const first = from.character.codePointAt(0) ?? 0
      const last = to.character.codePointAt(0) ?? 0
      add(`${classSource(from.character)}-${classSource(to.character)}`)
      if (last - first >= MAX_CHARACTERS) isMany = true
      else for (let code = first; code <= last; code += 1) all.add(String.fromCodePoint(code))
    }
    this.#at += 1
    const known = source === null ? null : `[${isNegated ? '^' : ''}${source}]`
    const many: Pattern = { kind: 'character', of: null, source: known }
    if (isMany || all.size > MAX_CHARACTERS || all.size === 0) return many
    const of = new Set<string>()
    for (const character of all) {
      const variants = this.#variants(character)
      if (variants === null) return many
      for (const variant of variants) of.add(variant)
    }
    return { kind: 'character', of: [...of], source: known }
  }

  /** A character of a class, or a named class in it. */
  #member(): { readonly character: string | null; readonly source: string | null } {
    const character = this.#next
    if (character === undefined) throw new Unread()
    this.#at += 1
    if (character === '[' && this.#next === ':' && this.#dialect === 're2') {
      this.#until(']')
      return { character: null, source: null }
    }
    if (character !== '\\') return { character, source: null }
    const escaped = this.#next
    if (escaped === undefined) throw new Unread()
    this.#at += 1
    const named = NAMED[escaped]
    if (named !== undefined) return { character: null, source: this.#dialect === 're2' ? named : null }
    if (/^[DSW]$/.test(escaped)) return { character: null, source: null }
    if (/^[pP]$/.test(escaped)) {
      if (this.#take('{')) this.#until('}')
      else this.#at += 1
      return { character: null, source: null }
    }
    return { character: this.#escaped(escaped), source: null }
  }
}

/** A character as it is written in a class of JavaScript, with the flag "u". */
const classSource = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
