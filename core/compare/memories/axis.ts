import type { Comparison } from '#core/contract/comparison.ts'
import { alignKeys, longestRising, YIELD_EVERY } from '../align.ts'
import { alignmentKeys } from '../alignment-keys.ts'
import type { Fingerprint } from '../fingerprint.ts'

/** One axis for the messages of two conversations. A *place* holds a message of both, or one of either. */
export type Axis = {
  readonly places: number
  /** By position: its place. */
  readonly ofA: Int32Array
  readonly ofB: Int32Array
  /** By place: the position, or −1. */
  readonly atA: Int32Array
  readonly atB: Int32Array
  readonly shared: number
  readonly runs: Comparison['runs']
}

/** Pairs equal messages in the same order. What is left stands between them, that of A first. */
export function* aligned(a: readonly Fingerprint[], b: readonly Fingerprint[]): Generator<void, Axis> {
  const [left, right] = yield* alignmentKeys(a, b)
  const rightOf = yield* alignKeys(left, right)
  const rising = yield* longestRising(rightOf)
  const pairs = Array.from(rising, (at) => [at, rightOf[at] as number] as const)
  return yield* axisOf(a.length, b.length, pairs)
}

/** The axis of a conversation with itself at another moment, when it may have had more or fewer messages. */
export function* alignedWithItself(a: number, b: number): Generator<void, Axis> {
  return yield* axisOf(
    a,
    b,
    Array.from({ length: Math.min(a, b) }, (_, at) => [at, at] as const),
  )
}

function* axisOf(a: number, b: number, pairs: readonly (readonly [number, number])[]): Generator<void, Axis> {
  const places = a + b - pairs.length
  const [ofA, ofB] = [new Int32Array(a), new Int32Array(b)]
  const [atA, atB] = [new Int32Array(places).fill(-1), new Int32Array(places).fill(-1)]
  const runs: Comparison['runs'] = []
  let [place, inA, inB] = [0, 0, 0]
  const put = (isA: boolean, isB: boolean): void => {
    const run = runs.at(-1)
    if (run && (run.a !== null) === isA && (run.b !== null) === isB) run.last = place
    else runs.push({ first: place, last: place, a: isA ? inA : null, b: isB ? inB : null })
    if (isA) {
      ofA[inA] = place
      atA[place] = inA++
    }
    if (isB) {
      ofB[inB] = place
      atB[place] = inB++
    }
    place += 1
  }
  for (const [index, [toA, toB]] of [...pairs, [a, b] as const].entries()) {
    if (index % YIELD_EVERY === 0) yield
    while (inA < toA) put(true, false)
    while (inB < toB) put(false, true)
    if (index < pairs.length) put(true, true)
  }
  return { places, ofA, ofB, atA, atB, shared: pairs.length, runs }
}
