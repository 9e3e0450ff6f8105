import { expect, it } from 'vitest'
import { GrepInput, type GrepRequest } from '#core/contract/retrieval.ts'
import { openLcm } from '#core/lcm.ts'
import { inProject } from '#scripts/project.mjs'
import { buildMemory } from '#test/builders/memory.ts'

/** Three messages under two summaries of the window: one repeats what was said, the other does not. */
async function askedOf(request: GrepRequest) {
  using memory = buildMemory()
  const conversation = memory.conversation()
  const [kept = 0, dropped = 0, last = 0] = memory.messages(conversation, [
    'The Zürich payroll failed with PAY-1187.',
    'Payment PAY-1187 was charged twice, says Zürich.',
    'An open end.',
  ])
  memory.leaf(conversation, [kept], { id: 'sum_keeps', content: 'Zurich: a payroll run failed (pay-1187).' })
  memory.leaf(conversation, [dropped], { id: 'sum_drops', content: 'A customer paid twice; PAY-2000 followed.' })
  memory.window(conversation, ['sum_keeps', 'sum_drops', last])
  using lcm = await openLcm(memory.path, { readOnly: true })
  const { hits } = await lcm.retrieval.grep(GrepInput.parse({ scope: 'messages', sort: 'oldest', ...request }))
  return hits.map(({ id, coverInWindow, isSeenInCover }) => [id, coverInWindow, isSeenInCover])
}

it.each<[string, GrepRequest]>([
  ['a typed identifier', { query: 'PAY-1187' }],
  ['a word with an accent', { query: 'Zürich' }],
  ['a regular expression that matches something else there', { query: '(?i)PAY-\\d+', mode: 'regex' }],
  ['a pattern with look-around', { query: '(?<=PAY-)1187', mode: 'regex' }],
])('calls a hit seen in its cover only when the text of that summary contains %s', async (_, request) => {
  expect(await askedOf(request)).toEqual([
    ['msg_1', 'sum_keeps', true],
    ['msg_2', 'sum_drops', false],
  ])
})

it('searches the cover for the word that was found, not for another word with the same prefix', async () => {
  expect(await askedOf({ query: 'pay*' })).toEqual([
    ['msg_1', 'sum_keeps', true],
    ['msg_2', 'sum_drops', false],
  ])
})

it('searches the cover for every word of the query', async () => {
  expect(await askedOf({ query: 'charged twice' })).toEqual([['msg_2', 'sum_drops', false]])
  expect(await askedOf({ query: 'payroll failed' })).toEqual([['msg_1', 'sum_keeps', true]])
})

it('searches the cover with the case of a literal search', async () => {
  expect(await askedOf({ query: 'PAY-1187', mode: 'literal', caseSensitive: true })).toEqual([
    ['msg_1', 'sum_keeps', false],
    ['msg_2', 'sum_drops', false],
  ])
})

it('does not call PAY-1187 in the sample seen through summaries that lack it', async () => {
  using lcm = await openLcm(inProject('resources/sample.db'), { readOnly: true })
  const { hits } = await lcm.retrieval.grep(GrepInput.parse({ query: 'PAY-1187' }))
  const covered = hits.filter(({ coverInWindow }) => coverInWindow !== null)
  expect(covered.length).toBeGreaterThan(0)
  for (const { coverInWindow, isSeenInCover } of covered) {
    const text = lcm.retrieval.describe(coverInWindow ?? '', 100_000).content
    expect(isSeenInCover).toBe(/pay-1187/i.test(text))
  }
})
