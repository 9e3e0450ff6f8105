import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { previewImport } from '#core/ingest/transcripts/preview-import.ts'
import { runImport } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const claudeCode = { type: 'user', uuid: 'u', parentUuid: null, sessionId: 's', timestamp: '2026-03-02T09:00:00.000Z' }
const spoken = { ...claudeCode, message: { role: 'user', content: 'hello' } }
const spokenToQwen = { ...claudeCode, message: { role: 'user', parts: [{ text: 'hello' }] } }
const cline = { sessionId: 's', agent: 'lead', origin: {}, messages: [{ role: 'user', content: 'hello', ts: 1 }] }
const kimi = [
  { type: 'metadata', protocol_version: '1.5' },
  { type: 'context.append_message', message: { role: 'user', content: 'hello' } },
]

type Folder = {
  readonly agent: string
  readonly transcripts: Readonly<Record<string, readonly object[]>>
  readonly beside: readonly string[]
}

/** What agents keep in a folder: transcripts, and other files beside them. */
const AGENTS: readonly Folder[] = [
  {
    agent: 'Claude Code',
    transcripts: { 'work/s.jsonl': [spoken], 'work/s/subagents/agent-a.jsonl': [{ ...spoken, sessionId: 't' }] },
    beside: ['archived.json', 'work/s/subagents/agent-a.meta.json'],
  },
  { agent: 'Qwen Code', transcripts: { 'work/a.jsonl': [spokenToQwen] }, beside: ['work/a.meta.json'] },
  { agent: 'Kimi Code', transcripts: { 's/agents/main/wire.jsonl': kimi }, beside: ['s/state.json'] },
  { agent: 'Cline', transcripts: { 's/s.messages.json': [cline] }, beside: ['s/s.json', 's/s.compaction.json'] },
]

it.each(AGENTS)(
  'does not list what $agent keeps beside its transcripts as passed over, and lists any other file',
  async ({ transcripts, beside }) => {
    const folder = temporaryFolder()
    const write = (name: string, text: string): string => {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    for (const [name, rows] of Object.entries(transcripts))
      write(name, rows.map((row) => JSON.stringify(row)).join('\n'))
    for (const name of beside) write(name, '{"name":"shop"}')
    const other = write('package.json', '{"name":"shop"}')
    const expected = { passedOver: [{ path: other, reason: expect.any(String) }], passedOverCount: 1 }
    using memory = buildMemory()
    const preview = await previewImport({ paths: [folder], db: null, clock: () => 0 })
    expect(preview).toMatchObject({ ...expected, files: Object.keys(transcripts).map(() => ({ error: null })) })
    // The second import reads no transcript again.
    for (const added of [Object.keys(transcripts).length, 0])
      expect(await runImport(memory.db, [folder])).toMatchObject({ ...expected, added })
  },
)

const piLines = [
  { type: 'session', version: 3, id: 's', timestamp: '2026-03-02T09:00:00.000Z', cwd: '/shop' },
  {
    type: 'message',
    id: 'a',
    parentId: null,
    timestamp: '2026-03-02T09:00:01.000Z',
    message: { role: 'user', content: 'hello' },
  },
]
const continued = { sessionId: 's', history: [{ message: { role: 'user', content: 'hello' }, contextItems: [] }] }

it.each([
  { agent: 'Kimi Code', transcript: 's/agents/main/wire.jsonl', lines: kimi, beside: 's/state.json' },
  { agent: 'Cline', transcript: 's/s.messages.json', lines: [cline], beside: 's/s.compaction.json' },
  { agent: 'Continue', transcript: 's/s.json', lines: [continued], beside: 's/sessions.json' },
  { agent: 'OpenClaw', transcript: 's/s.jsonl', lines: piLines, beside: 's/sessions.json' },
])(
  'stores nothing of a session of $agent while what is kept beside it cannot be read, and says which file that is',
  async ({ transcript, lines, beside }) => {
    const folder = temporaryFolder()
    const path = join(folder, transcript)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'))
    // A link to itself cannot be read by anybody, not even by an administrator, who may read what is forbidden to others.
    symlinkSync(join(folder, beside), join(folder, beside))
    using memory = buildMemory()
    const error = `cannot be read, because ${join(folder, beside)} cannot (ELOOP)`
    const preview = await previewImport({ paths: [path], db: null, clock: () => 0 })
    expect(preview.files).toMatchObject([{ error }])
    await expect(runImport(memory.db, [path])).rejects.toThrow(error)
    expect(memory.db.value('SELECT count(*) FROM messages')).toBe(0)
    rmSync(join(folder, beside))
    expect(await runImport(memory.db, [path])).toMatchObject({ added: 1, files: [{ error: null }] })
  },
)

it('reads a session of Claude Code that has the name of what stands beside others', async () => {
  using memory = buildMemory()
  const path = join(temporaryFolder(), 'archived.json')
  writeFileSync(path, JSON.stringify(spoken))
  expect(await runImport(memory.db, [dirname(path)])).toMatchObject({ added: 1, passedOver: [] })
})
