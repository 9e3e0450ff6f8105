import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MapItem, readItems } from '#core/map/items.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { NEVER } from './map-work.ts'

const folder = temporaryFolder()
let files = 0

function fileOf(content: string | Buffer, name = 'items.json'): string {
  files += 1
  mkdirSync(join(folder, String(files)))
  const path = join(folder, String(files), name)
  writeFileSync(path, content)
  return path
}

async function itemsOf(content: string | Buffer, name?: string): Promise<MapItem[]> {
  const items: MapItem[] = []
  for await (const chunk of readItems(fileOf(content, name), NEVER)) items.push(...chunk.items)
  return items
}

const jsonOf = async (content: string | Buffer, name?: string): Promise<string[]> =>
  (await itemsOf(content, name)).map(({ json }) => json)

const problemOf = (content: string | Buffer, name?: string): Promise<string> =>
  itemsOf(content, name).then(
    () => 'no problem',
    (error: Error & { code: string }) => `${error.code}: ${error.message}`,
  )

describe('the items of an input', () => {
  it('are the elements of a JSON array or the lines of JSONL, with the same text and hash in both', async () => {
    const values = [{ b: 1, a: [true, null] }, 'text', 3, [], { '10': 1, '9': 2 }]
    const asArray = await itemsOf(JSON.stringify(values, null, 2))
    const asLines = await itemsOf(`${values.map((value) => JSON.stringify(value)).join('\r\n\n')}\n`, 'items.jsonl')
    expect(asArray).toEqual(asLines)
    expect(asArray.map(({ json }) => json)).toEqual(['{"a":[true,null],"b":1}', '"text"', '3', '[]', '{"10":1,"9":2}'])
    expect(asArray[0]?.hash).toBe(createHash('sha256').update('{"a":[true,null],"b":1}').digest('hex'))
  })

  it('are lines when the file is called .jsonl or .ndjson, even if the first line is an array', async () => {
    expect(await jsonOf('[1]\n[2]\n', 'pairs.ndjson')).toEqual(['[1]', '[2]'])
    expect(await jsonOf('[1,\n2]', 'pairs.json')).toEqual(['1', '2'])
    expect(await jsonOf('{"a":1}\n{"a":2}', 'pairs.txt')).toEqual(['{"a":1}', '{"a":2}'])
  })

  it('keep the spelling of numbers that JavaScript would write differently', async () => {
    const numbers = '12345678901234567890,1.50,1e3'
    expect(await jsonOf(`[${numbers}]`)).toEqual(numbers.split(','))
    expect(await jsonOf(numbers.replaceAll(',', '\n'), 'n.jsonl')).toEqual(numbers.split(','))
  })

  it('may begin with a byte order mark and white space', async () => {
    expect(await jsonOf('\ufeff \n [1]')).toEqual(['1'])
    expect(await jsonOf('\ufeff{"a":1}', 'x.jsonl')).toEqual(['{"a":1}'])
  })

  it('are numbered in the order of the file, whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { minLength: 1 }), async (values) => {
        const asArray = await itemsOf(JSON.stringify(values))
        expect(asArray.map(({ index }) => index)).toEqual(values.map((_value, index) => index))
        const normal = values.map((value) => JSON.parse(JSON.stringify(value)))
        expect(asArray.map(({ json }) => JSON.parse(json))).toEqual(normal)
        expect(await itemsOf(values.map((value) => JSON.stringify(value)).join('\n'), 'v.jsonl')).toEqual(asArray)
      }),
    )
  })
})

describe('an input that is no list of JSON', () => {
  it.skipIf(process.platform === 'win32')(
    'is refused when it is a named pipe, whose other end is not waited for',
    async () => {
      const path = join(temporaryFolder(), 'items.jsonl')
      execFileSync('mkfifo', [path])
      await expect(Array.fromAsync(readItems(path, NEVER))).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('no regular file'),
      })
    },
  )

  it.each([
    ['a line that is cut off', '{"a":1}\n{"a":', 'x.jsonl', /line 2: it is not valid JSON/],
    ['two values on one line', '{"a":1}{"a":2}\n', 'x.jsonl', /line 1: it is not valid JSON/],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22, 0x0a]), 'x.jsonl', /line 1: it is not UTF-8/],
    ['an array that is cut off', '[1,\n2', 'x.json', /line 1: not valid JSON: the document is cut off/],
    ['text behind the array', '[1] x', 'x.json', /line 1: not valid JSON/],
    ['a value that is nested too deeply', `${'['.repeat(3000)}${']'.repeat(3000)}`, 'x.jsonl', /nested too deeply/],
    ['an element that is nested too deeply', `[${'['.repeat(3000)}${']'.repeat(3000)}]`, 'x.json', /nested too deeply/],
  ])('is refused, and the error names the line and what to do: %s', async (_what, content, name, expected) => {
    const problem = await problemOf(content, name)
    expect(problem).toMatch(/^invalid_argument: /)
    expect(problem).toMatch(expected)
    expect(problem).toMatch(/start again\. Nothing was called\.$/)
  })

  it('is refused when it is missing or a folder', async () => {
    const read = (path: string): Promise<unknown> => Array.fromAsync(readItems(path, NEVER))
    await expect(read(join(folder, 'nowhere.json'))).rejects.toMatchObject({ code: 'file_missing' })
    await expect(read(folder)).rejects.toMatchObject({ code: 'invalid_argument' })
  })
})
