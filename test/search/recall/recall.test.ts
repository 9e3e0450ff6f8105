import { expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { startEncoder } from '../embeddings/encoder-server.ts'
import { embed, openWith } from '../embeddings/meaning-memory.ts'
import { QUESTION, RANKINGS, readQuestions, recallOf, scoresOf, tableOf } from './recall.ts'

const line = (question: object): string => JSON.stringify(question)

it('counts an answer once, whichever of its messages is found', () => {
  const [question] = readQuestions(line({ question: 'x', evidence: ['msg_1', ['msg_2', 'msg_3']] }))
  if (!question) throw new Error('there is no question')
  expect(recallOf(question, [])).toBe(0)
  expect(recallOf(question, ['msg_2', 'msg_3'])).toBe(0.5)
  expect(recallOf(question, ['msg_3', 'msg_1'])).toBe(1)
})

it('asks every question of every ranking, in its conversation, and adds up by category', async () => {
  using memory = buildMemory({ conversations: [{}, {}] })
  memory.messages(1, ['the pump was replaced in spring', 'nothing of note'])
  memory.messages(2, ['the pump is loud', 'the valve leaks'])
  const questions = readQuestions(
    [
      line({ question: 'pump', conversation: 1, evidence: ['msg_1'], category: 'parts' }),
      line({ question: 'valve?', evidence: ['msg_4'], category: 'parts' }),
      line({ question: 'a gasket', evidence: ['msg_2'], category: 'unknown' }),
      '',
    ].join('\n'),
  )
  using lcm = await openLcm(memory.path, { readOnly: true })
  for (const ranking of Object.values(RANKINGS)) {
    const scores = await scoresOf(lcm, questions, ranking)
    expect(scores.map(({ category, questions: count, at5 }) => [category, count, at5])).toEqual([
      ['parts', 2, 1],
      ['unknown', 1, 0],
      ['together', 3, 2 / 3],
    ])
    expect(tableOf('name', scores).split('\n')).toHaveLength(4)
  }
})

it('finds with vectors what questions ask in other words, and without them only what shares their words', async () => {
  const server = await startEncoder()
  using memory = buildMemory({ conversations: [{}] })
  const filler = Array.from({ length: 30 }, (_, at) => `day ${at}: rain again, and soup`)
  memory.messages(1, [
    ...filler,
    'he bought the red automobile',
    ...filler,
    'a physician looked at the knee',
    ...filler,
  ])
  const questions = readQuestions(
    [
      line({ question: 'purchase of a vehicle?', evidence: ['msg_31'] }),
      line({ question: 'which doctor?', evidence: ['msg_62'] }),
    ].join('\n'),
  )
  const lcm = await openWith(memory.path, server.url)
  const before = await scoresOf(lcm, questions, QUESTION)
  expect(before.at(-1)).toMatchObject({ at10: 0 })
  await embed(lcm)
  const after = await scoresOf(lcm, questions, QUESTION)
  expect(after.at(-1)).toMatchObject({ at5: 1, at10: 1 })
  lcm.close()
  await server.close()
})
