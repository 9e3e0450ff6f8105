import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { withFileLock } from '#scripts/file-lock.mjs'

let folder: string
let lock: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcm-lock-'))
  lock = join(folder, 'cache', 'work.lock')
})
afterEach(() => rm(folder, { recursive: true }))

it('a lock lets only one program work at a time', async () => {
  let working = 0
  let most = 0
  const work = async () => {
    working++
    most = Math.max(most, working)
    await sleep(20)
    working--
  }
  await Promise.all(Array.from({ length: 4 }, () => withFileLock(lock, 'test', work)))
  expect(most).toBe(1)
  expect(existsSync(lock)).toBe(false)
})

it('a lock is released when the work fails', async () => {
  const failing = withFileLock(lock, 'test', () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  expect(await withFileLock(lock, 'test', async () => 'done')).toBe('done')
})

it('a lock is taken over from a holder that has died', async () => {
  const dead = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(dead, 'exit')
  await withFileLock(lock, 'test', async () => undefined)
  await writeFile(lock, String(dead.pid))
  expect(await withFileLock(lock, 'test', async () => 'done')).toBe('done')
})
