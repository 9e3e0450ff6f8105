import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { enter } from '#test/builders/browser-session.ts'
import { cliPath, installFolder } from '#test/builders/built-program.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { isRoot, nobodyCanRun } from '#test/builders/ordinary-user.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { longTranscript } from '#test/jobs/long-transcript.ts'
import { Integrity, Stats } from './documents.ts'
import { document, ended, environment, lcm, lcmHere, startLcm } from './lcm.ts'

/** Waits until the memory holds something of what is being imported. */
const whenBegun = (db: string): Promise<void> =>
  expect.poll(() => countMessages(db), { interval: 10 }).toBeGreaterThan(0)

function countMessages(db: string): number {
  if (!existsSync(`${db}-shm`)) return 0
  const reader = new Database(db, { readonly: true })
  try {
    return reader.prepare('SELECT count(*) FROM messages').pluck().get() as number
  } catch {
    // Its tables are being made.
    return 0
  } finally {
    reader.close()
  }
}

/** Lets other users enter a temporary folder: itself, and those of the run around it. */
function openToOthers(folder: string): void {
  chmodSync(folder, 0o711)
  const around = dirname(folder)
  if (basename(around).startsWith('lcm-')) openToOthers(around)
}

/** A shell pipeline, as people type it. */
const shell = (line: string): Promise<{ code: number | null; stdout: string; stderr: string }> =>
  ended(spawn('bash', ['-c', `set -o pipefail; ${line}`], { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] }))

describe('an interrupted command', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends an import with exit code 130 on %s, and the memory is valid and keeps what was stored',
    async (signal) => {
      const db = join(temporaryFolder(), 'lcm.db')
      const transcript = longTranscript(15_000)
      const importing = startLcm(['import', transcript, '--db', db, '--json'])
      const ran = ended(importing)
      await whenBegun(db)
      importing.kill(signal)
      const { code, stdout, stderr } = await ran
      expect(code).toBe(130)
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'cancelled', retryable: false } })
      expect(stderr).toMatch(/^lcm: cancelled: .*stays/)
      expect(readdirSync(dirname(db))).toEqual(['lcm.db'])

      const { messages } = await document(Stats, ['stats', '--db', db])
      expect(messages).toBeGreaterThan(0)
      expect(messages).toBeLessThan(15_000)
      expect(await document(Integrity, ['integrity', '--db', db])).toMatchObject({ ok: true })
    },
  )

  it('leaves a memory after kill -9 that opens, and importing again adds the rest', async () => {
    const db = join(temporaryFolder(), 'lcm.db')
    const transcript = longTranscript(6000)
    const importing = startLcm(['import', transcript, '--db', db])
    await whenBegun(db)
    importing.kill('SIGKILL')
    await ended(importing)
    expect((await lcm(['import', transcript, '--db', db])).code).toBe(0)
    expect(await document(Stats, ['stats', '--db', db])).toMatchObject({ messages: 6000 })
    expect(await document(Integrity, ['integrity', '--db', db])).toMatchObject({ ok: true })
  })

  it('ends at its next step when it only reads, and prints nothing else on standard output', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['one', 'two'] }] })
    const others = process.listenerCount('SIGINT')
    const ran = lcmHere(['integrity', '--db', memory.path, '--json'])
    // As soon as the command listens, which is before its first step.
    while (process.listenerCount('SIGINT') === others) await new Promise(setImmediate)
    process.listeners('SIGINT').at(-1)?.('SIGINT')
    const { code, stdout, stderr } = await ran
    expect([code, JSON.parse(stdout).error.code]).toEqual([130, 'cancelled'])
    expect(stderr).toMatch(/^lcm: cancelled: .*\n$/)
  })
})

describe('standard output', () => {
  it('is reported in one line, without a stack, when it cannot be written', async ({ skip }) => {
    skip(!existsSync('/dev/full'), 'there is no /dev/full')
    using memory = buildMemory({ conversations: [{ messages: ['one'] }] })
    const ran = await shell(`"${process.execPath}" "${cliPath}" stats --db "${memory.path}" > /dev/full`)
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toBe(
      'lcm: disk_full: The disk is full: standard output could not be written. Free some space, try again.\n',
    )
  })

  it('may be closed by head after its first line without an error', async () => {
    const memory = buildMemory({
      conversations: [{ messages: Array.from({ length: 3000 }, (_, n) => `message ${n} `.repeat(50)) }],
    })
    memory.db.close()
    for (const command of ['context --budget 100000000', 'context --budget 100000000 --json', 'stats --json']) {
      const { code, stdout, stderr } = await shell(
        `'${process.execPath}' '${cliPath}' ${command} --db '${memory.path}' | head -1`,
      )
      expect([code, stderr], command).toEqual([0, ''])
      expect(stdout.split('\n')).toHaveLength(2)
    }
  })
})

const rendererDir = join(import.meta.dirname, '../../../out/renderer')
const isBuilt = existsSync(join(rendererDir, 'index.html'))

describe('lcm serve and lcm open', () => {
  beforeEach(({ skip }) => {
    skip(!isBuilt, `the window is not built at ${rendererDir}: npm run build`)
  })
  const firstLine = async (child: ChildProcess): Promise<string> => {
    for await (const line of createInterface({ input: child.stdout ?? process.stdin })) return line
    return ''
  }

  it.each(['serve', 'open'])(
    'prints the address first with %s --json, answers there, and ends on request',
    async (command) => {
      const memory = buildMemory({ conversations: [{ messages: ['hello'] }] })
      memory.db.close()
      const named = command === 'serve' ? ['--db', memory.path] : [memory.path]
      const child = startLcm([command, ...named, '--json', '--no-open'])
      const { url } = JSON.parse(await firstLine(child)) as { url: string }
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32,}$/)
      expect((await enter(url)).start).toBe(`?${new URLSearchParams({ file: memory.path })}`)
      const gone = new Promise((done) => child.once('exit', done))
      child.kill('SIGINT')
      expect(await gone).toBe(130)
    },
  )

  it('takes the given port, and says when it is taken', async () => {
    const child = startLcm(['serve', '--json', '--no-open'])
    const { url } = JSON.parse(await firstLine(child)) as { url: string }
    const { port } = new URL(url)
    const second = await lcm(['serve', '--port', port, '--no-open', '--json'])
    expect(second).toMatchObject({ code: 4, stderr: expect.stringContaining(`Port ${port} is taken`) })
    const gone = new Promise((done) => child.once('exit', done))
    child.kill('SIGTERM')
    await gone
  })
})

describe('lcm open', () => {
  // Electron does not run as root, so root's test needs a checkout that another user can enter.
  it('shows the desktop window when Electron is installed and a display is there', async ({ skip }) => {
    skip(process.platform !== 'linux', 'this is not Linux')
    skip(isRoot && !nobodyCanRun(), 'nobody but root can run this checkout')
    const folder = temporaryFolder()
    for (const path of [folder, installFolder]) openToOthers(path)
    chmodSync(folder, 0o777)
    // It is not among what the package needs, so it is installed beside it.
    const beside = join(installFolder, 'node_modules/electron')
    symlinkSync(join(import.meta.dirname, '../../../node_modules/electron'), beside)
    onTestFinished(() => rmSync(beside))
    const electron = join(folder, 'electron')
    writeFileSync(electron, `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/arguments'\n`)
    chmodSync(electron, 0o755)
    const env = { ELECTRON_OVERRIDE_DIST_PATH: folder, DISPLAY: ':99', NODE_COMPILE_CACHE: '' }
    const asNobody = isRoot ? { uid: 65534 } : {}
    const { code, stdout } = await lcm(['open', '/some/lcm.db', '--json'], { env, cwd: '/', ...asNobody })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ window: 'desktop', path: '/some/lcm.db' })
    expect(readFileSync(join(folder, 'arguments'), 'utf8').split('\n').slice(1, 2)).toEqual(['/some/lcm.db'])
  })
})
