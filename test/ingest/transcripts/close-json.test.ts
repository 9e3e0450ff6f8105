import { expect, it } from 'vitest'
import { closeJson } from '#core/ingest/transcripts/close-json.ts'

it('keeps what is complete before the end of a text that was cut off, and closes what is open there', () => {
  expect(closeJson('{"a": [1, {"b": "x, y"}, {"c')).toEqual({ value: { a: [1, { b: 'x, y' }, {}] }, isCut: true })
  expect(closeJson('[1, 2] and more')).toEqual({ value: [1, 2], isCut: false })
  expect(closeJson('} no JSON')).toEqual({ value: undefined, isCut: true })
})

it('takes as long for a text that is nested deeply as for any other of its length', { timeout: 5000 }, () => {
  const text = '['.repeat(900) + '0,'.repeat(1_500_000)
  expect(closeJson(text)).toMatchObject({ isCut: true })
})
