import { describe, expect, it } from 'vitest'
import { AnswerSchema, anyAnswer } from '#core/map/answer-schema.ts'
import { promptFor, requirePrompt } from '#core/map/item-prompt.ts'

const schemaOf = (schema: unknown): AnswerSchema => new AnswerSchema(JSON.stringify(schema), 'schema.json')

describe('a schema of answers', () => {
  const named = schemaOf({ type: 'object', required: ['name'], properties: { name: { type: 'string' } } })

  it.each([
    ['plain', '{"name":"a"}'],
    ['in a code block', '```json\n{"name":"a"}\n```'],
    ['behind thoughts', '<think>{"name": 1}</think>\n{"name":"a"}'],
  ])('accepts a valid answer that stands %s', (_how, answer) => {
    expect(named.check(answer)).toMatchObject({ kind: 'valid', value: { name: 'a' }, json: '{"name":"a"}' })
  })

  it.each([
    ['', 'It is empty.'],
    ['I cannot say.', 'It is not one JSON document.'],
    ['{"name":"a"} and more', 'It is not one JSON document.'],
    ['{"name":1}', '/name must be string.'],
    ['{}', "The document must have required property 'name'."],
  ])('refuses %j and says why', (answer, problem) => {
    expect(named.check(answer)).toEqual({ kind: 'invalid', problem })
  })

  it('keeps numbers of an answer as they are spelled', () => {
    expect(schemaOf({}).check('{"n":12345678901234567890}')).toMatchObject({ json: '{"n":12345678901234567890}' })
  })

  it('checks formats, and reads the drafts 7, 2019-09 and 2020-12', () => {
    const date = schemaOf({ type: 'string', format: 'date' })
    expect([date.check('"2026-02-13"').kind, date.check('"soon"').kind]).toEqual(['valid', 'invalid'])
    for (const draft of [
      'http://json-schema.org/draft-07/schema#',
      'https://json-schema.org/draft/2019-09/schema',
      'https://json-schema.org/draft/2020-12/schema',
    ])
      expect(schemaOf({ $schema: draft, type: 'integer' }).check('1').kind).toBe('valid')
    const pair = schemaOf({ prefixItems: [{ type: 'string' }, { type: 'integer' }] })
    expect([pair.check('["a",1]').kind, pair.check('[1,"a"]').kind]).toEqual(['valid', 'invalid'])
  })

  it('compares equal items of a long list in linear work, whatever the order of their fields', () => {
    const unique = schemaOf({ type: 'array', uniqueItems: true })
    const many = Array.from({ length: 60_000 }, (_, n) => ({ n, text: 'x' }))
    expect(unique.check(JSON.stringify(many)).kind).toBe('valid')
    expect(unique.check('[{"a":1,"b":2},{"b":2,"a":1}]')).toEqual({
      kind: 'invalid',
      problem: 'The document must NOT have duplicate items.',
    })
    expect(schemaOf({ uniqueItems: false }).check('[1,1]').kind).toBe('valid')
  })

  it('compares patterns that go back and forth elsewhere in linear work', () => {
    const pattern = schemaOf({ type: 'string', pattern: '^(a+)+$' })
    expect(pattern.check(`"${'a'.repeat(5_000)}b"`).kind).toBe('invalid')
    expect(pattern.check(`"${'a'.repeat(5_000)}"`).kind).toBe('valid')
    expect(schemaOf({ pattern: '^[\\u00e9/]+$' }).check('"é/"').kind).toBe('valid')
    const two = schemaOf({ properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } })
    expect([two.check('{"a":"a","b":"b"}').kind, two.check('{"a":"a","b":"a"}').kind]).toEqual(['valid', 'invalid'])
    expect(schemaOf({ patternProperties: { '^x-': { type: 'integer' } } }).check('{"x-a":"b"}').kind).toBe('invalid')
  })

  it('fails the answer alone that is nested deeply, or takes a recursive schema more work than there is', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(schemaOf({}).check(deep)).toEqual({ kind: 'invalid', problem: 'It is nested too deeply.' })
    const tree = schemaOf({ $ref: '#/$defs/t', $defs: { t: { type: 'array', items: { $ref: '#/$defs/t' } } } })
    expect([tree.check(deep).kind, tree.check('[[],[[]]]').kind]).toEqual(['invalid', 'valid'])
    // Each level is looked at twice for each look at the level above.
    const twice = schemaOf({
      $ref: '#/$defs/t',
      $defs: { t: { allOf: [{ items: { $ref: '#/$defs/t' } }, { items: { $ref: '#/$defs/t' } }] } },
    })
    expect(twice.check(`${'['.repeat(100)}${']'.repeat(100)}`)).toEqual({
      kind: 'invalid',
      problem: 'It takes too much work to compare it with the schema.',
    })
    expect(twice.check('[[[]]]').kind).toBe('valid')
  })

  it.each([
    ['compared later ($async)', '{"$async":true,"type":"object"}'],
    ['compared later in a part of it', '{"properties":{"a":{"$async":true}}}'],
    ['one with a pattern that only goes back and forth', '{"pattern":"(?=a)b"}'],
    ['no JSON', 'type: object'],
    ['an unknown type', '{"type":"thing"}'],
    ['a reference that leads nowhere', '{"$ref":"https://example.com/other.json"}'],
    ['no schema', '[1]'],
  ])('is refused when it is %s, and the error names the file', (_what, text) => {
    expect(() => new AnswerSchema(text, 'schema.json')).toThrow(/^schema\.json is no JSON Schema .* start again\.$/)
  })
})

it('an answer without a schema is its JSON document, or else its text', () => {
  expect(anyAnswer('{"b":1,"a":2}\n')).toMatchObject({ json: '{"a":2,"b":1}' })
  expect(anyAnswer('done and dusted\n')).toMatchObject({ value: 'done and dusted' })
  expect(anyAnswer('')).toMatchObject({ value: '' })
})

describe('the prompt of an item', () => {
  const item = (value: unknown) => ({ index: 7, json: JSON.stringify(value), hash: '' })

  it('holds a text as it is, everything else as JSON, and replaces nothing within the item', () => {
    const template = requirePrompt('{{ index }}: {{item}} / {{item}}', 'p.md')
    expect(promptFor(template, item('a "b" {{index}} $&'))).toBe('7: a "b" {{index}} $& / a "b" {{index}} $&')
    expect(promptFor(template, item({ a: [1] }))).toBe('7: {"a":[1]} / {"a":[1]}')
  })

  it('is refused without {{item}} and with an unknown placeholder', () => {
    expect(() => requirePrompt('Summarise it.', 'p.md')).toThrow('p.md: the prompt lacks {{item}}.')
    expect(() => requirePrompt('{{item}} {{name}}', 'p.md')).toThrow('{{name}} is not known')
  })
})
