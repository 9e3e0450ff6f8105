import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { measureStorage } from '#core/browse/storage/measure-storage.ts'
import { GrepInput } from '#core/contract/retrieval.ts'
import type { Lcm } from '#core/lcm.ts'
import { identifyMemory } from '#core/systems/opening/identify-memory.ts'
import { runToEnd } from '#core/yielding.ts'
import { checkMemory } from '#test/builders/check-memory.ts'
import { asOrdinaryUser, ordinaryUser } from '../builders/ordinary-user.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { tellStory } from '../builders/systems/story.ts'
import { type SystemWriter, writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { folderState } from '../sqlite/folder-state.ts'
import { askEveryService, withLcm } from '../systems/every-service.ts'
import { windowOn } from './open-window.ts'
import { Agent } from './start-agent.ts'

// "opening, browsing, searching, scanning and closing changes no byte and leaves no file, for files at rest, files with a
// live writer, read-only folders, and files whose `-wal` was left by a crash."

const SEED = 4
const STORY = tellStory({ seed: SEED, sessions: 2, turns: 4 })

/** Everything that a person does with a file, one after the other. */
async function browse(lcm: Lcm): Promise<number> {
  await askEveryService(lcm)
  for (const mode of ['full_text', 'literal', 'regex'] as const) {
    await lcm.retrieval.grep(GrepInput.parse({ query: 'lease', mode, exactTotal: true }))
  }
  await checkMemory(lcm)
  const { read: db, info, settings } = lcm
  const signal = new AbortController().signal
  await runToEnd(measureStorage({ db, info, largeFileTokens: settings.largeFileTokenThreshold }, signal))
  return lcm.stats.stats().messages
}

/** The folder's names and bytes are those of before; the cache keeps nothing but the search index. */
async function expectUntouched(path: string, access: readonly string[], messages: number): Promise<void> {
  const cacheDir = join(temporaryFolder(), 'cache')
  const before = folderState(dirname(path))
  await identifyMemory(path, { cacheDir })
  expect(folderState(dirname(path))).toEqual(before)
  await withLcm(path, cacheDir, async (lcm) => {
    expect(access).toContain(lcm.info.access)
    expect(await browse(lcm)).toBe(messages)
    expect(folderState(dirname(path))).toEqual(before)
  })
  expect(folderState(dirname(path))).toEqual(before)
  const kept = existsSync(cacheDir) ? readdirSync(cacheDir).filter((name) => name.startsWith('look-')) : []
  expect(kept).toEqual([])
}

function atRest(writer: SystemWriter): { readonly path: string; readonly messages: number } {
  const path = join(temporaryFolder(), 'lcm.db')
  writeStory(writer, path, writer.tell(STORY))
  return { path, messages: STORY.sessions.reduce((sum, { messages }) => sum + messages.length, 0) }
}

async function said(writer: SystemWriter): Promise<{ readonly path: string; readonly agent: Agent }> {
  const path = join(temporaryFolder(), 'lcm.db')
  const agent = await Agent.start(writer.name, path, SEED)
  onTestFinished(() => agent.kill())
  await agent.tell('say 9')
  return { path, agent }
}

it('a window copies a log without its index before it opens the file, and opens the copy', async () => {
  const [writer] = WRITERS
  if (!writer) throw new Error('there is no writer')
  const { path, agent } = await said(writer)
  agent.kill()
  await expect.poll(() => agent.isGone, { interval: 10 }).toBe(true)
  rmSync(`${path}-shm`)
  const { core } = windowOn(path)
  const copies = (): string[] =>
    readdirSync(core.machine.folders.cache).filter((name) => name.startsWith(`look-${process.pid}-`))
  const [lcm, same] = await Promise.all([core.lcm(), core.lcm()])
  expect([lcm.info.access, same === lcm, copies().length]).toEqual(['cache_copy', true, 1])
  await core.close()
  expect(copies()).toEqual([])
})

describe.each(WRITERS.map((writer) => ({ name: writer.name, writer })))('reading a file of $name', ({ writer }) => {
  it('does not change it at rest', async () => {
    const { path, messages } = atRest(writer)
    await expectUntouched(path, ['memory_image'], messages)
  })

  it('does not change it beside its agent', async () => {
    const { path } = await said(writer)
    await expectUntouched(path, ['in_place'], 9)
  })

  it('does not change the log of an agent that was killed, with or without its index', async () => {
    const { path, agent } = await said(writer)
    agent.kill()
    await expect.poll(() => agent.isGone, { interval: 10 }).toBe(true)
    expect(readdirSync(dirname(path))).toEqual(expect.arrayContaining(['lcm.db-shm', 'lcm.db-wal']))
    await expectUntouched(path, ['in_place'], 9)
    rmSync(`${path}-shm`)
    await expectUntouched(path, ['cache_copy'], 9)
  })

  it('does not change an empty log', async () => {
    const { path, messages } = atRest(writer)
    writeFileSync(`${path}-wal`, '')
    await expectUntouched(path, ['memory_image'], messages)
    writeFileSync(`${path}-shm`, Buffer.alloc(32_768))
    await expectUntouched(path, ['at_rest'], messages)
  })

  it('does not change a folder without write permission', ({ skip }) => {
    skip(ordinaryUser() === null, 'nobody but root can run this checkout')
    const { path, messages } = atRest(writer)
    const folder = dirname(path)
    const { uid, gid } = ordinaryUser()?.options ?? {}
    for (const name of readdirSync(folder)) {
      chmodSync(join(folder, name), 0o444)
      if (uid !== undefined && gid !== undefined) chownSync(join(folder, name), uid, gid)
    }
    chmodSync(dirname(folder), 0o755)
    chmodSync(folder, 0o555)
    try {
      const before = folderState(folder)
      const look = join(import.meta.dirname, '../sqlite/children/look.ts')
      const { command, args, options } = asOrdinaryUser([look, path, '/nowhere'])
      const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options })
      expect(stderr).toBe('')
      expect(JSON.parse(stdout)).toMatchObject({ access: 'memory_image', messages })
      expect(folderState(folder)).toEqual(before)
    } finally {
      chmodSync(folder, 0o755)
    }
  })
})
