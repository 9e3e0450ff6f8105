import { smallLetters } from '../query/text-folding.ts'
import { PatternCursor, Unread } from './pattern-cursor.ts'
import { classSource, NAMED_CLASSES, readClass } from './regex-class.ts'

/** A regular expression, as far as it says which characters a match must contain. */
export type Pattern =
  /**
   * One of a few characters; `of` is null when there are many. `source` is a class in JavaScript's syntax that contains
   * all of them and may contain others; null stands for any character.
   */
  | { readonly kind: 'character'; readonly of: readonly string[] | null; readonly source: string | null }
  /** Matches a place between characters. */
  | { readonly kind: 'empty' }
  /** May match anything, also nothing. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'sequence' | 'choice'; readonly of: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly of: Pattern; readonly min: number; readonly max: number }

export type Flavour = 're2' | 'javascript'

/** Groups that are nested more deeply are not read. */
const MAX_DEPTH = 200

/**
 * Parses a pattern that its engine has compiled. Returns null when it contains something that is not known here.
 * @param foldsCase true to give all characters in lower case, even if the pattern distinguishes case
 */
export function readPattern(pattern: string, flavour: Flavour, foldsCase: boolean): Pattern | null {
  try {
    return new PatternReader(pattern, flavour, foldsCase).read()
  } catch (error) {
    if (error instanceof Unread) return null
    throw error
  }
}

const ANY: Pattern = { kind: 'character', of: null, source: null }
const EMPTY: Pattern = { kind: 'empty' }
const UNKNOWN: Pattern = { kind: 'unknown' }

/** A recursive descent parser. */
class PatternReader {
  readonly #cursor: PatternCursor
  readonly #isRe2: boolean
  readonly #foldsCase: boolean
  #depth = 0
  #ignoresCase = false

  constructor(pattern: string, flavour: Flavour, foldsCase: boolean) {
    this.#cursor = new PatternCursor(pattern)
    this.#isRe2 = flavour === 're2'
    this.#foldsCase = foldsCase
  }

  read(): Pattern {
    const pattern = this.#choice()
    if (!this.#cursor.isAtEnd) throw new Unread()
    return pattern
  }

  #choice(): Pattern {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new Unread()
    // Flags hold until the end of the group in which they are set.
    const ignoresCase = this.#ignoresCase
    const of = [this.#sequence()]
    while (this.#cursor.take('|')) of.push(this.#sequence())
    this.#ignoresCase = ignoresCase
    this.#depth -= 1
    return of.length === 1 && of[0] ? of[0] : { kind: 'choice', of }
  }

  #sequence(): Pattern {
    const of: Pattern[] = []
    while (!this.#cursor.isAtEnd && this.#cursor.next !== '|' && this.#cursor.next !== ')') {
      of.push(this.#repeated(this.#atom()))
    }
    return of.length === 1 && of[0] ? of[0] : { kind: 'sequence', of }
  }

  #repeated(of: Pattern): Pattern {
    let pattern = of
    for (let range = this.#range(); range; range = this.#range()) {
      const [min, max] = range
      pattern = { kind: 'repeat', of: pattern, min, max }
      // A lazy quantifier matches the same texts as a greedy one.
      this.#cursor.take('?')
    }
    return pattern
  }

  #range(): [min: number, max: number] | null {
    if (this.#cursor.take('*')) return [0, Number.POSITIVE_INFINITY]
    if (this.#cursor.take('+')) return [1, Number.POSITIVE_INFINITY]
    if (this.#cursor.take('?')) return [0, 1]
    return this.#cursor.braces()
  }

  #atom(): Pattern {
    const character = this.#cursor.pass()
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
    return { kind: 'character', of: this.#variants(character), source: this.#cased(`[${classSource(character)}]`) }
  }

  #cased(source: string): string {
    return this.#ignoresCase ? `(?i:${source})` : source
  }

  /** Returns the forms in which a character may stand in a text, or null when too little is known of its cases. */
  #variants(character: string): readonly string[] | null {
    if (!this.#ignoresCase) return [this.#foldsCase ? smallLetters(character) : character]
    const cases = [character, character.toLowerCase(), character.toUpperCase()]
    if (cases.every((one) => one === character)) return [character]
    // Other scripts have letters with three cases or more.
    if (!/^[A-Za-z]$/.test(character)) return null
    const alike = /k/i.test(character) ? ['\u212a'] : /s/i.test(character) ? ['\u017f'] : []
    const all = [...cases, ...alike]
    return [...new Set(this.#foldsCase ? all.map(smallLetters) : all)]
  }

  #class(): Pattern {
    const { of, source: written } = readClass(this.#cursor, this.#isRe2)
    const source = written && this.#cased(written)
    const all = new Set<string>()
    for (const character of of ?? []) {
      const variants = this.#variants(character)
      if (variants === null) return { kind: 'character', of: null, source }
      for (const variant of variants) all.add(variant)
    }
    return { kind: 'character', of: of === null ? null : [...all], source }
  }

  #group(): Pattern {
    const cursor = this.#cursor
    if (!cursor.take('?') || cursor.take(':')) return this.#closed()
    for (const look of ['=', '!', '<=', '<!']) {
      if (!cursor.take(look)) continue
      this.#closed()
      return EMPTY
    }
    if (cursor.take('P=')) {
      cursor.until(')')
      return UNKNOWN
    }
    if (cursor.take('P<') || cursor.take('<')) {
      cursor.until('>')
      return this.#closed()
    }
    return this.#flags()
  }

  #closed(): Pattern {
    const pattern = this.#choice()
    if (!this.#cursor.take(')')) throw new Unread()
    return pattern
  }

  /** Parses `(?i)`, which holds for the rest of its group, and `(?i:…)`, which holds inside. */
  #flags(): Pattern {
    const before = this.#ignoresCase
    let isOn = true
    for (;;) {
      const flag = this.#cursor.pass()
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
    const cursor = this.#cursor
    const letter = cursor.pass()
    if (/^[AzbB]$/.test(letter)) return EMPTY
    const named = NAMED_CLASSES[letter]
    if (named !== undefined) return { kind: 'character', of: null, source: this.#cased(`[${named}]`) }
    if (/^[DSWC]$/.test(letter)) return ANY
    if (/^[pP]$/.test(letter)) {
      cursor.property()
      return ANY
    }
    if (letter === 'Q') return this.#quoted()
    // A digit refers to what a group matched or gives the code of a character. The first has any length and the second
    // is rare.
    if (/^[0-9]$/.test(letter)) {
      while (/^[0-9]$/.test(cursor.next ?? '')) cursor.pass()
      return UNKNOWN
    }
    if (letter === 'k' && cursor.take('<')) {
      cursor.until('>')
      return UNKNOWN
    }
    return this.#character(cursor.escaped(letter))
  }

  /** Parses everything up to `\E` literally. */
  #quoted(): Pattern {
    const of: Pattern[] = []
    while (!this.#cursor.isAtEnd && !this.#cursor.take('\\E')) of.push(this.#character(this.#cursor.pass()))
    return { kind: 'sequence', of }
  }
}
