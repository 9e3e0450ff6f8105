import fc from 'fast-check'
import { expect, it } from 'vitest'
import { IdNumbers, Numbers } from '../../core/transcripts/id-numbers.ts'

it('numbers ids like a list that is searched', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3, unit: 'binary' }), { maxLength: 200 }), (ids) => {
      const numbers = new IdNumbers()
      const list: string[] = []
      for (const id of ids) {
        expect(numbers.numberOf(id)).toBe(list.indexOf(id))
        if (!list.includes(id)) list.push(id)
        expect(numbers.add(id)).toBe(list.indexOf(id))
      }
      expect(numbers.count).toBe(list.length)
      for (const id of list) expect(numbers.numberOf(id)).toBe(list.indexOf(id))
    }),
    { numRuns: 50 },
  )
})

it('grows with what it holds', () => {
  const numbers = new IdNumbers()
  const list = new Numbers()
  for (let n = 0; n < 20_000; n += 1) list.set(numbers.add(`id ${n}`), n)
  expect(numbers.count).toBe(20_000)
  for (let n = 0; n < 20_000; n += 997) expect(list.get(numbers.numberOf(`id ${n}`))).toBe(n)
  expect([numbers.has('other'), list.get(1_000_000)]).toEqual([false, 0])
})
