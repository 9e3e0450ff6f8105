import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { runToEnd } from '#core/yielding.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { fired, scanFile } from '../integrity/scan-file.ts'

const settings = readSettings({ LCM_LARGE_FILE_TOKEN_THRESHOLD: '1000' })
const log = (rows: number): string =>
  Array.from({ length: rows }, (_, row) => `2026-03-02T09:00:00Z INFO request ${row} took ${row % 90} ms`).join('\n')
const PASTED = `Look: <file name="server.log" mime="text/plain">\n${log(400)}\n</file> What is it?`
const OUTPUT = log(500)

function memoryWithLargeTexts(): TestMemory {
  const memory = buildMemory({
    conversations: [
      {
        messages: [
          { content: `compacted ${log(300)}` },
          { content: PASTED },
          {
            role: 'tool',
            content: OUTPUT,
            parts: [{ part_type: 'tool', tool_name: 'bash', tool_call_id: 't1', tool_output: null, is_content: 1 }],
          },
          { content: 'short', role: 'assistant' },
        ],
      },
    ],
  })
  memory.leaf(1, [1], { content: 'what was said first' })
  return memory
}

async function copyOf(memory: TestMemory) {
  const to = join(temporaryFolder(), 'copy.db')
  const from = await openLcm(memory.path, { settings })
  const job = copyMemory({ from, to, largeTexts: from.largeTextsOf(to) }, new AbortController().signal)
  const report = await runToEnd(job)
  from.close()
  return { to, report, copy: await openLcm(to, { settings }) }
}

it('moves the large texts of a working copy into files that read back byte for byte', async () => {
  using memory = memoryWithLargeTexts()
  const { to, report, copy } = await copyOf(memory)
  expect(report).toMatchObject({ verified: true, messages: 4, largeTexts: { messages: 2, files: 2 } })
  const files = copy.retrieval.files(1)
  const contents = files.map(({ storageUri }) => readFileSync(storageUri, 'utf8')).sort()
  expect(contents).toEqual([OUTPUT, `\n${log(400)}\n`].sort())
  expect(files.every(({ storageUri }) => storageUri.startsWith(join(dirname(to), 'lcm-files')))).toBe(true)
  for (const { id } of files) {
    const { condition } = await copy.fileReader.check(id, new AbortController().signal)
    expect(condition).toBe('sound')
  }
  // The original has not changed, and with the contents in place of the references the copy says the same.
  const texts = copy.read.column<string>('SELECT content FROM messages ORDER BY message_id')
  const original = memory.db.column<string>('SELECT content FROM messages ORDER BY message_id')
  expect(original[1]).toBe(PASTED)
  const reference = /\[LCM File: (file_\w+) \|[^\]]*\]\n\nExploration Summary:\n[\s\S]*?\n(?= What is it\?|$)/g
  const restored = texts.map((text) =>
    text.replace(reference, (_, id) => {
      const { storageUri = '', fileName } = files.find((file) => file.id === id) ?? {}
      const content = readFileSync(storageUri, 'utf8')
      return fileName === 'server.log' ? `<file name="server.log" mime="text/plain">${content}</file>` : content
    }),
  )
  expect(restored).toEqual(original)
  copy.close()
})

it('leaves a message in place from which a summary was made, and the copy is sound', async () => {
  using memory = memoryWithLargeTexts()
  const { to, copy } = await copyOf(memory)
  expect(copy.read.value<string>('SELECT content FROM messages WHERE message_id = 1')).toBe(`compacted ${log(300)}`)
  expect(copy.read.value<number>('SELECT sum(token_count) FROM messages WHERE message_id IN (2, 3)')).toBeLessThan(1500)
  copy.close()
  expect(fired(await scanFile(to))).toEqual(fired(await scanFile(memory.path)))
})

it('finds what was moved by a search of files, and the reference by a search of messages', async () => {
  using memory = memoryWithLargeTexts()
  const { copy } = await copyOf(memory)
  const ask = async (scope: 'files' | 'messages') =>
    (
      await copy.retrieval.grep({
        ...{ query: 'request 399 took', mode: 'literal', match: 'auto', scope, sort: 'oldest', limit: 50 },
        exactTotal: true,
      })
    ).hits
  expect((await ask('files')).map(({ line }) => line).sort()).toEqual([400, 401])
  expect(await ask('messages')).toEqual([])
  copy.close()
})
