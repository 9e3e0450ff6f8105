import { expect, it } from 'vitest'
import { parseExactly } from '#core/ingest/transcripts/json-objects.ts'

it('keeps how a number is spelled that JavaScript writes otherwise', () => {
  const text = '{"a":1.50,"b":0.12345678901234567,"c":1e2,"d":[12345678901234567890],"e":"2.50","f":2.5}'
  expect(JSON.stringify(parseExactly(text))).toBe(text)
})

it('parses a text with a number of many digits in the time of a few readings of it', { timeout: 4000 }, () => {
  const value = { said: `The number is: 3.${'1'.repeat(50_000)}!` }
  expect(parseExactly(JSON.stringify(value))).toEqual(value)
})
