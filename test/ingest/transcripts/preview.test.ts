import { appendFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ImportPreview } from '#core/contract/import.ts'
import { previewImport } from '#core/ingest/transcripts/preview-import.ts'
import { SESSION, TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { writeJson, writeLines } from '#test/builders/transcript-rows.ts'
import { agentDatabase } from '#test/perf/agent-database.ts'

const story = (turns: number): TranscriptBuilder => {
  const told = new TranscriptBuilder()
  for (let n = 0; n < turns; n += 1) {
    told.user(`question ${n} ${'in many words '.repeat(60)}`)
    told.answer(`msg_${n}`, [text(`answer ${n}`)])
  }
  return told
}

const preview = (paths: readonly string[], db = null as Parameters<typeof previewImport>[0]['db']) =>
  previewImport({ paths, db, clock: () => 0 })

it('says what an import would add, and writes nothing', async () => {
  using memory = buildMemory()
  const told = story(2)
  told.record({ type: 'system', subtype: 'compact_boundary', compactMetadata: { trigger: 'auto' } })
  told.user('A summary.', { isCompactSummary: true })
  const path = told.write()
  const before = statSync(path)
  const result = await preview([path], memory.db)
  expect(ImportPreview.parse(result)).toEqual(result)
  expect(result).toMatchObject({
    bytes: before.size,
    notLookedAt: 0,
    files: [
      {
        path,
        format: 'claude-code',
        label: 'Claude Code',
        sessionId: SESSION,
        title: expect.stringMatching(/^question 0/),
        cwd: '/work/shop',
        conversations: 1,
        messages: 5,
        compactions: 1,
        skipped: 0,
        isAtLeast: false,
        firstAtMs: Date.UTC(2026, 2, 2, 9, 0, 1),
        lastAtMs: Date.UTC(2026, 2, 2, 9, 0, 6),
        stored: null,
        error: null,
      },
    ],
  })
  expect(memory.db.value('SELECT count(*) FROM conversations')).toBe(0)
  expect(statSync(path).mtimeMs).toBe(before.mtimeMs)
})

it('says which sessions are stored already', async () => {
  using memory = buildMemory()
  const told = story(3)
  const path = told.write()
  const { conversationId } = await importOne(memory.db, path)
  appendFileSync(path, `${told.lines.at(-1)?.replaceAll('uuid-6', 'uuid-7')}\n`)
  const [file] = (await preview([path], memory.db)).files
  expect(file?.stored).toEqual({ conversationId, messages: 6 })
})

it('reads only the beginning of a long file, and says that there is more', async () => {
  const path = story(9000).write()
  const [file] = (await preview([path])).files
  expect(file).toMatchObject({ isAtLeast: true, lastAtMs: null, error: null })
  expect(file?.messages).toBeGreaterThan(1000)
  expect(file?.messages).toBeLessThan(18_000)
})

it('lists files of a folder that are no transcripts separately, and named ones with the reason', async () => {
  const folder = temporaryFolder()
  const other = writeJson({ name: 'shop' }, 'package.json', folder)
  writeLines([{ role: 'user', content: 'hello' }], 'a.jsonl', folder)
  expect(await preview([folder])).toMatchObject({
    files: [{ path: join(folder, 'a.jsonl'), messages: 1, title: 'hello' }],
    passedOver: [{ path: other, reason: expect.stringMatching(/not a transcript/) }],
    passedOverCount: 1,
  })
  expect((await preview([other])).files).toMatchObject([
    { format: null, label: null, messages: 0, error: expect.stringMatching(/not a transcript/) },
  ])
  await expect(preview([join(folder, 'gone')])).rejects.toMatchObject({ code: 'file_missing' })
})

it('looks at the other files of a folder when one has hundreds of thousands of objects on a line', async () => {
  const folder = temporaryFolder()
  const other = join(folder, 'objects.json')
  writeFileSync(other, '{}'.repeat(200_000))
  writeLines([{ role: 'user', content: 'hello' }], 'a.jsonl', folder)
  const { files, passedOver } = await preview([folder])
  expect(files).toMatchObject([{ path: join(folder, 'a.jsonl'), messages: 1 }])
  expect(passedOver).toMatchObject([{ path: other, reason: expect.stringMatching(/not a transcript/) }])
})

it('reads the beginning of a long database of an agent, and says that there is more', async () => {
  const path = agentDatabase('opencode', 10)
  const { files } = await preview([path])
  expect(files).toMatchObject([{ format: 'opencode', isAtLeast: true, skipped: 0, error: null }])
  // A tenth of what it holds, and more than its newest session.
  expect(files[0]?.messages).toBeGreaterThan(500)
  expect(files[0]?.messages).toBeLessThan(3000)
})
