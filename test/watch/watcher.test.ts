import { appendFileSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { WatchFinding } from '#core/contract/watch.ts'
import { readHookEvent } from '#core/host/hooks/hook-event.ts'
import { HookFolder } from '#core/host/hooks/hook-folder.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { Watcher } from '#core/watch/watcher.ts'
import { SESSION, TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { importOne } from '#test/builders/import.ts'
import { STORY_BEGINS_MS, TestMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const MINUTE = 60_000
const opened: { close(): void }[] = []
afterEach(() => {
  for (const one of opened.splice(0).reverse()) one.close()
})

/** A memory with a watcher, a home folder in which agents keep transcripts, and a clock that the test sets. */
async function world(env: Readonly<Record<string, string>> = {}) {
  const memory = new TestMemory()
  const [home, dataDir] = [temporaryFolder(), temporaryFolder()]
  const clock = { nowMs: STORY_BEGINS_MS + 30 * MINUTE }
  const lcm: Lcm = await openLcm(memory.path, {
    ...{ readOnly: true, dataDir, clock: () => clock.nowMs, settings: readSettings(env) },
  })
  opened.push(memory, lcm)
  const watcher = new Watcher({ home, env: {}, cwd: home }, dataDir)
  const look = async (): Promise<WatchFinding[]> => (await watcher.look(lcm, new AbortController().signal)).findings
  const kinds = async (): Promise<string[]> => (await look()).map(({ kind }) => kind)
  return { memory, home, dataDir, clock, look, kinds, watcher, lcm }
}

/** Where Claude Code keeps the transcript of a session. */
function transcriptIn(home: string, builder: TranscriptBuilder): { path: string; write(atMs: number): void } {
  const folder = join(home, '.claude', 'projects', 'shop')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${SESSION}.jsonl`)
  let written = 0
  const write = (atMs: number): void => {
    appendFileSync(
      path,
      builder.lines
        .slice(written)
        .map((line) => `${line}\n`)
        .join(''),
    )
    written = builder.lines.length
    utimesSync(path, atMs / 1000, atMs / 1000)
  }
  return { path, write }
}

describe('what is watched while an agent works', () => {
  it('finds nothing wrong with a small session whose messages arrive', async () => {
    const { memory, home, clock, look } = await world()
    const builder = new TranscriptBuilder()
    builder.user('Where does the ferry leave?')
    const { path, write } = transcriptIn(home, builder)
    write(STORY_BEGINS_MS + 1000)
    await importOne(memory.db, path)
    expect(await look()).toEqual([])
    // A line that is no message changes the transcript, and is no alarm.
    builder.raw({ type: 'file-history-snapshot', messageId: 'x', snapshot: {} })
    write(STORY_BEGINS_MS + 20 * MINUTE)
    clock.nowMs += 20 * MINUTE
    expect(await look()).toEqual([])
  })

  it('tells that ingest stopped when the agent writes messages that do not arrive, until they have arrived', async () => {
    const { memory, home, look } = await world()
    const builder = new TranscriptBuilder()
    builder.user('Where does the ferry leave?')
    const { path, write } = transcriptIn(home, builder)
    write(STORY_BEGINS_MS + 1000)
    await importOne(memory.db, path)
    for (let turn = 0; turn < 3; turn += 1) builder.answer(`api-${turn}`, [text(`At quay ${turn}.`)])
    write(STORY_BEGINS_MS + 5 * MINUTE)
    const [finding, ...others] = await look()
    expect(others).toEqual([])
    expect(finding).toMatchObject({
      ...{ kind: 'ingest_stopped', severity: 'error', conversationId: 1 },
      text: `3 messages of ${SESSION}.jsonl have not arrived.`,
      command: `lcm import ${path}`,
    })
    await importOne(memory.db, path)
    expect(await look()).toEqual([])
  })

  it('gives messages a minute to arrive', async () => {
    const { memory, home, clock, kinds } = await world()
    const builder = new TranscriptBuilder()
    builder.user('Where does the ferry leave?')
    const { path, write } = transcriptIn(home, builder)
    write(STORY_BEGINS_MS + 1000)
    await importOne(memory.db, path)
    const justNow = new Date(clock.nowMs - 20_000).toISOString()
    builder.user('And when?', { timestamp: justNow })
    write(clock.nowMs - 20_000)
    expect(await kinds()).toEqual([])
    clock.nowMs += MINUTE
    expect(await kinds()).toEqual(['ingest_stopped'])
  })

  it('tells that transcripts which hooks have named wait for longer than a minute', async () => {
    const { memory, dataDir, clock, kinds } = await world()
    const event = readHookEvent(
      JSON.stringify({ hook_event_name: 'Stop', session_id: 's', transcript_path: '/t.jsonl' }),
    )
    if (event === null) throw new Error('This is an event.')
    const hooks = new HookFolder(dataDir, memory.path)
    hooks.take('codex', event, clock.nowMs)
    expect(await kinds()).toEqual([])
    clock.nowMs += 2 * MINUTE
    expect(await kinds()).toEqual(['ingest_stopped'])
    hooks.waiting().forget()
    expect(await kinds()).toEqual([])
  })

  it.skipIf(process.platform === 'win32')('tells that what hooks have named may not be listed', async () => {
    const { memory, dataDir, clock, look } = await world()
    const event = readHookEvent(JSON.stringify({ hook_event_name: 'Stop', session_id: 's' }))
    if (event === null) throw new Error('This is an event.')
    new HookFolder(dataDir, memory.path).note('codex', event, clock.nowMs)
    const [name = ''] = readdirSync(join(dataDir, 'hooks')).filter((one) => !one.includes('.'))
    const queue = join(dataDir, 'hooks', name)
    rmSync(queue, { recursive: true })
    symlinkSync(queue, queue)
    expect(await look()).toMatchObject([
      { kind: 'ingest_stopped', severity: 'error', sinceMs: null, text: expect.stringContaining(queue) },
    ])
  })

  it('tells of a window that has been over its limit for twenty messages, not of one that just crossed it', async () => {
    const { memory, look } = await world({ LCM_TOKEN_BUDGET: '10000' })
    const conversation = memory.conversation()
    memory.messages(
      conversation,
      [...Array(99)].map(() => ({ tokens: 100 })),
    )
    expect(await look()).toEqual([])
    memory.messages(
      conversation,
      [...Array(10)].map(() => ({ tokens: 100 })),
    )
    expect(await look()).toEqual([])
    memory.messages(
      conversation,
      [...Array(20)].map(() => ({ tokens: 100 })),
    )
    expect(await look()).toMatchObject([
      { kind: 'compaction_due', severity: 'warning', command: `lcm compact --conversation ${conversation}` },
    ])
  })

  it('tells of a compaction that ended without effect or never ended, and not of one that succeeded', async () => {
    const { memory, clock, kinds } = await world()
    const conversation = memory.conversation({ messages: ['Hello.'] })
    const run = (id: string, startedMs: number, end: string | null): void => {
      memory.db.run(
        `INSERT INTO compaction_runs (run_id, conversation_id, reason, mode, summarizer, configuration, owner,
           started_at, finished_at, tokens_before, tokens_after, stop_reason)
         VALUES (:id, :conversation, 'threshold', 'full', 'deterministic', '{}', 'me', :startedMs, :finishedMs, 9, 9, :end)`,
        { id, conversation, startedMs, finishedMs: end === null ? null : startedMs + 1, end },
      )
    }
    run('run_1', clock.nowMs - 50 * MINUTE, 'no_progress')
    expect(await kinds()).toEqual(['compaction_failing'])
    run('run_2', clock.nowMs - 40 * MINUTE, 'target_reached')
    expect(await kinds()).toEqual([])
    run('run_3', clock.nowMs - 35 * MINUTE, null)
    expect(await kinds()).toEqual(['compaction_failing'])
  })

  it('tells when the prompt cache breaks three times within an hour for no known reason', async () => {
    const { memory, clock, look } = await world()
    const builder = new TranscriptBuilder()
    const answer = (turn: number, cached: number): void => {
      const usage = {
        input_tokens: 10,
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: 40_000 - cached,
        output_tokens: 7,
      }
      builder.user(`Question ${turn}.`)
      builder.answer(`api-${turn}`, [text(`Answer ${turn}.`)], {}, { usage })
    }
    answer(0, 39_000)
    for (const turn of [1, 2]) answer(turn, 5_000)
    const path = builder.write()
    await importOne(memory.db, path)
    expect(await look()).toEqual([])
    for (const turn of [3, 4]) answer(turn, 5_000)
    appendFileSync(path, `${builder.lines.slice(6).join('\n')}\n`)
    await importOne(memory.db, path)
    expect(await look()).toMatchObject([{ kind: 'cache_breaks', severity: 'warning', conversationId: 1 }])
    clock.nowMs += 90 * MINUTE
    expect(await look()).toEqual([])
  })

  it('tells of summaries that say nothing, and of those that have headings only', async () => {
    const { memory, look } = await world()
    const conversation = memory.conversation()
    const [a = 0, b = 0, c = 0, d = 0] = memory.messages(conversation, 6)
    memory.leaf(conversation, [a, b], {
      content: '## Goal\n\nThe ferry leaves at quay 12 at noon.\n\n## Next\n\n- none',
    })
    expect(await look()).toEqual([])
    memory.leaf(conversation, [c], { content: '## Goal\n\n## Decisions\n\n- (none)\n\n**Next steps:**\n\nN/A' })
    memory.leaf(conversation, [d], { content: ' ' })
    expect((await look()).map(({ kind, text }) => `${kind}: ${text}`)).toMatchObject([
      expect.stringMatching(/^empty_summary: Summaries say nothing: 1 finding, the first one at summary sum_/),
      expect.stringMatching(/^skeletal_summary: Summaries have headings and no text: 1 finding/),
    ])
  })

  it('tells of a chain that a resume would not load', async () => {
    const { memory, kinds } = await world()
    const builder = new TranscriptBuilder()
    builder.user('The harbour is closed.')
    builder.user('The harbour is open.', { parentUuid: 'never-written', timestamp: '2026-03-02T09:20:00.000Z' })
    await importOne(memory.db, builder.write())
    expect(await kinds()).toEqual(['broken_chain'])
  })

  it('tells when the file grows by much more than what is said, from the second look on', async () => {
    const { memory, clock, kinds } = await world()
    memory.conversation({ messages: ['Hello.'] })
    expect(await kinds()).toEqual([])
    memory.db.exec('CREATE TABLE elsewhere (bytes BLOB); INSERT INTO elsewhere VALUES (zeroblob(40000000))')
    clock.nowMs += MINUTE
    expect(await kinds()).toEqual(['file_growing'])
    clock.nowMs += 20 * MINUTE
    expect(await kinds()).toEqual([])
  })

  it('says nothing of windows and runs of sessions that ended a day ago', async () => {
    const { memory, clock, kinds } = await world({ LCM_TOKEN_BUDGET: '1000' })
    memory.messages(
      memory.conversation(),
      [...Array(60)].map(() => ({ tokens: 100 })),
    )
    expect(await kinds()).toEqual(['compaction_due'])
    clock.nowMs += 48 * 60 * MINUTE
    expect(await kinds()).toEqual([])
  })
})
