import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fingerprintOf } from '#core/compare/fingerprint.ts'
import { type Axis, aligned } from '#core/compare/memories/axis.ts'
import { type Bar, type Paired, pairing } from '#core/compare/memories/summary-pairs.ts'
import { withoutYielding } from '#core/yielding.ts'
import { runs } from '../builders/property-runs.ts'

const said = (text: string) =>
  fingerprintOf({ role: 'user', content: text, reasoning: '', output: '', calls: [], answers: [] })
const axisOf = (a: readonly string[], b: readonly string[]): Axis => withoutYielding(aligned(a.map(said), b.map(said)))
const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 30 })

/** The length of the longest common subsequence, computed the plain way. */
function mostInCommon(a: readonly string[], b: readonly string[]): number {
  const best = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  for (const [row, left] of [...a.entries()].reverse())
    for (const [column, right] of [...b.entries()].reverse()) {
      const [here, below, after] = [best[row] as number[], best[row + 1] as number[], column + 1]
      here[column] =
        left === right ? (below[after] as number) + 1 : Math.max(below[column] as number, here[after] as number)
    }
  return best[0]?.[0] ?? 0
}

it('gives every message of both sides one place, in its order, and shares a place between equal messages only', () => {
  fc.assert(
    fc.property(words, words, (a, b) => {
      const { places, ofA, ofB, atA, atB, shared, runs: parts } = axisOf(a, b)
      expect(places).toBe(a.length + b.length - shared)
      expect(shared).toBeLessThanOrEqual(mostInCommon(a, b))
      for (const [of, at] of [
        [ofA, atA],
        [ofB, atB],
      ] as const) {
        expect([...of]).toEqual([...of].sort((x, y) => x - y))
        expect([...of].map((place) => at[place])).toEqual([...of.keys()])
      }
      for (let place = 0; place < places; place += 1) {
        const [left, right] = [a[atA[place] as number], b[atB[place] as number]]
        expect(left === undefined || right === undefined || left === right).toBe(true)
        expect(left ?? right).toBeDefined()
      }
      expect(
        parts.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, index) => first + index)),
      ).toEqual(Array.from({ length: places }, (_, place) => place))
    }),
    { numRuns: runs(300) },
  )
})

it('shares every place when both sides are equal, and all of one side when messages were only added', () => {
  fc.assert(
    fc.property(words, words, (a, added) => {
      expect(axisOf(a, a).shared).toBe(a.length)
      const distinct = added.map((word, index) => `${word} ${index}`)
      expect(axisOf(a, [...a, ...distinct]).shared).toBe(a.length)
    }),
    { numRuns: runs(200) },
  )
})

const bar = fc
  .record({
    depth: fc.nat(2),
    first: fc.nat(40),
    length: fc.integer({ min: 1, max: 12 }),
    hash: fc.constantFrom('x', 'y'),
  })
  .map(
    ({ depth, first, length, hash }): Bar => ({
      node: 0,
      id: '',
      title: '',
      depth,
      first,
      last: first + length - 1,
      hash,
    }),
  )
const bars = fc.array(bar, { maxLength: 25 })
const pairedOf = (a: readonly Bar[], b: readonly Bar[]): readonly [Paired, Paired] => withoutYielding(pairing(a, b))

it('pairs each summary with at most one of the same depth, and both sides agree', () => {
  fc.assert(
    fc.property(bars, bars, (a, b) => {
      const [ofA, ofB] = pairedOf(a, b)
      for (const [left, right] of ofA.partner.entries()) {
        expect(ofA.state[left] === 'only').toBe(right === -1)
        if (right === -1) continue
        const [one, other] = [a[left] as Bar, b[right] as Bar]
        expect(ofB.partner[right]).toBe(left)
        expect(ofB.state[right]).toBe(ofA.state[left])
        expect(other.depth).toBe(one.depth)
        const isSame = one.first === other.first && one.last === other.last && one.hash === other.hash
        if (ofA.state[left] === 'same') expect(isSame).toBe(true)
        const shared = Math.min(one.last, other.last) - Math.max(one.first, other.first) + 1
        expect(shared * 2).toBeGreaterThanOrEqual(Math.max(one.last, other.last) - Math.min(one.first, other.first) + 1)
      }
      expect([...ofB.partner].filter((at) => at >= 0).length).toBe([...ofA.partner].filter((at) => at >= 0).length)
    }),
    { numRuns: runs(300) },
  )
})

it('leaves no two summaries without a partner that share half of their messages', () => {
  fc.assert(
    fc.property(bars, bars, (a, b) => {
      const [ofA, ofB] = pairedOf(a, b)
      for (const [left, one] of a.entries())
        for (const [right, other] of b.entries()) {
          if (ofA.partner[left] !== -1 || ofB.partner[right] !== -1 || one.depth !== other.depth) continue
          const shared = Math.min(one.last, other.last) - Math.max(one.first, other.first) + 1
          expect(shared * 2).toBeLessThan(Math.max(one.last, other.last) - Math.min(one.first, other.first) + 1)
        }
    }),
    { numRuns: runs(200) },
  )
})
