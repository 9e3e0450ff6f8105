import { expect, it } from 'vitest'
import { checkCitations } from '#core/agents/expand-query/cited-answer.ts'

const read = new Set(['msg_1', 'msg_12', 'sum_0123456789abcdef', 'pi-summary 7'])

it('keeps citations of what was read and removes the others', () => {
  expect(checkCitations('It broke [msg_12]. It was fixed [msg_99].', read)).toEqual({
    text: 'It broke [msg_12]. It was fixed.',
    cited: ['msg_12'],
    dropped: ['msg_99'],
  })
})

it('finds citations in lists, other brackets and running text', () => {
  const answer = 'See [msg_1, msg_2; sum_0123456789abcdef] and (msg_12) and msg_3, but [not an id] stays.'
  expect(checkCitations(answer, read)).toEqual({
    text: 'See [msg_1, sum_0123456789abcdef] and [msg_12] and an id that was not read, but [not an id] stays.',
    cited: ['msg_1', 'sum_0123456789abcdef', 'msg_12'],
    dropped: ['msg_2', 'msg_3'],
  })
})

it('does not take a part of an id for the id', () => {
  expect(checkCitations('a [msg_123] b', read)).toMatchObject({ cited: [], dropped: ['msg_123'] })
  expect(checkCitations('nothing here', read)).toEqual({ text: 'nothing here', cited: [], dropped: [] })
})
