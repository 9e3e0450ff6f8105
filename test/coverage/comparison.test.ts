import { expect, it } from 'vitest'
import { Comparison } from '../../core/coverage/comparison.ts'
import { type Fingerprint, fingerprintOf } from '../../core/coverage/fingerprint.ts'

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
])('a long conversation of %s is compared in many short steps', (_, left, right, { missing, doubled }) => {
  const comparison = new Comparison(left, right)
  let steps = 0
  for (const _step of comparison.matchHashes()) steps += 1
  expect(comparison.openLeft).toHaveLength(missing)
  expect(comparison.duplicates.size).toBe(doubled)
  expect(steps).toBeGreaterThan(100)
})
