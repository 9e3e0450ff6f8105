import { closeSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import type { SearchIndexStatus } from '#core/contract/search-index.ts'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { IndexKeeper } from '#core/jobs/index-keeper.ts'
import { Machine } from '#core/machine/machine.ts'
import { leaveFilesAlone } from '#test/builders/files-left-alone.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { resourcesDir } from '#test/jobs/core-client.ts'
import { Writer } from '#test/sqlite/children/start.ts'
import { folderState } from '#test/sqlite/folder-state.ts'
import { ClawFile } from './claw-file.ts'

const toClose: { close(): unknown }[] = []
let writer: Writer | null = null
afterEach(async () => {
  await writer?.end('crash')
  writer = null
  for (const one of toClose.splice(0)) await one.close()
})

leaveFilesAlone()

async function openWindow(path: string): Promise<Core> {
  const cacheDir = temporaryFolder()
  const machine = new Machine({ env: { ...process.env, LCM_CACHE_DIR: cacheDir }, resourcesDir })
  const core = new Core({ path, open: { cacheDir }, machine, execute: executeHere({ cacheDir }) })
  toClose.push(core)
  await core.lcm()
  return core
}

function fileOf(messages: number): string {
  const file = new ClawFile()
  file.db.transaction(() => {
    for (let n = 0; n < messages; n += 1) file.add(`walrus ${n}`)
  })()
  file.close()
  return file.path
}

const state = async (core: Core): Promise<string> => (await core.searchIndex()).state
const ready = (core: Core): Promise<void> => expect.poll(() => state(core)).toBe('ready')
const ask = async (core: Core, query: string): Promise<number> =>
  (
    await (
      await core.lcm()
    ).retrieval.grep({
      query,
      mode: 'full_text',
      match: 'all',
      scope: 'both',
      sort: 'newest',
      limit: 10,
      exactTotal: true,
    } as never)
  ).total

describe('a window on a large file of another system', () => {
  it('builds its search index while somebody listens, with progress, and changes nothing beside the file', async () => {
    const path = fileOf(2500)
    const before = folderState(dirname(path))
    const core = await openWindow(path)
    expect(await core.searchIndex()).toMatchObject({ state: 'none', totalRows: 2500, jobId: null })
    const states: string[] = []
    core.subscribe((event) => {
      if (event.kind === 'job' && event.job.kind === 'index') states.push(event.job.state)
    })
    await ready(core)
    expect(await core.searchIndex()).toMatchObject({ indexedRows: 2500, totalRows: 2500, reason: null })
    expect((await core.searchIndex()).bytes).toBeGreaterThan(0)
    expect(states.at(0)).toBe('running')
    expect(states.at(-1)).toBe('done')
    expect(await ask(core, 'walrus 1999')).toBe(1)
    await core.close()
    expect(folderState(dirname(path))).toEqual(before)
  })

  it('updates its index when an agent writes, and finds what was written at every moment', async () => {
    const path = fileOf(2500)
    writer = await Writer.start(path)
    await writer.tell('write')
    const core = await openWindow(path)
    // What it says right after an index is begun.
    const begun: Promise<SearchIndexStatus>[] = []
    core.subscribe((event) => {
      if (event.kind === 'job' && event.job.kind === 'index' && !event.job.progress) begun.push(core.searchIndex())
    })
    await ready(core)
    expect(await ask(core, 'another program')).toBe(1)
    begun.length = 0
    await writer.tell('write')
    expect(await ask(core, 'another program')).toBe(2)
    await ready(core)
    expect(await begun[0]).toMatchObject({ state: 'building', reason: expect.stringContaining('changed since') })
    expect(await ask(core, 'another program')).toBe(2)
    expect((await core.searchIndex()).indexedRows).toBe(2502)
    expect(core.jobs.list().filter(({ kind }) => kind === 'index')).toHaveLength(1)
  })

  it('keeps watching the file when a page that the index needs is damaged', async () => {
    const path = fileOf(1000)
    const db = new Database(path)
    const root = db.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_messages_1'`)
    const [page, pageSize] = [root.pluck().get() as number, db.pragma('page_size', { simple: true }) as number]
    db.close()
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(pageSize, 0xff), 0, pageSize, (page - 1) * pageSize)
    closeSync(file)
    const core = await openWindow(path)
    const [lcm, jobs] = [await core.lcm(), core.jobs]
    expect(() => lcm.sideIndex?.isWorthwhile).toThrow(expect.objectContaining({ code: 'file_corrupt' }))
    expect(() => new IndexKeeper(jobs, Date.now).look(lcm)).not.toThrow()
    expect(jobs.list()).toEqual([])
  })

  it('builds no index for a small file', async () => {
    const core = await openWindow(fileOf(100))
    core.subscribe(() => undefined)
    await new Promise((resume) => setTimeout(resume, 1200))
    expect(core.jobs.list()).toEqual([])
    expect(await core.searchIndex()).toMatchObject({ state: 'none', totalRows: 100 })
  })
})
