import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { benchmarksPage, CAUSES } from '#docs/benchmarks.ts'
import { goalText, isMet, peerRows, valueText } from './peer-rows.ts'

const row = { what: 'a question ÷ bare SQL', unit: '×' } as const

it('meets a goal that is the most or the least at exactly its figure', () => {
  expect(isMet({ ...row, goal: { atMost: 1.5 }, value: 1.5 })).toBe(true)
  expect(isMet({ ...row, goal: { atMost: 1.5 }, value: 1.51 })).toBe(false)
  expect(isMet({ ...row, goal: { atLeast: 0.7 }, value: 0.7 })).toBe(true)
  expect(isMet({ ...row, goal: { atLeast: 0.7 }, value: 0.69 })).toBe(false)
})

it('neither meets nor misses a goal that was not measured, nor a figure without a goal', () => {
  expect(isMet({ ...row, goal: { atMost: 1 }, value: null })).toBeNull()
  expect(isMet({ ...row, value: 3 })).toBeNull()
})

it('writes figures and goals with their unit', () => {
  expect(valueText({ ...row, value: 1.234 })).toBe('1.23 ×')
  expect(valueText({ ...row, unit: 'ms', value: 1234.5 })).toBe('1,235 ms')
  expect(valueText({ ...row, value: null })).toBe('not measured')
  expect(goalText({ ...row, goal: { atLeast: 0.95 } })).toBe('≥ 0.95 ×')
})

it('says of each row of the page whether its goal was met', () => {
  const results = [
    { ...row, goal: { atMost: 2 }, value: 1 },
    { ...row, what: 'another', goal: { atMost: 2 }, value: 3 },
    { ...row, what: 'a third', goal: { atMost: 2 }, value: null },
  ]
  const page = benchmarksPage({ messages: 20_000, node: 'v24.0.0', results })
  expect(page).toContain('| a question ÷ bare SQL | 1 × | ≤ 2 × | met |')
  expect(page).toContain('| another | 3 × | ≤ 2 × | **missed** |')
  expect(page).toContain('| a third | not measured | ≤ 2 × |  |')
  expect(page).toContain('1 goals are met and 1 are missed')
})

it('says of each missed goal why, and shows how rows about the size of a memory grow', () => {
  const [first = ''] = Object.keys(CAUSES)
  const bySize = [
    { messages: 20_000, value: 1 },
    { messages: 1_000_000, value: 4 },
  ]
  const results = [{ ...row, what: first, goal: { atMost: 2 }, value: 4, bySize }]
  const page = benchmarksPage({ messages: 1_000_000, node: 'v24.0.0', results })
  expect(page).toContain(`- *${first}*: ${CAUSES[first]}`)
  expect(page).toContain(`| messages | 20,000 | 1,000,000 |\n| --- | --- | --- |\n| ${first} | 1 × | 4 × |`)
})

it('gives the causes of rows that there are', () => {
  expect(peerRows.map(({ what }) => what)).toEqual(expect.arrayContaining(Object.keys(CAUSES)))
})

it('has the rows and goals of the benchmark in docs/benchmarks.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/benchmarks.md'), 'utf8')
  const [table = ''] = page.split('\n## ')
  const written = [...table.matchAll(/^\| ([^|]+) \| [^|]+ \| ([^|]*) \|/gmu)].map(([, what, goal = '']) => [
    what,
    goal.trim(),
  ])
  expect(written).toEqual(peerRows.map((one) => [one.what, goalText(one)]))
})
