import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LcmError } from '#core/errors.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { call, TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { runImport } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { dump, writeLines } from '#test/builders/transcript-rows.ts'
import { transcriptSamples, writeSample } from '#test/builders/transcript-samples.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 10, 28, 4, 0, second)).toISOString()
const NAMES = [
  'parent.jsonl',
  'fork.jsonl',
  'main.jsonl',
  'agent.jsonl',
  'more.jsonl',
  'cleared.jsonl',
  'broken.jsonl',
] as const

/** Writes sessions that are about each other, and files that are no transcripts. Each text begins with its file. */
function related(folder: string): string[] {
  const line = (type: string, payload: unknown, ordinal: number) => ({ timestamp: at(ordinal), ordinal, type, payload })
  const said = (role: string, words: string, ordinal: number) =>
    line('response_item', { type: 'message', role, content: [{ type: 'text', text: words }] }, ordinal)
  const meta = { id: 'fork', forked_from_id: 'parent', forked_from_ordinal_exclusive: 3 }
  writeLines(
    [line('session_meta', { id: 'parent' }, 0), ...[1, 2, 3].map((n) => said('user', `parent.jsonl ${n}`, n))],
    'parent.jsonl',
    folder,
  )
  writeLines([line('session_meta', meta, 10), said('user', 'fork.jsonl own', 11)], 'fork.jsonl', folder)
  const begun = (output: string): TranscriptBuilder => {
    const session = new TranscriptBuilder()
    session.user('main.jsonl asks')
    session.answer('msg_1', [text('main.jsonl answers'), call('t1')])
    session.result('t1', output)
    return session
  }
  // The same session, of which an output was cleared before it was written.
  begun('[Old tool result content cleared]').write('cleared.jsonl', folder)
  const main = begun('main.jsonl output')
  main.record({ type: 'system', subtype: 'compact_boundary', compactMetadata: { trigger: 'auto', preTokens: 9000 } })
  main.user('main.jsonl in short', { isCompactSummary: true })
  main.user('main.jsonl goes on')
  main.write('main.jsonl', folder)
  // The same session, longer, under another name.
  main.user('more.jsonl goes on further')
  main.write('more.jsonl', folder)
  const agent = new TranscriptBuilder()
  agent.user('agent.jsonl asks', { isSidechain: true, agentId: 'a1' })
  agent.answer('msg_a', [text('agent.jsonl answers')], { isSidechain: true, agentId: 'a1' })
  agent.write('agent.jsonl', folder)
  writeLines(['{"type":"user","mess', 'no JSON'], 'broken.jsonl', folder)
  return NAMES.map((name) => join(folder, name))
}

/** Storing a message with this text fails, because of its file or because of the disk. */
function failing(db: WriteDb, words: string | null, error: () => Error): WriteDb {
  const runRaw: WriteDb['runRaw'] = (sql, values) => {
    if (words !== null && values.some((value) => typeof value === 'string' && value.startsWith(words))) throw error()
    return db.runRaw(sql, values)
  }
  return { ...db, runRaw }
}

const tooDeep = () => new RangeError('Maximum call stack size exceeded')

const stored = (memory: TestMemory): unknown => [
  dump(memory),
  memory.db.all(`SELECT key, value FROM lcm_meta ORDER BY key`),
]

/** Both indexes hold exactly what is stored, and follow what is stored next. */
function expectIndexed({ db }: TestMemory): void {
  for (const table of ['messages_fts', 'messages_trigram'])
    db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`)
  const triggers = `SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'message%_index_insert'`
  expect(db.value(triggers)).toBe(2)
}

/** Counts how often many messages are indexed at once. */
function countingGroups(db: WriteDb): { readonly db: WriteDb; readonly count: () => number } {
  let groups = 0
  const exec: WriteDb['exec'] = (sql) => {
    if (sql.includes('DROP TRIGGER')) groups += 1
    db.exec(sql)
  }
  return { db: { ...db, exec }, count: () => groups }
}

function shortSessions(count: number, turns = 5): string[] {
  const folder = temporaryFolder()
  return Array.from({ length: count }, (_, number) => {
    const story = new TranscriptBuilder(`session-${number}`)
    for (let turn = 0; turn < turns; turn += 1) story.user(`file ${number}, turn ${turn}`)
    return story.write(`${number}.jsonl`, folder)
  })
}

describe('short transcripts that are imported together', () => {
  // Property: in whatever order they come, and whichever fails, what is stored and said is that of importing each alone.
  it('become what importing each alone makes of them, whatever their order and whichever fails', async () => {
    const folder = temporaryFolder()
    const samples = transcriptSamples
      .filter(({ fileName }, index) => transcriptSamples.findIndex((one) => one.fileName === fileName) === index)
      .map((sample) => writeSample(sample, { folder: join(folder, sample.format) }))
    const paths = [...related(folder), ...samples]
    expect(paths.every(existsSync)).toBe(true)
    const order = fc.shuffledSubarray(paths, { minLength: 2 })
    const failed = fc.option(fc.constantFrom(...NAMES), { nil: null })
    await fc.assert(
      fc.asyncProperty(order, failed, async (given, words) => {
        using together = buildMemory()
        using alone = buildMemory()
        // A path that is not broken comes first, because an import in which every file failed is refused.
        const sure = samples[0] as string
        const all = [sure, ...given.filter((path) => path !== sure)]
        const { files } = await runImport(failing(together.db, words, tooDeep), all)
        const each: unknown[] = []
        for (const path of all) {
          const result = await runImport(failing(alone.db, words, tooDeep), [path]).catch(() => null)
          each.push(...(result?.files ?? [expect.objectContaining({ path, error: expect.any(String) })]))
        }
        expect(files).toEqual(each)
        expect(stored(together)).toEqual(stored(alone))
        expectIndexed(together)
      }),
      { numRuns: runs(15) },
    )
  })

  it('are stored in one transaction, while a long one is stored on its own', async () => {
    using memory = buildMemory()
    const { db, count } = countingGroups(memory.db)
    const long = new TranscriptBuilder('long')
    for (let turn = 0; turn < 2500; turn += 1) long.user(`turn ${turn}`)
    const paths = shortSessions(30)
    await runImport(db, paths)
    expect(count()).toBe(1)
    const { files } = await runImport(db, [long.write('long.jsonl'), ...shortSessions(30)])
    expect(files).toHaveLength(31)
    expect(memory.db.value('SELECT count(*) FROM messages')).toBe(30 * 5 + 2500)
    expectIndexed(memory)
  })

  it('are stored as a whole or not at all when the disk is full, and the next import stores the rest', async () => {
    using memory = buildMemory()
    const paths = shortSessions(26, 100)
    const full = () => new LcmError('disk_full', 'There is no space left.')
    await expect(runImport(failing(memory.db, 'file 22, turn 2', full), paths)).rejects.toMatchObject({
      code: 'disk_full',
    })
    const sizes = 'SELECT DISTINCT count(*) FROM messages GROUP BY conversation_id'
    expect(memory.db.column(sizes)).toEqual([100])
    const before = memory.db.value<number>('SELECT count(*) FROM messages') ?? 0
    expectIndexed(memory)
    expect(await runImport(memory.db, paths)).toMatchObject({ added: 2600 - before, alreadyThere: before })
    expect(memory.db.column(sizes)).toEqual([100])
  })

  it('are stored as far as they were read when the import is cancelled', async () => {
    using memory = buildMemory()
    const cancel = new AbortController()
    const paths = shortSessions(4)
    const onProgress = ({ note = '' }: { readonly note?: string | null }): void => {
      if (note?.endsWith('2.jsonl')) cancel.abort()
    }
    const stopped = runImport(memory.db, paths, { signal: cancel.signal, onProgress })
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' })
    expect(memory.db.column('SELECT session_id FROM conversations')).toEqual(['session-0', 'session-1'])
    expectIndexed(memory)
  })
})
