import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { hostCalls } from '#core/contract/host.ts'
import { openLcm } from '#core/lcm.ts'
import { cliPath } from '#test/builders/built-program.ts'
import { turns } from '#test/builders/hosted.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { scanFile, wrong } from '#test/doctor/integrity/scan-file.ts'
import { environment } from '../cli/lcm.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/engine.md'), 'utf8')
const SMALL = { LCM_TOKEN_BUDGET: '2000', LCM_FRESH_TAIL_COUNT: '4', LCM_MIN_MESSAGES_TO_COMPACT: '2' }

type Answer = {
  id?: number
  result?: Record<string, unknown>
  params?: { value: { kind: string; job?: { kind: string; state: string } } }
}

function startEngine(
  path: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): ChildProcess {
  const engine = spawn(process.execPath, [cliPath, 'engine', '--stdio', '--db', path, ...args], {
    env: environment(env),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  // What is still being written when it is killed has nobody to read it.
  engine.stdin?.on('error', () => undefined)
  return engine
}

const send = (engine: ChildProcess, id: number, method: string, params: unknown = {}): void =>
  void engine.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)

const answersOf = (engine: ChildProcess): AsyncIterable<string> =>
  createInterface({ input: engine.stdout as NodeJS.ReadableStream })

describe('lcm engine', () => {
  it('runs the Python program of docs/engine.md', () => {
    const [, code = ''] = /```python engine\n([\s\S]*?)```/.exec(page) ?? []
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'example.py'), code)
    const command = [process.execPath, cliPath, 'engine', '--stdio', '--db', join(folder, 'agent.db')]
    const told = execFileSync('python3', ['example.py', ...command], {
      cwd: folder,
      env: environment(),
      encoding: 'utf8',
    })
    expect(told.trim().split('\n')).toEqual([
      expect.stringMatching(/^30 messages for the model, \d+ tokens$/),
      'Day 30: 210 boats in the harbour.',
    ])
  })

  it('is described with every call that a host has', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
    expect(rows).toEqual([...Object.keys(hostCalls), 'job'])
  })

  it('answers the value of a job when it has ended', async () => {
    const folder = temporaryFolder()
    const transcript = join(folder, 'said.jsonl')
    writeFileSync(transcript, `${JSON.stringify({ role: 'user', content: 'The harbour closes at nine.' })}\n`)
    const engine = startEngine(join(folder, 'lcm.db'))
    send(engine, 1, 'job', { kind: 'import', paths: [transcript], format: 'messages' })
    send(engine, 2, 'job', { kind: 'no such kind' })
    const answers: Answer[] = []
    for await (const line of answersOf(engine)) if (answers.push(JSON.parse(line)) === 2) engine.stdin?.end()
    expect(answers.find(({ id }) => id === 1)?.result).toMatchObject({ added: 1 })
    expect(answers.find(({ id }) => id === 2)).toHaveProperty('error')
  })

  it('compacts in the background, tells events, answers all that was asked and ends with its input', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    const engine = startEngine(path, SMALL)
    send(engine, 0, 'events')
    for (let n = 0; n < 60; n += 2) send(engine, n + 1, 'ingest', { sessionId: 's', messages: turns(2, n) })
    send(engine, 100, 'assemble', { sessionId: 's' })
    const answers: Answer[] = []
    for await (const line of answersOf(engine)) {
      answers.push(JSON.parse(line) as Answer)
      if (answers.at(-1)?.id === 100) engine.stdin?.end()
    }
    const [code] = engine.exitCode === null ? await once(engine, 'exit') : [engine.exitCode]
    expect(code).toBe(0)
    expect(
      answers
        .filter(({ id }) => id !== undefined)
        .map(({ id }) => id)
        .toSorted((a = 0, b = 0) => a - b),
    ).toEqual([0, ...Array.from({ length: 30 }, (_, n) => 2 * n + 1), 100])
    const events = answers.flatMap(({ params }) => (params ? [params.value] : []))
    expect(events).toContainEqual({ kind: 'job', job: expect.objectContaining({ kind: 'compact', state: 'done' }) })
    const window = answers.find(({ id }) => id === 100)?.result
    expect(window?.activeTokens).toBeLessThan(2_000)
    expect(wrong(await scanFile(path))).toEqual([])
  })

  it('answers a client that writes everything before it reads anything, and stores it all', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    const engine = startEngine(path, {}, ['--no-auto-compact'])
    const body = 'x'.repeat(20_000)
    for (let n = 0; n < 200; n += 1) {
      send(engine, n, 'ingest', { sessionId: 's', messages: [{ id: `m${n}`, role: 'user', content: `${n} ${body}` }] })
      send(engine, n, 'transcript.message', { id: 'msg_1' })
    }
    engine.stdin?.end()
    let answers = 0
    for await (const _ of answersOf(engine)) answers += 1
    expect(answers).toBe(400)
    using lcm = await openLcm(path, { readOnly: true })
    expect(lcm.stats.stats().messages).toBe(200)
  })

  // "Kill −9 in the middle of ingest loses nothing acknowledged."
  it.each([3, 17])('loses no message that it has acknowledged when it is killed after %i answers', async (after) => {
    const path = join(temporaryFolder(), 'lcm.db')
    const engine = startEngine(path, SMALL)
    for (let n = 0; n < 80; n += 1) send(engine, n, 'ingest', { sessionId: 's', messages: turns(5, n * 5) })
    const acknowledged: number[] = []
    for await (const line of answersOf(engine)) {
      const { id, result } = JSON.parse(line) as Answer
      if (result && id !== undefined) acknowledged.push(id)
      if (acknowledged.length === after) engine.kill('SIGKILL')
    }
    const lcm = await openLcm(path)
    const stored = new Set(lcm.read.column<string>('SELECT external_id FROM messages'))
    for (const n of acknowledged) for (const { id } of turns(5, n * 5)) expect(stored.has(id), id).toBe(true)
    expect(stored.size % 5).toBe(0)
    lcm.close()
    expect(wrong(await scanFile(path)).filter((id) => id !== 'abandoned_run' && id !== 'stale_lock')).toEqual([])
    const again = startEngine(path, SMALL)
    send(again, 1, 'ingest', { sessionId: 's', messages: turns(400) })
    again.stdin?.end()
    for await (const line of answersOf(again)) {
      expect(JSON.parse(line)).toMatchObject({
        id: 1,
        result: { added: 400 - stored.size, alreadyThere: stored.size },
      })
    }
  })

  it('ends at once when it is told to, and refuses what it cannot serve before it reads', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    const engine = startEngine(path)
    send(engine, 1, 'memory.info')
    for await (const _ of answersOf(engine)) engine.kill('SIGTERM')
    expect(engine.exitCode ?? (await once(engine, 'exit'))[0]).toBe(0)
    const text = join(temporaryFolder(), 'text.db')
    writeFileSync(text, 'This is no database, but a text that is long enough to be none.'.repeat(20))
    const refused = startEngine(text)
    expect((await once(refused, 'exit'))[0]).toBe(5)
  })
})
