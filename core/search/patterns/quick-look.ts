import { type Pattern, readPattern } from './regex-syntax.ts'

/** A longer run of characters would hardly exclude more texts. */
const MAX_LENGTH = 32
/** A character has at most this many UTF-16 units. */
const UNITS = 2

/** What every match contains. Other texts may contain it, too. */
export type QuickLook = {
  /** The run that tells most. */
  readonly run: SoughtRun
  /** One that tells where a match may begin; often the same. A match has no more UTF-16 units up to its end. */
  readonly place: { readonly run: SoughtRun; readonly units: number }
}

type Run = { readonly of: (string | null)[]; readonly unitsBefore: number }

/**
 * Returns what every text contains that a given RE2 pattern matches, or null when nothing is worth looking for.
 * JavaScript finds it ten times as fast, in time linear to the text, because it repeats nothing.
 */
export function quickLook(pattern: string, flags: '' | 'i' = ''): QuickLook | null {
  const read = readPattern(pattern, 're2', false)
  if (!read) return null
  const runs: Run[] = [{ of: [], unitsBefore: 0 }]
  collect(read, runs, 0)
  const [best, ...others] = runs.filter((run) => told(run) > 0).toSorted((a, b) => told(b) - told(a))
  if (!best) return null
  const placed = [best, ...others].find(({ unitsBefore }) => Number.isFinite(unitsBefore)) ?? best
  const run = new SoughtRun(best, flags)
  const units = placed.unitsBefore + placed.of.length * UNITS
  return { run, place: { run: placed === best ? run : new SoughtRun(placed, flags), units } }
}

/** A run of character classes. */
class SoughtRun {
  /** The classes one after another, in JavaScript's syntax; null stands for any character. */
  readonly source: string
  readonly #expression: RegExp

  constructor({ of }: Run, flags: string) {
    this.source = of.map((source) => source ?? '[^]').join('')
    this.#expression = new RegExp(this.source, `gu${flags}`)
  }

  /** Returns where the first run ends that begins at a place or behind it, or -1. */
  endIn(text: string, from: number): number {
    this.#expression.lastIndex = from
    return this.#expression.test(text) ? this.#expression.lastIndex : -1
  }
}

const told = ({ of }: Run): number => of.filter((source) => source !== null).length

/**
 * Adds characters that are adjacent in every match to the last run. Where other characters may come between, it begins
 * a new run.
 * @param before how many UTF-16 units of a match may come before the pattern
 * @returns how many may come before what follows the pattern
 */
function collect(pattern: Pattern, runs: Run[], before: number): number {
  const after = before + unitsOf(pattern)
  switch (pattern.kind) {
    case 'character':
      runs.at(-1)?.of.push(pattern.source)
      if (runs.at(-1)?.of.length === MAX_LENGTH) runs.push({ of: [], unitsBefore: after })
      return after
    case 'empty':
      return after
    case 'sequence':
      return pattern.of.reduce((reached, part) => collect(part, runs, reached), before)
    case 'repeat': {
      let reached = before
      for (let copy = 0; copy < Math.min(pattern.min, MAX_LENGTH); copy += 1) {
        reached = collect(pattern.of, runs, reached)
      }
      if (pattern.max === pattern.min && pattern.min <= MAX_LENGTH) return after
      // The last copy is adjacent to what follows.
      const last = pattern.min > 0 ? pattern.of : null
      const unitsBefore = last === null ? after : before + times(pattern.max - 1, unitsOf(last))
      runs.push({ of: [], unitsBefore })
      if (last) collect(last, runs, unitsBefore)
      return after
    }
    case 'choice':
    case 'unknown':
      runs.push({ of: [], unitsBefore: after })
      return after
  }
}

/** Returns how many UTF-16 units a pattern matches at most. */
function unitsOf(pattern: Pattern): number {
  switch (pattern.kind) {
    case 'character':
      return UNITS
    case 'empty':
      return 0
    case 'unknown':
      return Number.POSITIVE_INFINITY
    case 'sequence':
      return pattern.of.reduce((sum, part) => sum + unitsOf(part), 0)
    case 'choice':
      return Math.max(...pattern.of.map(unitsOf))
    case 'repeat':
      return times(pattern.max, unitsOf(pattern.of))
  }
}

const times = (count: number, units: number): number => (count === 0 || units === 0 ? 0 : count * units)
