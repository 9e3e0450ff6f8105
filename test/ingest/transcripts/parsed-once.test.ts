import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readHead, type TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { parsedOnce } from '#core/ingest/transcripts/parsed-once.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const texts = ['{"a":1.50}', '{"b":"two"}', '{"c":[3]}']

/** A file whose lines are read again from the disk, as those of a file that is longer than a head. */
function written(): TranscriptHead {
  const path = join(temporaryFolder(), 'session.jsonl')
  writeFileSync(path, `${texts.join('\n')}\n`)
  return { ...readHead(path), allLines: null, lines: [] }
}

type Passes = NonNullable<ReturnType<typeof parsedOnce>>

async function read({ lines, parse }: Passes['looking']): Promise<unknown[]> {
  const values: unknown[] = []
  for await (const chunk of lines())
    for (const line of chunk.lines) if (line.kind === 'text') values.push(parse(line.text))
  return values
}

it('the second reading of a file is given the values of the first, and the first those of its recognition', async () => {
  const begun = [{ text: texts[0] as string, value: { a: 'as recognised' } }]
  const passes = parsedOnce(100, { ...written(), lines: begun }) as Passes
  const first = await read(passes.looking)
  expect(first).toEqual([{ a: 'as recognised' }, { b: 'two' }, { c: [3] }])
  const second = await read(passes.storing)
  expect(second.map((value, at) => value === first[at])).toEqual([true, true, true])
})

it('a line that an agent writes between both readings is left to the next import, and the file is not read again', async () => {
  const head = written()
  const passes = parsedOnce(100, head) as Passes
  const first = await read(passes.looking)
  appendFileSync(head.path, '{"new":1}\n')
  expect(await read(passes.storing)).toEqual(first)
  expect(await read((parsedOnce(100, head) as Passes).storing)).toEqual([...first, { new: 1 }])
})

it('a file that is read once only is given the values of its recognition', async () => {
  const begun = [{ text: texts[0] as string, value: { a: 'as recognised' } }]
  const passes = parsedOnce(100, { ...written(), lines: begun }) as Passes
  expect(await read(passes.storing)).toEqual([{ a: 'as recognised' }, { b: 'two' }, { c: [3] }])
})

it('a line that is cut off is refused in each reading, and the lines behind it keep their values', async () => {
  const passes = parsedOnce(100, written()) as Passes
  expect(() => passes.looking.parse('{"cut')).toThrow(SyntaxError)
  const first = await read(passes.looking)
  expect(() => passes.storing.parse('{"cut')).toThrow(SyntaxError)
  const second = await read(passes.storing)
  expect(second.map((value, at) => value === first[at])).toEqual([true, true, true])
})

it('a file above the size that is kept in memory is read in each reading', () => {
  expect(parsedOnce(4 * 1024 * 1024 + 1, written())).toBeUndefined()
})
