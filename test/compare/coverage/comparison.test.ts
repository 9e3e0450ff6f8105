import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Fingerprint, fingerprintOf } from '#core/compare/fingerprint.ts'
import { Comparison } from '#core/compare/transcript/comparison.ts'
import { runs } from '#test/builders/property-runs.ts'

const said = (content: string, role: 'user' | 'assistant' = 'user'): Fingerprint =>
  fingerprintOf({ role, content, reasoning: '', output: '', calls: [], answers: [] })

const yes = said('yes')
const many = <T>(item: T): T[] => Array(150_000).fill(item)
const three = ['yes', 'no', 'go on'].map((content) => said(content))
const turns = many(yes).map((_, index) => three[index % 3] as Fingerprint)

// Each would take minutes if every occurrence were held against every other.
it.each<[string, readonly Fingerprint[], readonly Fingerprint[], { missing: number; doubled: number }]>([
  ['one word alone', many(yes), many(yes), { missing: 0, doubled: 0 }],
  ['one word, said less often', many(yes), many(yes).slice(7), { missing: 7, doubled: 0 }],
  ['three words in turn, of which some are missing', turns, turns.slice(30), { missing: 30, doubled: 0 }],
  ['three words in turn, of which some are doubled', turns.slice(30), turns, { missing: 0, doubled: 30 }],
  ['one word under another role', many(yes), many(said('yes', 'assistant')), { missing: 0, doubled: 0 }],
])('the comparison of a long conversation of %s yields in many short steps', (_, left, right, { missing, doubled }) => {
  const comparison = new Comparison(left, right)
  let steps = 0
  for (const _step of comparison.matchHashes()) steps += 1
  expect(comparison.openLeft).toHaveLength(missing)
  expect(comparison.duplicates.size).toBe(doubled)
  expect(steps).toBeGreaterThan(100)
})

const answered = (output: string, id: string | null, role: 'tool' | 'user' = 'tool'): Fingerprint =>
  fingerprintOf({ role, content: output, reasoning: '', output, calls: [], answers: id === null ? [] : [id] })

const compared = (left: readonly Fingerprint[], right: readonly Fingerprint[]): Comparison => {
  const comparison = new Comparison(left, right)
  for (const _step of comparison.matchHashes());
  return comparison
}

it('a tool result that recurs as often in the memory as in the transcript is no duplicate, even when other messages are missing', () => {
  const ids = ['a', 'b', 'c', 'd']
  const left = ids.flatMap((id) => [said(`question ${id}`), answered('ok', id)])
  const right = [0, 1, 3, 5, 7].map((index) => left[index] as Fingerprint)
  expect(compared(left, right).duplicates.size).toBe(0)
})

it('a tool result is compared with the answer to the same call, although another answer has the same text', () => {
  const left = [answered('ok', 'a'), answered('failed', 'b'), answered('ok', 'c')]
  const right = [answered('ok', 'c'), answered('ok', 'a'), answered('other', 'b')]
  const comparison = compared(left, right)
  expect([comparison.rightOf(0), comparison.rightOf(2)]).toEqual([1, 0])
  expect(comparison.duplicates.size).toBe(0)
  expect([...comparison.differing]).toEqual([[1, { right: 2, differs: 'text' }]])
})

// A text is duplicated only as often as the memory has it more often than the transcript.
it('a message is a duplicate only when the memory has it more often than the transcript', () => {
  const message = fc.oneof(
    fc
      .constantFrom('ok', 'done', 'yes')
      .chain((text) => fc.constantFrom('tool', 'user').map((role) => answered(text, null, role as 'tool'))),
    fc.tuple(fc.constantFrom('ok', 'done'), fc.constantFrom('a', 'b', 'c')).map(([text, id]) => answered(text, id)),
    fc
      .tuple(fc.constantFrom('ok', 'go on'), fc.constantFrom('user', 'assistant'))
      .map(([text, role]) => said(text, role as 'user')),
  )
  const timesOf = (side: readonly Fingerprint[], key: number): number =>
    side.filter(({ any }) => any.includes(key)).length
  fc.assert(
    fc.property(fc.array(message, { maxLength: 14 }), fc.array(message, { maxLength: 14 }), (left, right) => {
      const { duplicates } = compared(left, right)
      for (const key of new Set(right.flatMap(({ any }) => any))) {
        const doubled = [...duplicates.keys()].filter((at) => right[at]?.any.includes(key)).length
        expect(doubled).toBeLessThanOrEqual(Math.max(0, timesOf(right, key) - timesOf(left, key)))
      }
    }),
    { numRuns: runs(300) },
  )
})
