import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { JobProgress } from '#core/contract/job.ts'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { resourcesDir } from '#test/jobs/core-client.ts'

const toClose: Core[] = []
afterEach(async () => {
  for (const core of toClose.splice(0)) await core.close()
})

/** A large file of the memory, written some time ago. */
function addFile(memory: TestMemory, number: number, lines: number): string {
  const path = join(dirname(memory.path), 'lcm-files', '1', `${number}.txt`)
  const content = Array.from({ length: lines }, (_, line) => `2026-03-02T09:00:00Z request ${line} was answered`).join(
    '\n',
  )
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  utimesSync(path, 1000, 1000)
  memory.largeFile(1, {
    storage_uri: path,
    byte_size: content.length,
    file_id: `file_${String(number).padStart(16, '0')}`,
  })
  return path
}

async function openWindow(path: string): Promise<Core> {
  const cacheDir = temporaryFolder()
  const machine = new Machine({ env: { ...process.env, LCM_CACHE_DIR: cacheDir }, resourcesDir })
  const core = new Core({ path, open: { cacheDir }, machine, execute: executeHere({ cacheDir }) })
  toClose.push(core)
  await core.lcm()
  return core
}

it('indexes the contents of large files while somebody looks at a native memory, with progress, and new ones later', async () => {
  using memory = buildMemory({ conversations: [{ messages: ['the files'] }] })
  const paths = [addFile(memory, 1, 400_000)]
  const core = await openWindow(memory.path)
  const progress: JobProgress[] = []
  core.subscribe((event) => {
    if (event.kind === 'job' && event.job.kind === 'index' && event.job.progress) progress.push(event.job.progress)
  })
  const { contents } = await core.lcm()
  const areIndexed = (): boolean => paths.every((path) => !contents.indexes.isMissing(path, 1e9))
  await expect.poll(areIndexed).toBe(true)
  expect(progress.at(0)).toMatchObject({ unit: 'bytes', note: 'contents of large files' })
  await expect.poll(async () => (await core.searchIndex()).jobId).toBeNull()
  paths.push(addFile(memory, 2, 10_000))
  await expect.poll(areIndexed).toBe(true)
  expect(await core.searchIndex()).toMatchObject({ state: 'native', reason: null })
})

it('leaves contents without an index that are read in a moment', async () => {
  using memory = buildMemory({ conversations: [{ messages: ['the files'] }] })
  addFile(memory, 1, 10_000)
  const core = await openWindow(memory.path)
  core.subscribe(() => undefined)
  await new Promise((resume) => setTimeout(resume, 1200))
  expect(core.jobs.list()).toEqual([])
})
