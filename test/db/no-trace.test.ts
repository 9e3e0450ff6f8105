import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { MemoryStats } from '../../core/browse/stats/memory-stats.ts'
import { createTokenEstimator } from '../../core/models/token-estimator.ts'
import { inspectFile } from '../../core/sqlite/memory-file.ts'
import { openNative } from '../../core/sqlite/native.ts'
import { IMAGE_LIMIT_BYTES, routeOf } from '../../core/sqlite/read-only-connection.ts'
import { canOpenUris, openByUri } from '../../core/sqlite/uri-db.ts'
import { identifyMemory } from '../../core/systems/identify-memory.ts'
import { type OpenedMemory, openMemory } from '../../core/systems/open-memory.ts'
import { prepareCopy } from '../../core/systems/prepare-copy.ts'
import { ordinaryUser } from '../builders/ordinary-user.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { lookAsOrdinaryUser, Writer } from './children/start.ts'
import { copyOf } from './fixtures.ts'
import { folderState } from './folder-state.ts'

const MESSAGES = 68
const cacheDir = join(temporaryFolder(), 'cache')
let writer: Writer | null = null
afterEach(async () => {
  await writer?.end('crash')
  writer = null
})

/** Everything a look does: open, count, read to the end, close. */
function lookAt(path: string): { access: string; messages: number } {
  const memory = openMemory(path, { cacheDir })
  const { messages } = new MemoryStats(
    memory.read,
    memory.info,
    { budgetTokens: 1000, freshTailCount: 8 },
    createTokenEstimator(),
  ).stats()
  for (const row of memory.read.iterate('SELECT * FROM messages')) expect(row).toBeDefined()
  memory.read.all('SELECT * FROM message_text')
  memory.close()
  return { access: memory.info.access, messages }
}

function expectUntouched<T>(path: string, look: () => T): T {
  const before = folderState(dirname(path))
  const seen = look()
  expect(folderState(dirname(path))).toEqual(before)
  expect(existsSync(cacheDir) ? readdirSync(cacheDir) : []).toEqual([])
  return seen
}

/** Grows a file past what is read into memory. */
function grow(path: string, journal: 'WAL' | 'DELETE' = 'WAL'): void {
  const db = new Database(path)
  db.pragma(`journal_mode = ${journal}`)
  db.exec('CREATE TABLE padding (bytes)')
  db.prepare('INSERT INTO padding VALUES (zeroblob(?))').run(BigInt(IMAGE_LIMIT_BYTES))
  db.close()
}

describe('a look at another system’s file', () => {
  it('leaves a file at rest as it was', () => {
    const path = copyOf('lossless-claw/small.db')
    expect(expectUntouched(path, () => lookAt(path))).toEqual({ access: 'memory_image', messages: MESSAGES })
  })

  it('reads a large file at rest where it is, without a copy', () => {
    const path = copyOf('lossless-claw/small.db')
    grow(path)
    expect(expectUntouched(path, () => lookAt(path))).toEqual({ access: 'at_rest', messages: MESSAGES })
  })

  it('reads a large file in rollback-journal mode where it is', () => {
    const path = copyOf('lossless-claw/small.db')
    grow(path, 'DELETE')
    expect(expectUntouched(path, () => lookAt(path))).toEqual({ access: 'in_place', messages: MESSAGES })
  })

  it('reads beside a live writer and follows it, not even marking its shared memory', async () => {
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    await writer.tell('write', 'write')
    expect(expectUntouched(path, () => lookAt(path))).toEqual({ access: 'in_place', messages: MESSAGES + 2 })

    const memory = openMemory(path, { cacheDir })
    const version = memory.read.dataVersion()
    await writer.tell('write')
    expect(memory.read.dataVersion()).not.toBe(version)
    expect(memory.read.value('SELECT count(*) FROM messages')).toBe(MESSAGES + 3)
    memory.close()
  })

  it('is at rest beside an empty log, whose index nobody vouches for', () => {
    const path = copyOf('hermes-lcm/small.db')
    writeFileSync(`${path}-wal`, '')
    writeFileSync(`${path}-shm`, Buffer.alloc(32_768))
    const before = folderState(dirname(path))
    const memory = openMemory(path, { cacheDir })
    const version = memory.read.dataVersion()
    expect(memory.info.access).toBe('memory_image')
    expect(memory.read.value('SELECT count(*) FROM messages')).toBeGreaterThan(20)
    expect(memory.read.dataVersion()).toBe(version)
    memory.close()
    expect(folderState(dirname(path))).toEqual(before)
  })

  it('gives no answer at all from a file at rest that was changed under it, and opens it anew', async () => {
    const path = copyOf('lossless-claw/small.db')
    grow(path)
    const memory = openMemory(path, { cacheDir })
    const rows = memory.read.iterate('SELECT * FROM messages')
    rows.next()
    writer = await Writer.start(path)
    await writer.tell('write')
    expect(memory.read.value('SELECT count(*) FROM messages')).toBe(MESSAGES)
    await writer.tell('checkpoint')
    const locked = expect.objectContaining({ code: 'locked', retryable: true })
    expect(() => memory.read.value('SELECT count(*) FROM messages')).toThrow(locked)
    expect(() => [...rows]).toThrow(locked)
    memory.close()
    expect(lookAt(path)).toEqual({ access: 'at_rest', messages: MESSAGES + 1 })
  })

  it('beside a writer that comes and goes is never told of damage, and never goes back in time', async () => {
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    writer.work()
    let newest = 0
    for (const until = Date.now() + 1500; Date.now() < until || newest <= MESSAGES; ) {
      try {
        const { messages } = lookAt(path)
        expect(messages).toBeGreaterThanOrEqual(newest)
        newest = messages
      } catch (error) {
        expect(error).toMatchObject({ code: 'locked' })
      }
    }
    expect(newest).toBeGreaterThan(MESSAGES)
  })

  it('that finds its log in the middle of being made asks to try again', async ({ skip }) => {
    skip(!canOpenUris(), 'this Node was built without SQLite')
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    await writer.tell('write')
    const db = openByUri(path, 'mode=ro&readonly_shm=1')
    expect(db.value('SELECT count(*) FROM messages')).toBe(MESSAGES + 1)
    // Both headers of the log's index, as whoever begins a log leaves them for a moment.
    const index = openSync(`${path}-shm`, 'r+')
    writeSync(index, Buffer.alloc(96), 0, 96, 0)
    closeSync(index)
    const details = expect.objectContaining({ sqlite: 'SQLITE_READONLY_RECOVERY' })
    const again = { code: 'locked', retryable: true, details }
    expect(() => db.value('SELECT count(*) FROM messages')).toThrow(expect.objectContaining(again))
    db.close()
  })

  it('never holds a lock that a writer waits for', async () => {
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    await writer.tell('write')
    const memory = openMemory(path, { cacheDir })
    const rows = memory.read.iterate('SELECT * FROM messages')
    rows.next()
    await writer.tell('write', 'write')
    rows.return?.()
    memory.close()
    expect(lookAt(path).messages).toBe(MESSAGES + 3)
  })

  it('sees what a crashed writer committed, and leaves its log and shared memory alone', async () => {
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    await writer.tell('write')
    await writer.end('crash')
    expect(readdirSync(dirname(path)).sort()).toEqual(['lcm.db', 'lcm.db-shm', 'lcm.db-wal'])
    expect(expectUntouched(path, () => lookAt(path))).toEqual({ access: 'in_place', messages: MESSAGES + 1 })
  })

  it('reads a log without its shared memory through a copy, and removes the copy', async () => {
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    await writer.tell('write')
    await writer.end('crash')
    rmSync(`${path}-shm`)
    expect(expectUntouched(path, () => lookAt(path))).toEqual({ access: 'cache_copy', messages: MESSAGES + 1 })
  })

  it('reads through a copy that was made beforehand, once, and not when the file has changed since', async () => {
    const copies = (): string[] => readdirSync(cacheDir).filter((name) => name.startsWith('look-'))
    const path = copyOf('lossless-claw/small.db')
    expect(await prepareCopy(path, cacheDir)).toBeNull()
    writer = await Writer.start(path)
    await writer.tell('write')
    await writer.end('crash')
    rmSync(`${path}-shm`)

    const prepared = await prepareCopy(path, cacheDir)
    expect(copies()).toHaveLength(1)
    const memory = openMemory(path, { cacheDir, prepared })
    expect(memory.info.access).toBe('cache_copy')
    expect(memory.read.value('SELECT count(*) FROM messages')).toBe(MESSAGES + 1)
    expect(copies()).toHaveLength(1)
    prepared?.drop()
    expect(copies()).toHaveLength(1)
    memory.close()
    expect(copies()).toHaveLength(0)

    const outdated = await prepareCopy(path, cacheDir)
    utimesSync(path, 1, 1)
    const other = openMemory(path, { cacheDir, prepared: outdated })
    expect(copies()).toHaveLength(2)
    outdated?.drop()
    other.close()
    expect(copies()).toHaveLength(0)
    expect(await prepareCopy(join(cacheDir, 'gone.db'), cacheDir)).toBeNull()
  })

  it('takes an emptied log for what it is: everything is in the file', async () => {
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    await writer.tell('write', 'checkpoint')
    expect(expectUntouched(path, () => lookAt(path)).messages).toBe(MESSAGES + 1)
    await writer.end('crash')
    rmSync(`${path}-shm`)
    expect(expectUntouched(path, () => lookAt(path)).messages).toBe(MESSAGES + 1)
  })

  it('rolls back an interrupted transaction in a copy only', async () => {
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path, 'DELETE')
    await writer.tell('begin', 'write', 'spill')
    await writer.end('crash')
    expect(readdirSync(dirname(path))).toContain('lcm.db-journal')
    expect(expectUntouched(path, () => lookAt(path))).toEqual({ access: 'cache_copy', messages: MESSAGES })
  })

  it('removes copies that a killed process left in the cache, and no others', async () => {
    const gone = join(cacheDir, 'look-999999999-abc')
    const other = join(cacheDir, 'search-index')
    mkdirSync(gone, { recursive: true })
    mkdirSync(other)
    writeFileSync(join(gone, 'lcm.db'), 'x')
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    await writer.tell('write')
    await writer.end('crash')
    rmSync(`${path}-shm`)
    const memory = openMemory(path, { cacheDir })
    expect(readdirSync(cacheDir).filter((name) => name.startsWith('look-'))).toHaveLength(1)
    memory.close()
    expect(readdirSync(cacheDir)).toEqual(['search-index'])
    rmSync(other, { recursive: true })
  })

  it('works in a folder where nothing may be written', () => {
    const path = copyOf('lossless-claw/small.db')
    chmodSync(path, 0o444)
    openToOthers(path)
    const seen = inReadOnlyFolder(path, () => expectUntouched(path, () => lookAsOrdinaryUser(path, '/nowhere')))
    expect(seen).toMatchObject({ access: 'memory_image', messages: MESSAGES })
  })

  it('reads a large file in a folder where nothing may be written', () => {
    const path = copyOf('lossless-claw/small.db')
    grow(path)
    openToOthers(path)
    const seen = inReadOnlyFolder(path, () => expectUntouched(path, () => lookAsOrdinaryUser(path, '/nowhere')))
    expect(seen).toMatchObject({ access: 'at_rest', messages: MESSAGES })
  })

  it('says whose a file is without touching it, at rest and beside a writer', async () => {
    const path = copyOf('lossless-claw/small.db')
    expect(expectUntouched(path, () => identifyMemory(path)).system).toBe('lossless-claw')
    writer = await Writer.start(path)
    await writer.tell('write')
    expect(expectUntouched(path, () => identifyMemory(path)).system).toBe('lossless-claw')
  })

  it('refuses to write, whatever is tried', () => {
    const memory: OpenedMemory = openMemory(copyOf('lossless-claw/small.db'), { cacheDir })
    expect(memory.write).toBeNull()
    expect(memory.info).toMatchObject({ readOnly: true, system: 'lossless-claw' })
    for (const sql of ['DELETE FROM main.messages', 'CREATE TABLE main.t (a)', 'DROP TABLE main.summaries']) {
      expect(() => memory.read.all(sql)).toThrow()
    }
    expect(memory.read.value('SELECT count(*) FROM messages')).toBe(MESSAGES)
    memory.close()
  })

  it('is never taken for one of ours by mistake: not even a log is made, nor one that was left folded in', async () => {
    const path = copyOf('lossless-claw/small.db')
    const refused = expect.objectContaining({ code: 'not_a_memory' })
    expectUntouched(path, () => expect(() => openNative(path)).toThrow(refused))
    writer = await Writer.start(path)
    await writer.tell('write')
    await writer.end('crash')
    expectUntouched(path, () => expect(() => openNative(path)).toThrow(refused))
  })

  it('without URIs falls back to a copy for large files at rest', () => {
    const path = copyOf('lossless-claw/small.db')
    grow(path)
    expect(routeOf(inspectFile(path), false)).toBe('copy')
  })
})

describe('our own file opened for reading only', () => {
  it('leaves no trace either', () => {
    const path = join(temporaryFolder(), 'lcm.db')
    openMemory(path, { create: true }).close()
    const before = folderState(dirname(path))
    const memory = openMemory(path, { readOnly: true, cacheDir })
    expect(memory.write).toBeNull()
    expect(memory.info.readOnlyReason).toMatch(/reading only/)
    memory.close()
    expect(folderState(dirname(path))).toEqual(before)
  })

  it('opens what may not be written, and says why it is read-only', () => {
    const path = join(temporaryFolder(), 'lcm.db')
    openMemory(path, { create: true }).close()
    openToOthers(path)
    chmodSync(path, 0o444)
    expect(lookAsOrdinaryUser(path, cacheDir)).toMatchObject({
      readOnly: true,
      readOnlyReason: expect.stringMatching(/write-protected/),
      messages: 0,
    })
    chmodSync(path, 0o666)
    expect(inReadOnlyFolder(path, () => lookAsOrdinaryUser(path, cacheDir))).toMatchObject({
      readOnly: true,
      readOnlyReason: expect.stringMatching(/folder .* write-protected/),
    })
  })
})

/** Temporary folders are private; another user needs a way in. */
function openToOthers(path: string): void {
  chmodSync(dirname(path), 0o755)
  chmodSync(dirname(dirname(path)), 0o755)
  const { uid, gid } = ordinaryUser()?.options ?? {}
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

/** Given back its rights afterwards, so that it can be tidied away. */
function inReadOnlyFolder<T>(path: string, body: () => T): T {
  chmodSync(dirname(path), 0o555)
  try {
    return body()
  } finally {
    chmodSync(dirname(path), 0o755)
  }
}
