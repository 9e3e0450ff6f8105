import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { getPriority, constants as systemConstants } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as later } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { ActivityReader } from '#core/activity/activity-reader.ts'
import { HookFolder } from '#core/host/hooks/hook-folder.ts'
import { openLcm } from '#core/lcm.ts'
import { cliPath, packageFolder } from '#test/builders/built-program.ts'
import { TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { environment } from '#test/doors/cli/lcm.ts'

const hookPath = join(packageFolder, 'bin/lcm-hook.cjs')
const { PRIORITY_BELOW_NORMAL } = systemConstants.priority
const SESSION = '11111111-2222-4333-8444-555555555555'

/** A session of Claude Code, whose hooks are started as that agent starts them. */
function session() {
  const folder = temporaryFolder()
  const [db, dataDir] = [join(folder, 'lcm.db'), join(folder, 'data')]
  const transcriptPath = join(folder, `${SESSION}.jsonl`)
  const env = environment({ LCM_DATA_DIR: dataDir })
  const hooks = new HookFolder(dataDir, db)
  const start = (name: string, fields: object = {}, agent = 'claude-code'): SpawnSyncReturns<string> =>
    spawnSync(process.execPath, [hookPath, agent, '--db', db], {
      input: JSON.stringify({
        session_id: SESSION,
        transcript_path: transcriptPath,
        cwd: '/work',
        hook_event_name: name,
        ...fields,
      }),
      env,
      encoding: 'utf8',
    })
  return { folder, db, dataDir, transcriptPath, env, hooks, start }
}

/** Waits until what hooks have left is imported. */
const settled = (hooks: HookFolder): Promise<void> =>
  vi.waitFor(() => expect([hooks.isWaiting, hooks.isBeingEmptied]).toEqual([false, false]), {
    timeout: 120_000,
    interval: 200,
  })

/** The priority of the process that was started and waits for its turn: a file of the queue names it. */
function priorityOfNext(dataDir: string): number {
  const queue = join(dataDir, 'hooks')
  for (const name of readdirSync(queue, { recursive: true, encoding: 'utf8' })) {
    const started = /(\d+)\.started$/.exec(name)?.[1]
    const waiting = name.endsWith('next.lock')
      ? /\(process (\d+) on /.exec(readFileSync(join(queue, name), 'utf8'))?.[1]
      : null
    const pid = started ?? waiting
    if (pid) return getPriority(Number(pid))
  }
  throw new Error('No process waits for its turn.')
}

async function contentsIn(db: string): Promise<string[]> {
  const lcm = await openLcm(db, { readOnly: true })
  const rows = lcm.read.all<{ content: string }>('SELECT content FROM messages ORDER BY message_id')
  lcm.close()
  return rows.map(({ content }) => content)
}

// Most of the time goes by while one waits for what a hook started, so the tests wait beside each other.
describe.concurrent('hooks of Claude Code', () => {
  it('store the session as it grows, without a word to the agent', async () => {
    const { db, transcriptPath, hooks, start } = session()
    // The transcript is not there before the first word.
    expect(start('SessionStart', { source: 'startup' })).toMatchObject({ status: 0, stdout: '', stderr: '' })
    expect([hooks.isWaiting, existsSync(db)]).toEqual([false, false])
    expect(hooks.lastHeard('claude-code')).toMatchObject({ event: 'SessionStart' })
    const builder = new TranscriptBuilder()
    builder.user('We use port 8443 for the ferry.')
    for (let turn = 0; turn < 3; turn += 1) {
      builder.answer(`api-${turn}`, [text(`Answer ${turn}.`)])
      writeFileSync(transcriptPath, `${builder.lines.join('\n')}\n`)
      expect(start('Stop')).toMatchObject({ status: 0, stdout: '', stderr: '' })
    }
    await settled(hooks)
    expect(await contentsIn(db)).toEqual(['We use port 8443 for the ferry.', 'Answer 0.', 'Answer 1.', 'Answer 2.'])
    expect(hooks.failures()).toEqual([])
  })

  it('give back after a compaction what the summary does not say, and never store it again', async () => {
    const { db, transcriptPath, hooks, start } = session()
    const builder = new TranscriptBuilder()
    builder.user('We decided to use port 8443 for the ferry. The retry limit must stay at 17 attempts.')
    builder.answer('api-1', [text('I changed src/ferry/retry.ts.')])
    writeFileSync(transcriptPath, `${builder.lines.join('\n')}\n`)
    start('PreCompact', { trigger: 'auto' })
    start('SubagentStop', { agent_type: '', last_assistant_message: 'We decided to use port 8443 for the ferry.' })
    const { status, stdout } = start('SessionStart', { source: 'compact' })
    expect(status).toBe(0)
    const { hookSpecificOutput: said } = JSON.parse(stdout)
    expect(said.hookEventName).toBe('SessionStart')
    expect(said.additionalContext).toMatch(/^<recalled-memory id="/)
    expect(said.additionalContext).toContain('[msg_1, user] The retry limit must stay at 17 attempts.')
    expect(said.additionalContext).toContain('src/ferry/retry.ts')
    expect(said.additionalContext).not.toContain('8443')
    builder.record({
      type: 'attachment',
      attachment: { type: 'hook_additional_context', content: [said.additionalContext], hookEvent: 'SessionStart' },
      rendered: [
        {
          content: `<system-reminder>\nSessionStart hook additional context: ${said.additionalContext}\n</system-reminder>`,
        },
      ],
      renderedRole: 'system',
    })
    // Words of another hook beside ours are kept.
    builder.record({
      type: 'attachment',
      attachment: { type: 'hook_additional_context', content: [said.additionalContext, 'The build is red.'] },
    })
    builder.user('Go on.')
    writeFileSync(transcriptPath, `${builder.lines.join('\n')}\n`)
    start('Stop')
    await settled(hooks)
    const stored = await contentsIn(db)
    expect(stored.at(-1)).toBe('Go on.')
    expect(stored.filter((content) => content.includes('recalled-memory'))).toEqual([])
    expect(stored.at(-2)?.trim()).toBe('The build is red.')
    expect(stored).toHaveLength(4)
  })

  it('give back first what the user pinned, marked as pinned, and no longer after the pin is taken away', async () => {
    const { db, transcriptPath, env, start } = session()
    const builder = new TranscriptBuilder()
    builder.user('Hello there. The ferry leaves at quay 12, as the harbour master said.')
    builder.answer('api-1', [text('We decided to use port 8443. I changed src/ferry/retry.ts.')])
    builder.user('We decided that the build must never run twice.')
    writeFileSync(transcriptPath, `${builder.lines.join('\n')}\n`)
    const recalled = (): string[] => {
      start('PreCompact', { trigger: 'auto' })
      // The summary says what is pinned, too: a pin holds whatever a summary says.
      const summary = 'The ferry leaves at quay 12, as the harbour master said.'
      start('SubagentStop', { agent_type: '', last_assistant_message: summary })
      const { stdout } = start('SessionStart', { source: 'compact' })
      const said: string = JSON.parse(stdout).hookSpecificOutput.additionalContext
      return said.split('\n\n').slice(1)
    }
    const lcm = (...args: string[]) =>
      spawnSync(process.execPath, [cliPath, ...args, '--db', db, '--json'], { env, encoding: 'utf8' })
    expect(recalled().join()).not.toContain('pinned')
    const kept = 'The ferry leaves at quay 12, as the harbour master said.'
    expect(JSON.parse(lcm('pin', 'msg_1', '--text', kept).stdout).pins).toMatchObject([{ id: 'msg_1', text: kept }])
    lcm('pin', 'msg_3')
    expect(JSON.parse(lcm('pin').stdout).pins).toHaveLength(2)
    const [first, second, ...others] = recalled()
    expect(first).toBe(`[msg_1, user, pinned] ${kept}`)
    expect(second).toMatch(/^\[msg_3, user, pinned\] We decided that the build must never run twice/)
    expect(others.join()).toContain('8443')
    expect(others.join()).not.toContain('twice')
    lcm('unpin', 'msg_1', '--text', kept)
    lcm('unpin', 'msg_3')
    expect(recalled().join()).not.toContain('pinned')
  })

  it('probe a session that was compacted when it ends, in the background, and keep the figure of each end', async () => {
    const { db, dataDir, transcriptPath, hooks, start } = session()
    const builder = new TranscriptBuilder()
    builder.user('We decided to use port 8443 for the ferry at the northern quay.')
    builder.answer('api-1', [text('I changed src/ferry/retry.ts so that the retries end after 17 attempts.')])
    const save = () => writeFileSync(transcriptPath, `${builder.lines.join('\n')}\n`)
    const figures = async () => {
      const history = await new ActivityReader(join(dataDir, 'log'), db).history({ days: 1, of: 'this' }, Date.now())
      return history.probes
    }
    save()
    expect(start('SessionEnd', { reason: 'exit' })).toMatchObject({ status: 0, stdout: '', stderr: '' })
    await settled(hooks)
    const fields = { compactMetadata: { trigger: 'auto', preTokens: 900 }, logicalParentUuid: builder.lastUuid }
    builder.record({ type: 'system', subtype: 'compact_boundary', content: 'Compacted', parentUuid: null, ...fields })
    builder.user('The person and the agent spoke about a quay.', { isCompactSummary: true })
    builder.user('Go on.')
    for (const ends of [1, 2]) {
      builder.user(`The toll of crossing number ${ends} is 1${ends}50 crowns from now on.`)
      save()
      start('Stop')
      start('SessionEnd', { reason: 'exit' })
      await vi.waitFor(async () => expect(await figures()).toHaveLength(ends), { timeout: 120_000, interval: 300 })
    }
    expect(await figures()).toMatchObject([{ conversationId: 1 }, { conversationId: 1 }])
    expect(hooks.failures()).toEqual([])
  })

  it('let the agent go on whatever is wrong, and write it down', async () => {
    const { db, transcriptPath, env, hooks, start } = session()
    writeFileSync(db, 'This is no memory. '.repeat(100))
    writeFileSync(transcriptPath, 'no transcript\n')
    for (const [name, fields] of [
      ['Stop', {}],
      ['SessionStart', { source: 'compact' }],
      ['Stop', { transcript_path: 7, session_id: null }],
    ] as const) {
      expect(start(name, fields)).toMatchObject({ status: 0, stdout: '' })
    }
    await settled(hooks)
    expect(hooks.failures().length).toBeGreaterThanOrEqual(3)
    expect(readFileSync(db, 'utf8')).toBe('This is no memory. '.repeat(100))
    const noInput = spawnSync(process.execPath, [hookPath, 'claude-code', '--db', db], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    })
    expect(noInput).toMatchObject({ status: 0, stdout: '', stderr: '' })
    const unknown = spawnSync(process.execPath, [hookPath, 'nobody'], { env, input: '', encoding: 'utf8' })
    expect(unknown).toMatchObject({ status: 0, stdout: '', stderr: '' })
  })

  it('wait for what the agent says when it comes late and in pieces', async () => {
    const { db, transcriptPath, env, hooks } = session()
    const builder = new TranscriptBuilder()
    builder.user('We use port 8443 for the ferry.')
    writeFileSync(transcriptPath, `${builder.lines.join('\n')}\n`)
    const child = spawn(process.execPath, [hookPath, 'claude-code', '--db', db], {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const ended = new Promise((done) => child.on('close', done))
    const said = JSON.stringify({ session_id: SESSION, transcript_path: transcriptPath, hook_event_name: 'Stop' })
    await later(700)
    child.stdin.write(said.slice(0, 20))
    await later(300)
    child.stdin.end(said.slice(20))
    expect(await ended).toBe(0)
    await settled(hooks)
    expect(hooks.failures()).toEqual([])
    expect(await contentsIn(db)).toEqual(['We use port 8443 for the ferry.'])
  })

  it('leave nothing waiting when the process that imports is killed while a hook looks, and yield to the agent', async () => {
    const { db, dataDir, transcriptPath, hooks, start } = session()
    const builder = new TranscriptBuilder()
    builder.user('We use port 8443 for the ferry.')
    writeFileSync(transcriptPath, `${builder.lines.join('\n')}\n`)
    // This process stands for the one that imports, and ends without having looked again.
    const release = hooks.lock()
    start('Stop')
    await vi.waitFor(() => expect(hooks.isAttendedTo).toBe(true), { timeout: 60_000, interval: 50 })
    expect(hooks.isWaiting).toBe(true)
    // The agent and its next hook come before the import.
    expect(priorityOfNext(dataDir)).toBe(Math.max(getPriority(), PRIORITY_BELOW_NORMAL))
    release()
    await settled(hooks)
    expect(await contentsIn(db)).toEqual(['We use port 8443 for the ferry.'])
  })

  it('import a transcript that came while another program was writing to the memory, when that has ended', async () => {
    const { db, transcriptPath, hooks, start } = session()
    const builder = new TranscriptBuilder()
    builder.user('We use port 8443 for the ferry.')
    writeFileSync(transcriptPath, `${builder.lines.join('\n')}\n`)
    start('Stop')
    await settled(hooks)
    builder.user('Go on.')
    writeFileSync(transcriptPath, `${builder.lines.join('\n')}\n`)
    const writer = new DatabaseSync(db)
    writer.exec('BEGIN IMMEDIATE')
    start('Stop')
    // An attempt ends when the memory was locked for some seconds.
    await vi.waitFor(() => expect(hooks.isBeingEmptied).toBe(true), { timeout: 60_000, interval: 50 })
    await vi.waitFor(() => expect(hooks.isBeingEmptied).toBe(false), { timeout: 60_000, interval: 50 })
    expect(hooks.isWaiting).toBe(true)
    writer.exec('ROLLBACK')
    writer.close()
    await settled(hooks)
    expect(hooks.failures()).toEqual([])
    expect(await contentsIn(db)).toEqual(['We use port 8443 for the ferry.', 'Go on.'])
  })

  it('import the transcript of a session that goes on when that of one that has ended cannot be read', async () => {
    const { db, folder, transcriptPath, hooks, start } = session()
    const builder = new TranscriptBuilder()
    builder.user('We use port 8443 for the ferry.')
    writeFileSync(transcriptPath, `${builder.lines.join('\n')}\n`)
    const damaged = join(folder, '99999999-2222-4333-8444-555555555555.jsonl')
    writeFileSync(damaged, 'This is no transcript.\n')
    // Both are imported at once.
    const release = hooks.lock()
    start('SessionEnd', { transcript_path: damaged })
    start('Stop')
    release()
    await settled(hooks)
    expect(await contentsIn(db)).toEqual(['We use port 8443 for the ferry.'])
    expect(hooks.failures()).toEqual([expect.objectContaining({ text: expect.stringContaining(damaged) })])
  })

  it('lose and double nothing when many sessions end a turn at once and importers are killed', async () => {
    const { folder, db, env, hooks } = session()
    const sessions = Array.from({ length: 12 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`)
    const one = (id: string, turns: number): Promise<unknown> => {
      const builder = new TranscriptBuilder(id)
      for (let turn = 0; turn < turns; turn += 1) {
        builder.user(`Question ${turn} of ${id}.`)
        builder.answer(`${id}-${turn}`, [text(`Answer ${turn} of ${id}.`)])
      }
      const path = join(folder, `${id}.jsonl`)
      writeFileSync(path, `${builder.lines.join('\n')}\n`)
      const child = spawn(process.execPath, [hookPath, 'claude-code', '--db', db], {
        env,
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      child.stdin.end(JSON.stringify({ session_id: id, transcript_path: path, hook_event_name: 'Stop' }))
      return new Promise((done) => child.on('close', done))
    }
    for (const turns of [1, 2, 3]) {
      await Promise.all(sessions.map((id) => one(id, turns)))
      // An importer that is killed leaves its lock and what it had taken; the next hook of each session names it again.
      const importer = spawn(process.execPath, [cliPath, 'hook', 'claude-code', '--queued', '--db', db], {
        env,
        stdio: 'ignore',
      })
      setTimeout(() => importer.kill('SIGKILL'), 300 * turns)
      await new Promise((done) => importer.on('close', done))
    }
    for (const id of sessions) await one(id, 4)
    await settled(hooks)
    const stored = await contentsIn(db)
    expect(stored.toSorted()).toEqual(
      sessions
        .flatMap((id) => [0, 1, 2, 3].flatMap((turn) => [`Question ${turn} of ${id}.`, `Answer ${turn} of ${id}.`]))
        .toSorted(),
    )
  })
})

it('a hook is one file of less than 30 kB that loads only modules of Node', () => {
  const program = readFileSync(join(packageFolder, 'out/main/hook.cjs'), 'utf8')
  expect(program.length).toBeLessThan(30_000)
  const loaded = [...program.matchAll(/\b(?:require|import)\("([^"]+)"\)/g)].map(([, name = '']) => name)
  expect(loaded.length).toBeGreaterThan(3)
  expect(loaded.filter((name) => !isBuiltin(name))).toEqual([])
})

it.skipIf(process.platform === 'win32')(
  'a hook waits for what the agent says when its pipe does not block',
  async () => {
    const { db, env, folder, hooks } = session()
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const reading = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
    const writing = openSync(pipe, 'w')
    const child = spawn(process.execPath, [hookPath, 'codex', '--db', db], {
      env,
      stdio: [reading, 'ignore', 'ignore'],
    })
    const ended = once(child, 'exit')
    await later(300)
    writeSync(writing, JSON.stringify({ session_id: SESSION, hook_event_name: 'Stop', transcript_path: null }))
    for (const end of [reading, writing]) closeSync(end)
    expect(await ended).toEqual([0, null])
    expect(hooks.failures()).toEqual([])
    expect(hooks.lastHeard('codex')).toMatchObject({ event: 'Stop' })
  },
)
