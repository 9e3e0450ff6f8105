import type { RE2JS } from 're2js'
import { LcmError } from '#core/errors.ts'

/** What every pattern may take: about five seconds. */
const FREE_STEPS = 250_000_000
/**
 * Steps a character. A pattern that takes fewer may continue, as every program does that has no more instructions: it
 * goes through each of them at most once a character.
 */
const SLOW = 100
/** Beginning with a text is as much work as this many characters of it. */
const BEGINNING = 100
/** An instruction costs the automaton so many steps when it makes a state: it sorts, hashes and compares them. */
const STEPS_OF_A_STATE = 32

/**
 * What a pattern of the linear engine may spend on texts, in steps of the engine. Steps are the same on every machine,
 * however busy it is.
 */
export class PatternBudget {
  readonly #free: number
  #allowed: number
  #steps = 0
  #characters = 0

  constructor(freeSteps = FREE_STEPS) {
    this.#free = freeSteps
    this.#allowed = freeSteps
  }

  get steps(): number {
    return this.#steps
  }

  /** Called before a text is read. */
  begin(text: string): void {
    this.#characters += text.length + BEGINNING
    this.#allowed = Math.max(this.#free, this.#characters * SLOW)
  }

  /** @throws LcmError pattern_too_slow */
  spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > this.#allowed) throw tooSlow()
  }

  /**
   * Counts what a pattern does from now on. RE2JS counts nothing itself, but all of its engines look up an instruction
   * of the program for each step; the automaton only when it makes a state that it did not have. The engines are half as
   * fast when they are counted.
   */
  count(pattern: RE2JS): void {
    if (pattern.programSize() <= SLOW) return
    const { prog, dfa } = pattern.re2()
    const { inst } = prog
    Object.defineProperty(prog, 'inst', {
      get: () => {
        this.spend(1)
        return inst
      },
    })
    const step = dfa.step.bind(dfa)
    dfa.step = (...from) => {
      const before = this.#steps
      const state = step(...from)
      this.spend((this.#steps - before) * (STEPS_OF_A_STATE - 1))
      return state
    }
  }
}

const tooSlow = (): LcmError =>
  new LcmError(
    'pattern_too_slow',
    'This pattern repeats so much that it was stopped: nothing was left out of an answer, there is none. Write it with fewer repetitions, or narrow the search by a filter.',
  )
