import { describe, expect, it } from 'vitest'
import { explored, exploredSource, generatedSource } from './explored.ts'

const person = (index: number) =>
  JSON.stringify({
    id: index,
    name: `person ${index}`,
    active: index % 3 === 0,
    joined: '2024-05-01',
    tags: ['a', 'b'],
  })

describe('the summary of JSON', () => {
  it('names the keys of a document with their values', async () => {
    const { type, summary } = await explored(JSON.stringify({ name: 'lcm', port: 80, on: true, hosts: ['a', 'b'] }))
    expect(type).toBe('json')
    expect(summary).toContain('- name: "lcm"')
    expect(summary).toContain('- port: integer 80')
    expect(summary).toContain('- on: true')
    expect(summary).toContain('- hosts: array of 2: "a", "b"')
  })

  it('describes the records of an array together, with ranges and keys that some lack', async () => {
    const { summary } = await explored(JSON.stringify([{ a: 1, b: null }, { a: 7 }, { a: 3, b: 'x' }]))
    expect(summary).toContain('array of 3 objects {a, b?}')
    expect(summary).toContain('- [].a: integer 1 to 7')
    expect(summary).toContain('- [].b: "x"; null 1 of 2 times')
  })

  it('describes the values of a dictionary together instead of naming each key', async () => {
    const packages = Object.fromEntries(
      Array.from({ length: 400 }, (_, n) => [`node_modules/p${n}`, { version: `${n}.0` }]),
    )
    const { summary } = await explored(JSON.stringify({ packages }))
    expect(summary).toContain('- packages: dictionary of 400 names such as node_modules/p0')
    expect(summary).toContain('- packages.*.version: text of 3 to 5 characters such as "0.0"')
  })

  it('counts the records of JSON lines and leaves out lines that are none', async () => {
    const lines = [...Array.from({ length: 50 }, (_, n) => person(n)), '{"broken', person(51)].join('\n')
    const { type, mime, summary } = await explored(lines, { name: 'people.jsonl' })
    expect(type).toBe('jsonl')
    expect(mime).toBe('application/x-ndjson')
    expect(summary).toContain('51 records, each an object {id, name, active, joined, tags}')
    expect(summary).toContain('1 line is not JSON and left out')
    expect(summary).toContain('- id: integer 0 to 51')
    expect(summary).toContain('- joined: time 2024-05-01')
    expect(summary).toContain('- active: boolean (18 true, 33 false)')
  })

  it('accepts comments and a comma too many, as configuration files have them', async () => {
    const { type, summary } = await explored(
      '{\n  // which port\n  "port": 80, /* and "host" */\n  "host": "a//b",\n}\n',
    )
    expect(type).toBe('json')
    expect(summary).toContain('- port: integer 80')
    expect(summary).toContain('- host: "a//b"')
  })

  it('says so when a document is cut off, and describes what there is', async () => {
    const { summary } = await explored(`{"a": 1, "b": [${'1,'.repeat(50_000)}`)
    expect(summary).toContain('It was read only in part: it is cut off before its end')
    expect(summary).toContain('- a: integer 1')
    expect(summary).toContain('- b: array of 50,000: integer 1')
  })

  it('keeps only the beginning of a very long text', async () => {
    const { summary } = await explored(JSON.stringify({ image: 'QUJD'.repeat(500_000), after: '\\"x' }))
    expect(summary).toContain('- image: "QUJD')
    expect(summary).toContain('- after: "\\"x"')
  })

  it('has 200 to 500 tokens for many records', async () => {
    const { tokens } = await exploredSource(generatedSource(20_000, person))
    expect(tokens).toBeGreaterThanOrEqual(200)
    expect(tokens).toBeLessThanOrEqual(500)
  })
})
