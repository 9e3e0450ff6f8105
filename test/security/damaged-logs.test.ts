import { copyFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LcmError } from '#core/errors.ts'
import { openNative } from '#core/sqlite/native.ts'
import { openMemory } from '#core/systems/opening/open.ts'
import { Random } from '../builders/random.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { ClawFile } from '../search/side-index/claw-file.ts'
import { folderState } from '../sqlite/folder-state.ts'

// Proves that damage beside a file (its log, the index of the log, its journal) blocks nobody: the file opens soon or is
// called damaged, and nothing of another system is changed.

const random = new Random(4)
const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, () => random.int(0, 256)))

/** Files beside a database that no writer has made. */
const LOGS: Readonly<Record<string, Readonly<Record<string, Buffer>>>> = {
  'a broken log with an index of 136 bytes': { '-wal': noise(5000), '-shm': noise(136) },
  'a broken log with an empty index': { '-wal': noise(5000), '-shm': Buffer.alloc(32_768) },
  'a broken log with an index of zeros, cut off': { '-wal': noise(5000), '-shm': Buffer.alloc(136) },
  'garbage for a log and for a journal': { '-wal': noise(5000), '-journal': noise(5000) },
  'garbage for a log, its index and a journal': { '-wal': noise(5000), '-shm': noise(32_768), '-journal': noise(5000) },
}

function foreignFile(): string {
  const { path, db } = new ClawFile()
  db.pragma('journal_mode = WAL')
  db.close()
  return path
}

function nativeFile(): string {
  const path = join(temporaryFolder(), 'lcm.db')
  openNative(path).close()
  return path
}

const FILES: readonly (readonly [string, () => string, boolean])[] = [
  ['a file of another system', foreignFile, true],
  ['a native file that is only read', nativeFile, true],
  ['a native file', nativeFile, false],
]

describe.each(FILES)('%s', (_what, make, readOnly) => {
  it.each(Object.entries(LOGS))('opens soon beside %s, or says what is wrong with it', async (_name, files) => {
    const path = join(temporaryFolder(), 'lcm.db')
    copyFileSync(make(), path)
    for (const [suffix, bytes] of Object.entries(files)) writeFileSync(`${path}${suffix}`, bytes)
    const before = folderState(dirname(path))
    const began = performance.now()
    let code: string | null = null
    try {
      using memory = await openMemory(path, { readOnly, cacheDir: join(temporaryFolder(), 'cache') })
      memory.read.value('SELECT count(*) FROM messages')
    } catch (error) {
      if (!(error instanceof LcmError)) throw error
      code = error.code
    }
    // It takes 50 ms. SQLite would wait ten seconds.
    expect(performance.now() - began).toBeLessThan(8_000)
    expect([null, 'file_corrupt']).toContain(code)
    // Beside a file of ours SQLite may put the index right.
    if (make === foreignFile) expect(folderState(dirname(path))).toEqual(before)
  })
})
