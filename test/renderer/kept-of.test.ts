import { expect, it } from 'vitest'
import { keptOf } from '#renderer/ui/data/kept-of.ts'

it('gives the same answer for the same object and arguments, and makes another one for anything else', () => {
  let made = 0
  const answer = keptOf((of: readonly number[], ...widths: number[]) => ({ of, widths, number: ++made }))
  const [data, other] = [[1], [1]]
  const first = answer(data, 0)
  expect(answer(data, 0)).toBe(first)
  expect(answer(data, 100)).not.toBe(first)
  expect(answer(data)).toMatchObject({ widths: [] })
  expect(answer(other, 0)).not.toBe(first)
  expect(answer(data, 0)).toBe(first)
  expect(made).toBe(4)
})

it('keeps few answers of an object', () => {
  let made = 0
  const answer = keptOf((_: object, width: number) => width + ++made)
  const data = {}
  for (let width = 0; width < 10; width++) answer(data, width)
  answer(data, 9)
  expect(made).toBe(10)
  answer(data, 0)
  expect(made).toBe(11)
})
