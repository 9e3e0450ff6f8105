import childProcess from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { toErrorInfo } from '#core/errors.ts'
import { identifyMemory } from '#core/systems/opening/identify-memory.ts'
import { openMemory } from '#core/systems/opening/open.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { Writer } from './children/start.ts'
import { copyOf } from './fixtures.ts'
import { folderState } from './folder-state.ts'

// "Nothing blocks the thread that answers": opening runs no process that it waits for, and never waits in the thread.

const SYNCHRONOUS = ['spawnSync', 'execFileSync', 'execSync'] as const
const refuse = (what: string) => () => {
  throw new Error(`opening called ${what}`)
}

beforeAll(() => {
  for (const name of SYNCHRONOUS) vi.spyOn(childProcess, name).mockImplementation(refuse(name))
  vi.spyOn(Atomics, 'wait').mockImplementation(refuse('Atomics.wait'))
  syncBuiltinESMExports()
})
afterAll(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

/** A file beside which a writer was killed. */
async function crashed(): Promise<string> {
  const path = copyOf('lossless-claw/small.db')
  const writer = await Writer.start(path)
  await writer.tell('write')
  await writer.end('crash')
  return path
}

async function garbled(suffix: '-wal' | '-shm'): Promise<string> {
  const path = await crashed()
  writeFileSync(`${path}${suffix}`, randomBytes(40_000))
  return path
}

const FILES: Readonly<Record<string, () => Promise<string> | string>> = {
  'a file at rest': () => copyOf('hermes-lcm/small.db'),
  'a file beside the log of a killed writer': crashed,
  'a file beside a log without its index': async () => {
    const path = await crashed()
    rmSync(`${path}-shm`)
    return path
  },
  'a file beside a garbled log': () => garbled('-wal'),
  'a file beside a garbled index': () => garbled('-shm'),
  'a file beside a log whose header is damaged in its last bytes': async () => {
    const path = await crashed()
    const log = readFileSync(`${path}-wal`)
    log.writeUInt32BE((log.readUInt32BE(28) ^ 1) >>> 0, 28)
    writeFileSync(`${path}-wal`, log)
    return path
  },
  '200 MB that are no database': () => {
    const path = join(temporaryFolder(), 'lcm.db')
    writeFileSync(path, randomBytes(4096))
    truncateSync(path, 200_000_000)
    return path
  },
  '200 MB of which most is no page': () => {
    const path = copyOf('lossless-claw/small.db')
    truncateSync(path, 200_000_000)
    return path
  },
}

describe('opening', () => {
  it.each(Object.entries(FILES))('never waits in its thread: %s', async (_name, make) => {
    const path = await make()
    const cacheDir = join(temporaryFolder(), 'cache')
    const before = folderState(dirname(path))
    const codes = await Promise.all([
      openMemory(path, { cacheDir }).then(
        (memory) => memory.close(),
        (error: unknown) => toErrorInfo(error).code,
      ),
      identifyMemory(path, { cacheDir }).then(
        () => undefined,
        (error: unknown) => toErrorInfo(error).code,
      ),
    ])
    expect(codes).not.toContain('internal')
    expect(codes).not.toContain('locked')
    expect(folderState(dirname(path))).toEqual(before)
  })
})
