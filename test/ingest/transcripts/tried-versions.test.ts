import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { formatOf } from '#core/ingest/transcripts/formats.ts'
import { previewImport } from '#core/ingest/transcripts/preview-import.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { writeJson, writeLines } from '#test/builders/transcript-rows.ts'

const timestamp = '2026-03-02T09:00:00Z'

const claudeCode = (...versions: readonly string[]): string =>
  writeLines(
    versions.map((version, n) => ({
      ...{ uuid: `u-${n}`, parentUuid: n === 0 ? null : `u-${n - 1}`, sessionId: 's', version, timestamp },
      ...{ type: 'user', message: { role: 'user', content: `words ${n}` } },
    })),
  )

function openCode(version: string, program = 'opencode'): string {
  const path = join(temporaryFolder(), `${program}.db`)
  const db = new Database(path)
  db.exec(`
    CREATE TABLE session (id TEXT, project_id TEXT, parent_id TEXT, title TEXT, directory TEXT, version TEXT, revert TEXT, time_created INTEGER);
    CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
    CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);
    INSERT INTO message VALUES ('msg_1', 'ses_1', 1, '{"role":"user","time":{"created":1}}');
    INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', '{"type":"text","text":"hello"}')`)
  db.prepare("INSERT INTO session VALUES ('ses_1', 'p', NULL, 'One', '/', ?, NULL, 1)").run(version)
  if (program === 'kilo') db.exec('CREATE TABLE kilo_board (root_session_id TEXT)')
  db.close()
  return path
}

function cline(version: string): string {
  const folder = temporaryFolder()
  writeJson({ title: 't', metadata: { sessionHistoryOrigin: { mode: 'user', version } } }, 'x.json', folder)
  const messages = [{ id: 'm', role: 'user', content: [{ type: 'text', text: 'hello' }], ts: 1 }]
  return writeJson({ version: 1, agent: 'lead', sessionId: 'x', origin: {}, messages }, 'x.messages.json', folder)
}

const entry = { type: 'message', id: 'e', parentId: null, timestamp }

/** The smallest session of each agent that names a version, as that version writes it. */
const written: Readonly<Record<string, (version: string) => string>> = {
  'claude-code': claudeCode,
  codex: (cli_version) =>
    writeLines([
      { timestamp, type: 'session_meta', payload: { id: 's', cwd: '/', cli_version } },
      { timestamp, type: 'response_item', payload: { type: 'message', role: 'user', content: [{ text: 'hello' }] } },
    ]),
  'qwen-code': (version) =>
    writeLines([
      {
        uuid: 'u',
        parentUuid: null,
        sessionId: 's',
        timestamp,
        type: 'user',
        version,
        message: { role: 'user', parts: [{ text: 'hi' }] },
      },
    ]),
  'copilot-cli': (copilotVersion) =>
    writeLines([
      { type: 'session.start', id: 'a', timestamp, data: { sessionId: 's', copilotVersion } },
      { type: 'user.message', id: 'b', timestamp, data: { content: 'hello' } },
    ]),
  pi: (version) =>
    writeLines([
      { type: 'session', version: Number(version), id: 's', timestamp, cwd: '/' },
      { ...entry, message: { role: 'user', content: 'hello' } },
    ]),
  'oh-my-pi': (version) =>
    writeLines([
      { type: 'title', v: 1, title: '', pad: ' ' },
      { type: 'session', version: Number(version), id: 's', timestamp, cwd: '/' },
      { ...entry, message: { role: 'user', content: 'hello' } },
    ]),
  opencode: openCode,
  kilo: (version) => openCode(version, 'kilo'),
  cline,
}

/** Raises the last number. */
const later = (version: string): string => version.replace(/\d+$/, (number) => String(Number(number) + 1))

describe.each(Object.entries(written))('a session of %s', (id, write) => {
  const { ofFiles, version = '' } = formatOf(id as 'pi').tried ?? {}
  const tried = ofFiles ?? version

  it('is said to be of a later version than was tried, before it is imported and afterwards', async () => {
    using memory = buildMemory()
    const path = write(later(tried))
    const newer = { written: later(tried), tried }
    expect(await importOne(memory.db, path)).toMatchObject({ format: id, added: 1, skippedCount: 0, newer })
    const { files } = await previewImport({ paths: [path], db: null, clock: Date.now })
    expect(files).toMatchObject([{ messages: 1, newer }])
  })

  it('is not said to be later when its version was tried', async () => {
    using memory = buildMemory()
    expect(await importOne(memory.db, write(tried))).toMatchObject({ format: id, added: 1, newer: null })
  })
})

it('the latest version of a session that was resumed counts, and what is no number is not later', async () => {
  for (const [versions, newer] of [
    [['2.1.0', '2.2.10', '2.2.9'], '2.2.10'],
    [['2.1.332', '2.1.332-beta.4', 'nightly', '', '1.9999.0'], undefined],
    [['10'], '10'],
  ] as const) {
    using memory = buildMemory()
    expect((await importOne(memory.db, claudeCode(...versions))).newer?.written).toBe(newer)
  }
})
