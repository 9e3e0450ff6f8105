import { RE2JS, RE2JSSyntaxException } from 're2js'
import { LcmError } from '#core/errors.ts'
import { type Plan, textPlan } from '../planning/plan.ts'
import { ANYTHING } from '../query/index-expression.ts'
import { type Fields, type FoldedText, isThere, type Match, type Matcher } from '../query/matcher.ts'
import { BacktrackingMatcher } from './backtracking-matcher.ts'
import { PatternBudget } from './pattern-budget.ts'
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

/** RE2's number for a match that may begin anywhere. */
const ANYWHERE = 0

/**
 * Matches in time linear to the text. `.` stops at line ends; `^` and `$` match at the ends of the text. A pattern with
 * thousands of repetitions is thousands of times as slow, so it has a budget, too.
 */
export class RegexMatcher implements Matcher {
  readonly termCount = 1
  readonly #pattern: RE2JS
  readonly #look: QuickLook | null
  readonly #budget: PatternBudget

  /** @param look what every match contains, or null when nothing is known */
  constructor(pattern: RE2JS, look: QuickLook | null, budget = new PatternBudget()) {
    this.#pattern = pattern
    this.#look = look
    this.#budget = budget
    budget.count(pattern)
  }

  /** @throws LcmError pattern_too_slow */
  matches(fields: Fields): boolean {
    return fields.some((text, field) => {
      const start = isThere(text, field) ? this.#startIn(text, 0) : null
      return start !== null && this.#test(text, start)
    })
  }

  mayMatchIn(text: string): boolean {
    return this.#startIn(text, 0) !== null
  }

  holding(texts: readonly FoldedText[]): boolean[] {
    return [this.matches(texts.map(({ text }) => text))]
  }

  /** @throws LcmError pattern_too_slow */
  find(text: string, limit: number): Match[] {
    this.#budget.begin(text)
    const matcher = this.#pattern.matcher(text)
    const found: Match[] = []
    let from = this.#startIn(text, 0)
    while (from !== null && found.length < limit && (this.#look ? matcher.find(from) : matcher.find())) {
      from = this.#startIn(text, matcher.end())
      if (matcher.end() > matcher.start()) found.push({ start: matcher.start(), end: matcher.end(), term: 0 })
    }
    return found
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
    this.#budget.begin(text)
    if (start === 0) return this.#pattern.test(text)
    return this.#pattern.re2().matchWithGroup(text, start, text.length, ANYWHERE, 0)[0] === true
  }
}
