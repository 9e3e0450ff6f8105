import fc from 'fast-check'
import { expect, it } from 'vitest'
import { IdNumbers, Numbers } from '#core/ingest/transcripts/id-numbers.ts'

it('gives each id its index in the order of arrival', () => {
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

it('separates texts that are nearly equal, short or long', () => {
  const long = 'a text of many words '.repeat(20)
  const texts = ['', '\0', '\0\0', 'a', 'a\0', '\0a', 'ab', 'ba', 'ab\0', long, `${long} `, ` ${long}`, `${long}\0`]
  const numbers = new IdNumbers()
  for (const text of texts) numbers.add(text)
  expect(numbers.count).toBe(texts.length)
  expect(texts.map((text) => numbers.numberOf(text))).toEqual(texts.map((_, at) => at))
})

it('treats a lone surrogate like the replacement character that is stored for it', () => {
  const numbers = new IdNumbers()
  expect(numbers.add('a\uD800')).toBe(numbers.numberOf('a\uFFFD'))
})
