import { describe, expect, it } from 'vitest'
import { readSource, readSources, type SourceFile, VALUE } from './source-code.ts'

// Parses every test file, which takes some seconds.

/** A title that begins with one of these words is a part of a sentence whose rest stands elsewhere. */
const CONTINUES =
  /^(?:above|after|also|although|and|as|at|because|before|behind|below|beneath|beside|between|but|by|despite|during|for|from|if|in|into|like|nor|of|on|or|over|since|so|than|that|then|though|through|to|under|until|when|where|which|while|who|whose|with|within|without|yet)\b/i

const PLACEHOLDER = /%[a-z#]|\$[\w.]+/g

const isOnlyValues = (title: string): boolean => !/\p{L}/u.test(title.replaceAll(VALUE, '').replaceAll(PLACEHOLDER, ''))

const fragmentsIn = ({ path, testTitles }: SourceFile): string[] =>
  testTitles
    .filter(({ text, isGroup }) => CONTINUES.test(text) || (!isGroup && isOnlyValues(text)))
    .map(({ text, line }) => `${path}:${line} ${text}`)

describe('the titles of the tests', () => {
  it('are rules and not parts of a sentence that begins elsewhere', () => {
    const files = readSources('test')
    expect(files.flatMap(({ testTitles }) => testTitles).length).toBeGreaterThan(2000)
    const advice = 'Write a rule with subject and verb, which is understood without the `describe` above it.'
    expect(files.flatMap(fragmentsIn), advice).toEqual([])
  })

  it('are found and refused when they begin with a conjunction, a preposition or a relative pronoun, or are a value', () => {
    const code = [
      `it('or nothing, where the pages are not what they should be', () => {})`,
      `it.each([1])('of %s', () => {})`,
      'test.skipIf(a)(`that is $' + '{b}`, () => {})',
      `it.each([1])('%s: $name', () => {})`,
      `it('returns null for an unknown page', () => {})`,
      `describe('in files of every system', () => {})`,
      `test.describe('with a log', () => {})`,
      `describe.each(['a'])('%s', () => {})`,
      `if (/a/.test('of')) pattern.test('and')`,
    ].join('\n')
    expect(fragmentsIn(readSource('a.test.ts', code)).map((text) => text.split(' ')[0])).toEqual([
      'a.test.ts:1',
      'a.test.ts:2',
      'a.test.ts:3',
      'a.test.ts:4',
      'a.test.ts:6',
      'a.test.ts:7',
    ])
  })
})
