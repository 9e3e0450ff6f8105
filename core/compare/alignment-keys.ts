import { YIELD_EVERY } from './align.ts'
import type { Fingerprint } from './fingerprint.ts'

/**
 * Returns the keys by which the messages of both sides are aligned. The key of a message is the hash of its content.
 * For the answer of a tool it also includes the call, so that answers to the same call are paired even if their text
 * occurs often.
 */
export function* alignmentKeys(
  left: readonly Fingerprint[],
  right: readonly Fingerprint[],
): Generator<void, readonly [left: number[], right: number[]]> {
  const answered = yield* answeredAlike(left, right)
  return [left.map((one) => keyOf(one, answered)), right.map((one) => keyOf(one, answered))]
}

/** Finds the answers of tools whose call and text occur exactly once on each side. They belong together. */
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

/** Combines the one call that a message answers and its content. It is negative, so that it differs from every hash. */
function answerKey({ answerIds: [id, ...others], primary }: Fingerprint): number | null {
  return id === undefined || others.length > 0 ? null : -((id % 2 ** 26) * 2 ** 26 + (primary % 2 ** 26)) - 1
}

function keyOf(one: Fingerprint, answered: ReadonlySet<number>): number {
  const key = answerKey(one)
  return key !== null && answered.has(key) ? key : one.primary
}
