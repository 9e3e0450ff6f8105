import { spawn } from 'node:child_process'
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LcmEvent } from '#core/contract/event.ts'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import { nextRecheckMs } from '#core/systems/reading/recheck-time.ts'
import { cliPath } from '../builders/built-program.ts'
import { TranscriptBuilder } from '../builders/claude-code.ts'
import { buildMemory } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { Writer } from '../sqlite/children/start.ts'
import { copyOf, FIXTURES } from '../sqlite/fixtures.ts'
import { resourcesDir } from './core-client.ts'

const toClose: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of toClose.splice(0)) await one.close()
})

function watch(path: string): { core: Core; changes: LcmEvent[] } {
  const machine = new Machine({ env: process.env, resourcesDir })
  const core = new Core({ path, open: { cacheDir: machine.folders.cache }, machine, execute: executeHere({}) })
  toClose.push(core)
  const changes: LcmEvent[] = []
  core.subscribe((event) => {
    if (event.kind === 'database_changed') changes.push(event)
  })
  return { core, changes }
}

const oneMore = (changes: readonly LcmEvent[], before: number): Promise<void> =>
  expect.poll(() => changes.length, { interval: 20 }).toBe(before + 1)

/** Runs `lcm import` in a process of its own. */
async function importInto(path: string, transcript: string): Promise<void> {
  const child = spawn(process.execPath, [cliPath, 'import', transcript, '--db', path], { stdio: 'ignore' })
  const code = await new Promise((done) => child.once('exit', done))
  expect(code).toBe(0)
}

describe('a watched file', () => {
  it('is reported as changed after another process wrote to it, without being asked', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['hello'] }] })
    const { core, changes } = watch(memory.path)
    expect((await core.lcm()).stats.stats().messages).toBe(1)
    const story = new TranscriptBuilder()
    story.user('one more')
    await importInto(memory.path, story.write())
    await expect.poll(() => changes.length, { interval: 10 }).toBeGreaterThan(0)
    expect((await core.lcm()).stats.stats().messages).toBe(2)
  })

  it('is not reported as changed while nothing happens', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['hello'] }] })
    const { core, changes } = watch(memory.path)
    await core.lcm()
    await new Promise((resume) => setTimeout(resume, 1200))
    expect(changes).toEqual([])
  })

  it('is reported again when rows are due that were not looked at after a change, and then no more', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['hello'] }] })
    const { core, changes } = watch(memory.path)
    const { read } = await core.lcm()
    // As after a reading that took a tenth of a second.
    const untilMs = nextRecheckMs(read, performance.now() - 100)
    memory.db.run('UPDATE messages SET token_count = 7')
    await oneMore(changes, 0)
    expect(performance.now()).toBeLessThan(untilMs)
    const clock = vi.spyOn(performance, 'now').mockReturnValue(untilMs)
    await expect.poll(() => changes.length, { interval: 20, timeout: 5000 }).toBe(2)
    clock.mockRestore()
    await new Promise((resume) => setTimeout(resume, 1500))
    expect(changes.length).toBe(2)
  })

  it('is read again when another file takes its place', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['hello'] }] })
    using other = buildMemory({ conversations: [{ messages: ['one', 'two', 'three'] }] })
    other.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const { core, changes } = watch(memory.path)
    expect((await core.lcm()).stats.stats().messages).toBe(1)
    memory.db.close()
    const copy = join(temporaryFolder(), 'copy.db')
    copyFileSync(other.path, copy)
    for (const log of ['-wal', '-shm']) rmSync(`${memory.path}${log}`, { force: true })
    renameSync(copy, memory.path)
    await oneMore(changes, 0)
    expect((await core.lcm()).stats.stats().messages).toBe(3)
  })

  it('is reported as missing, and opened again when it returns', async () => {
    const memory = buildMemory({ conversations: [{ messages: ['hello'] }] })
    memory.db.close()
    const { core, changes } = watch(memory.path)
    await core.lcm()
    const aside = join(temporaryFolder(), 'aside.db')
    renameSync(memory.path, aside)
    await oneMore(changes, 0)
    await expect(core.lcm()).rejects.toMatchObject({ code: 'file_missing' })
    renameSync(aside, memory.path)
    await oneMore(changes, 1)
    expect((await core.lcm()).stats.stats().messages).toBe(1)
  })

  it('is closed with its core, and opened no more afterwards', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['hello'] }] })
    const { core } = watch(memory.path)
    await core.lcm()
    await core.close()
    await expect(core.lcm()).rejects.toMatchObject({ code: 'no_memory_open' })
  })
})

describe('a watched file of another system', () => {
  it('is read again after its own agent wrote to it', async () => {
    const path = copyOf('lossless-claw/small.db')
    const writer = await Writer.start(path)
    toClose.push({ close: () => writer.end('close') })
    await writer.tell('write')
    const { core, changes } = watch(path)
    expect((await core.lcm()).stats.stats().messages).toBe(69)
    await writer.tell('write')
    await oneMore(changes, 0)
    expect((await core.lcm()).stats.stats().messages).toBe(70)
  })

  it('is opened again when it was replaced, also when it was incomplete in between', async () => {
    const path = copyOf('lossless-claw/small.db')
    const { core, changes } = watch(path)
    expect((await core.lcm()).stats.stats().messages).toBe(68)
    const rich = readFileSync(join(FIXTURES, 'lossless-claw/rich.db'))
    writeFileSync(path, rich.subarray(0, 100_000))
    await oneMore(changes, 0)
    await expect(core.lcm()).rejects.toMatchObject({ code: 'file_truncated' })
    writeFileSync(path, rich)
    await oneMore(changes, 1)
    expect((await core.lcm()).stats.stats().messages).not.toBe(68)
  })
})
