import { RE2JS, RE2JSSyntaxException } from 're2js'
import { LcmError } from '../errors.ts'
import { BacktrackingMatcher } from './backtracking-matcher.ts'
import { ANYTHING } from './index-expression.ts'
import type { Fields, Match, Matcher } from './matcher.ts'
import { LIMIT_MS, PatternBudget } from './pattern-budget.ts'
import { type Plan, textPlan } from './plan.ts'
import { type QuickLook, quickLook } from './quick-look.ts'
import { formulaOf, heldText } from './regex-formula.ts'

/**
 * Returns the plan for a regular expression. RE2 matches in time linear to the text. A pattern that only a backtracking
 * engine understands is run by JavaScript in a thread, which is ended when it takes too long.
 * @throws LcmError invalid_argument for what is no pattern to either
 */
export function regexPlan(pattern: string, isCaseSensitive: boolean, signal?: AbortSignal): Plan {
  try {
    return linearPlan(pattern, isCaseSensitive)
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error
    const backtracking = backtrackingPlan(pattern, isCaseSensitive, signal)
    if (backtracking) return backtracking
    const what = error.message.replace(/^error parsing regexp: /, '')
    throw new LcmError('invalid_argument', `The pattern is not a regular expression: ${what}.`, undefined, {
      cause: error,
    })
  }
}

function linearPlan(typed: string, isCaseSensitive: boolean): Plan {
  const { compiled, pattern } = compile(typed, isCaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE)
  const read = isCaseSensitive ? pattern : `(?i)${pattern}`
  const look = quickLook(pattern, isCaseSensitive ? '' : 'i')
  return textPlan(new RegexMatcher(compiled, look), formulaOf(read, 're2'), heldText(read, 're2'))
}

/** JavaScript's character codes are rewritten for RE2. Other things that RE2 cannot parse stay as they are. */
function compile(pattern: string, flags: number): { compiled: RE2JS; pattern: string } {
  try {
    return { compiled: RE2JS.compile(pattern, flags), pattern }
  } catch (error) {
    const translated = pattern.replace(
      /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|.)/gis,
      (typed: string, braced?: string, plain?: string) => {
        const code = braced ?? plain
        return code === undefined ? typed : `\\x{${code}}`
      },
    )
    if (translated === pattern || !(error instanceof RE2JSSyntaxException)) throw error
    return { compiled: RE2JS.compile(translated, flags), pattern: translated }
  }
}

/** Returns null when JavaScript cannot parse the pattern either. */
function backtrackingPlan(typed: string, isCaseSensitive: boolean, signal?: AbortSignal): Plan | null {
  const [, letters = '', pattern = typed] = /^\(\?([ims]+)\)(.*)$/s.exec(typed) ?? []
  const flags = [...new Set(isCaseSensitive ? letters : `${letters}i`)].join('')
  for (const unicode of ['u', '']) {
    try {
      new RegExp(pattern, flags + unicode)
    } catch {
      continue
    }
    const matcher = new BacktrackingMatcher({ source: pattern, flags: flags + unicode }, signal)
    // Without the flag "u" a pattern matches halves of surrogate pairs, and escapes have other meanings.
    const read = flags.includes('i') ? `(?i)${pattern}` : pattern
    return textPlan(matcher, unicode === 'u' ? formulaOf(read, 'javascript') : ANYTHING, null)
  }
  return null
}

/** Beginning with a text takes as long as so many characters of it. */
const BEGINNING = 100
/** A text is watched when its characters, times the instructions of the pattern, are more: half a second at worst. */
const WATCHED = 3_000_000
/** The clock is read once in so many characters. */
const CHARACTERS_AT_ONCE = 256

/** RE2's number for a match that may begin anywhere. */
const ANYWHERE = 0

type Engine = Pick<RE2JS, 'test' | 'matcher' | 'programSize' | 're2'>

/** A text that says so when the engine, which asks for its characters one by one, has been at it for too long. */
class WatchedText extends String {
  readonly #text: string
  readonly #isOver: (place: number) => boolean
  #asked = 0

  constructor(text: string, isOver: (place: number) => boolean) {
    super(text)
    this.#text = text
    this.#isOver = isOver
  }

  /** @throws LcmError pattern_too_slow */
  override charCodeAt(place: number): number {
    this.#asked += 1
    if (this.#asked % CHARACTERS_AT_ONCE === 0 && this.#isOver(place)) throw tooSlow()
    return this.#text.charCodeAt(place)
  }
}

/**
 * Matches in time linear to the text. `.` stops at line ends; `^` and `$` match at the ends of the text. A pattern with
 * thousands of repetitions is thousands of times as slow, so it has a budget, too.
 */
export class RegexMatcher implements Matcher {
  readonly termCount = 1
  readonly #pattern: Engine
  readonly #look: QuickLook | null
  readonly #budget: Pick<PatternBudget, 'spend' | 'isHeld'>

  /** @param look what every match contains, or null when nothing is known */
  constructor(
    pattern: Engine,
    look: QuickLook | null,
    budget: Pick<PatternBudget, 'spend' | 'isHeld'> = new PatternBudget(),
  ) {
    this.#pattern = pattern
    this.#look = look
    this.#budget = budget
  }

  /** @throws LcmError pattern_too_slow */
  matches(fields: Fields): boolean {
    for (const field of fields) {
      const start = this.#startIn(field, 0)
      if (start !== null && this.#within(field, (text) => this.#test(text, start))) return true
    }
    return false
  }

  mayMatchIn(text: string): boolean {
    return this.#startIn(text, 0) !== null
  }

  holding(fields: Fields): boolean[] {
    return [this.matches(fields)]
  }

  /** @throws LcmError pattern_too_slow */
  find(text: string, limit: number): Match[] {
    return this.#within(text, (watched) => {
      const matcher = this.#pattern.matcher(watched)
      const found: Match[] = []
      let from = this.#startIn(text, 0)
      while (from !== null && found.length < limit && (this.#look ? matcher.find(from) : matcher.find())) {
        from = this.#startIn(text, matcher.end())
        if (matcher.end() > matcher.start()) found.push({ start: matcher.start(), end: matcher.end(), term: 0 })
      }
      return found
    })
  }

  /** Returns a place from which on the next match begins, or null when there is none. */
  #startIn(text: string, from: number): number | null {
    if (!this.#look) return from
    const { run, place } = this.#look
    // What is looked for has at least one character.
    if (text === '') return null
    const runEnd = run.endIn(text, from)
    if (runEnd < 0) return null
    const end = place.run === run ? runEnd : place.run.endIn(text, from)
    if (end < 0) return null
    const start = Math.max(from, end - place.units)
    // The engine would take the second half of a surrogate pair for a character.
    return start > from && /[\udc00-\udfff]/.test(text.charAt(start)) ? start - 1 : start
  }

  /** Whether a match begins at a place or behind it. Not asked for groups, the engine is several times as fast. */
  #test(text: string, start: number): boolean {
    if (start === 0) return this.#pattern.test(text)
    return this.#pattern.re2().matchWithGroup(text, start, text.length, ANYWHERE, 0)[0] === true
  }

  #within<T>(text: string, match: (text: string) => T): T {
    const began = performance.now()
    const found = match(text.length * this.#pattern.programSize() > WATCHED ? this.#watched(text, began) : text)
    if (this.#budget.spend(performance.now() - began, text.length + BEGINNING)) throw tooSlow()
    return found
  }

  #watched(text: string, began: number): string {
    const isOver = (place: number): boolean => this.#budget.isHeld(performance.now() - began, place)
    // RE2 takes objects for texts, which its types do not say.
    return new WatchedText(text, isOver) as unknown as string
  }
}

const tooSlow = (): LcmError =>
  new LcmError(
    'pattern_too_slow',
    `This pattern repeats so much that it was stopped after ${LIMIT_MS / 1000} s: nothing was left out of an answer, there is none. Write it with fewer repetitions, or narrow the search by a filter.`,
  )
