import { YIELD_EVERY } from './align.ts'
import type { Fingerprint } from './fingerprint.ts'

/**
 * The keys by which the messages of both sides are aligned: the hash of what a message says or, for the answer of a tool
 * that can be told by its call, a key of that call and the hash. Such answers go together however often their text recurs.
 */
export function* alignmentKeys(
  left: readonly Fingerprint[],
  right: readonly Fingerprint[],
): Generator<void, readonly [left: number[], right: number[]]> {
  const answered = yield* answeredAlike(left, right)
  return [left.map((one) => keyOf(one, answered)), right.map((one) => keyOf(one, answered))]
}

/** Answers of tools whose call and text are the same on both sides, once on each: they go together, whatever recurs. */
function* answeredAlike(
  left: readonly Fingerprint[],
  right: readonly Fingerprint[],
): Generator<void, ReadonlySet<number>> {
  const both: ReadonlyMap<number, number>[] = []
  for (const side of [left, right]) {
    const times = new Map<number, number>()
    for (const [at, one] of side.entries()) {
      if (at % YIELD_EVERY === 0) yield
      const key = answerKey(one)
      if (key !== null) times.set(key, (times.get(key) ?? 0) + 1)
    }
    both.push(times)
  }
  const [ours, theirs] = both
  return new Set([...(ours ?? [])].flatMap(([key, times]) => (times === 1 && theirs?.get(key) === 1 ? key : [])))
}

/** Of the one call that a message answers, and what it says; below 0, so that it is no other hash. */
function answerKey({ answerIds: [id, ...others], primary }: Fingerprint): number | null {
  return id === undefined || others.length > 0 ? null : -((id % 2 ** 26) * 2 ** 26 + (primary % 2 ** 26)) - 1
}

function keyOf(one: Fingerprint, answered: ReadonlySet<number>): number {
  const key = answerKey(one)
  return key !== null && answered.has(key) ? key : one.primary
}
