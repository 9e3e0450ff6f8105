import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openLcm } from '#core/lcm.ts'
import { TranscriptBuilder, text } from '../builders/claude-code.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { lcmHere } from '../doors/cli/lcm.ts'
import { type Connected, connect } from '../doors/mcp/mcp-client.ts'

const TABLE = [
  'id,name,price',
  ...Array.from({ length: 5000 }, (_, row) => `${row},"item ${row} — ñandú 🙂",${row * 3}.50`),
].join('\r\n')
const OTHER = Array.from(
  { length: 4000 },
  (_, line) => `2026-03-02T09:00:00Z INFO request ${line} took ${line % 90} ms`,
).join('\n')

let db = ''
let server: Connected | null = null
let ids: Readonly<Record<string, string>> = {}

const Files = z.object({ files: z.array(z.looseObject({ id: z.string(), fileName: z.string() })) })
const File = z.looseObject({
  content: z.string().nullable(),
  condition: z.string(),
  lines: z.int().nullable(),
  next: z.int().nullable(),
  hits: z.array(z.object({ line: z.int(), excerpt: z.string() }).loose()),
})
const Part = z.looseObject({ content: z.string(), nextOffset: z.int().nullable(), next: z.int().nullable() })

const file = async (...args: readonly string[]) =>
  File.parse(JSON.parse((await lcmHere(['file', ...args, '--db', db, '--json'])).stdout))

beforeAll(async () => {
  const story = new TranscriptBuilder()
  story.user(`Look at <file name="prices.csv" mime="text/csv">${TABLE}</file>`)
  story.answer('a0', [text('A table of prices.')])
  story.user(`${OTHER}`)
  for (let turn = 1; turn < 60; turn += 1) {
    story.answer(`a${turn}`, [text(`Answer ${turn}. ${'What I found is this. '.repeat(30)}`)])
    story.user(`Question ${turn}? ${'Tell me more of it. '.repeat(30)}`)
  }
  db = join(temporaryFolder(), 'lcm.db')
  expect((await lcmHere(['import', story.write(), '--db', db])).code).toBe(0)
  const settings = ['leafChunkTokens=1500', 'leafTargetTokens=150', 'condensedTargetTokens=150', 'freshTailCount=2']
  const compact = ['compact', '--db', db, '--mode', 'full', ...settings.flatMap((one) => ['--set', one])]
  expect((await lcmHere(compact)).code).toBe(0)
  const { files } = Files.parse(JSON.parse((await lcmHere(['files', '--db', db, '--json'])).stdout))
  ids = Object.fromEntries(files.map(({ fileName, id }) => [fileName, id]))
})
afterAll(() => server?.close())

describe('a large file after a compaction', () => {
  // "File ids travel through every compaction up to the root."
  it('is named by the root that stands for its message, and comes back from there byte for byte', async () => {
    using lcm = await openLcm(db, { readOnly: true })
    const window = lcm.context.assemble({ conversationId: 1 })
    const [oldest] = window.items.filter(({ kind }) => kind !== 'message')
    const root = lcm.retrieval.describe(oldest?.id ?? '', 100)
    expect(root.depth).toBeGreaterThan(0)
    expect(root.fileIds).toEqual(expect.arrayContaining(Object.values(ids)))
    const id = ids['prices.csv'] ?? ''
    const described = lcm.retrieval.describe(id, 1000)
    expect(described).toMatchObject({ kind: 'file', dependents: ['msg_1'], visibility: 'covered' })
    const pages: string[] = []
    for (let page: number | null = 1; page !== null; ) {
      const read: Awaited<ReturnType<typeof lcm.fileReader.read>> = await lcm.fileReader.read(
        id,
        { kind: 'page', page },
        new AbortController().signal,
      )
      pages.push(read.text)
      page = read.next
    }
    expect(pages.join('')).toBe(TABLE)
    expect(JSON.stringify(window)).not.toContain('item 2500')
  })

  it('is read by the command line whole, by page, by lines and by search', async () => {
    const id = ids['prices.csv'] ?? ''
    expect(await file(id)).toMatchObject({ content: TABLE, condition: 'sound', isCut: false, lines: 5001 })
    const first = await file(id, '--page', '1')
    const second = await file(id, '--page', '2')
    expect(TABLE.startsWith(`${first.content}${second.content}`)).toBe(true)
    expect(first.next).toBe(2)
    expect((await file(id, '--lines', '2-3')).content).toBe(TABLE.split('\r\n').slice(1, 3).join('\r\n').concat('\r\n'))
    const found = await file(id, '--find', 'ITEM 49\\d\\d', '--regex')
    expect(found.hits[0]).toMatchObject({ line: 4902, excerpt: expect.stringContaining('item 4900') })
    const described = await lcmHere(['describe', id, '--lines', '2', '--db', db, '--json'])
    expect(JSON.parse(described.stdout)).toMatchObject({ id, content: `${TABLE.split('\r\n')[1]}\r\n` })
    expect((await lcmHere(['file', id, '--lines', '3-2', '--db', db])).code).toBe(2)
    expect((await lcmHere(['file', 'sum_0', '--db', db])).code).not.toBe(0)
  })

  it('is read by an agent in parts that keep to the cap on tokens', async () => {
    server = await connect(['--db', db])
    const id = ids['prices.csv'] ?? ''
    let content = ''
    let [page, offset] = [1, 0]
    for (let calls = 0; calls < 60; calls += 1) {
      const { data } = await server.call('lcm_describe', { id, page, offset, tokenCap: 8000 })
      const part = Part.parse(data)
      content += part.content
      if (part.nextOffset !== null) offset = part.nextOffset
      else if (part.next === null) break
      else [page, offset] = [part.next, 0]
    }
    expect(content).toBe(TABLE)
    const lines = await server.call('lcm_describe', { id, lines: '10-11' })
    expect(lines.data.content).toBe(`${TABLE.split('\r\n').slice(9, 11).join('\r\n')}\r\n`)
    const { data } = await server.call('lcm_describe', { id: ids['pasted text'], find: 'request 39', tokenCap: 500 })
    expect(data).toMatchObject({
      hits: expect.arrayContaining([expect.objectContaining({ line: 40 })]),
      next: expect.any(Number),
    })
    expect(JSON.stringify(data)).not.toContain('/lcm-files/')
  })
})
