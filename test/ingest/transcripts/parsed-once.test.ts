import { expect, it } from 'vitest'
import { parsedOnce } from '#core/ingest/transcripts/parsed-once.ts'

const texts = ['{"a":1.50}', '{"b":"two"}', '{"c":[3]}']

it('the second reading of a file is given the values of the first, and the first those of its recognition', () => {
  const begun = [{ text: texts[0] as string, value: { a: 'as recognised' } }]
  const parsers = parsedOnce(100, begun)
  const first = texts.map((text) => parsers?.looking(text))
  expect(first).toEqual([{ a: 'as recognised' }, { b: 'two' }, { c: [3] }])
  expect(texts.map((text, at) => parsers?.storing(text) === first[at])).toEqual([true, true, true])
})

it('a line that changed or came between both readings is parsed, and those behind it are found again', () => {
  const parsers = parsedOnce(100)
  const first = texts.map((text) => parsers?.looking(text))
  expect(parsers?.storing(texts[0] as string)).toBe(first[0])
  expect(parsers?.storing('{"new":1}')).toEqual({ new: 1 })
  expect(() => parsers?.storing('{"cut')).toThrow(SyntaxError)
  expect(parsers?.storing(texts[1] as string)).toBe(first[1])
  expect(parsers?.storing('{"c":[4]}')).toEqual({ c: [4] })
  expect(parsers?.storing('{"grown":true}')).toEqual({ grown: true })
})

it('a file above the size that is kept in memory is parsed in each reading', () => {
  expect(parsedOnce(4 * 1024 * 1024 + 1)).toBeUndefined()
})
