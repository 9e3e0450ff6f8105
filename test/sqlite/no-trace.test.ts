import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { MemoryStats } from '#core/browse/stats/memory-stats.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { inspectFile } from '#core/sqlite/memory-file.ts'
import { openNative } from '#core/sqlite/native.ts'
import { processKey } from '#core/sqlite/process-mark.ts'
import { IMAGE_LIMIT_BYTES, routeOf } from '#core/sqlite/route.ts'
import { canOpenUris, openByUri } from '#core/sqlite/uri-db.ts'
import { identifyMemory } from '#core/systems/opening/identify-memory.ts'
import { openMemory } from '#core/systems/opening/open.ts'
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
async function lookAt(path: string): Promise<{ access: string; messages: number }> {
  const memory = await openMemory(path, { cacheDir })
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

async function expectUntouched<T>(path: string, look: () => T | Promise<T>): Promise<T> {
  const before = folderState(dirname(path))
  const seen = await look()
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

describe('reading a file of another system', () => {
  it('does not change a file at rest', async () => {
    const path = copyOf('lossless-claw/small.db')
    expect(await expectUntouched(path, () => lookAt(path))).toEqual({ access: 'memory_image', messages: MESSAGES })
  })

  it('uses no copy for a large file at rest', async () => {
    const path = copyOf('lossless-claw/small.db')
    grow(path)
    expect(await expectUntouched(path, () => lookAt(path))).toEqual({ access: 'at_rest', messages: MESSAGES })
  })

  it('uses no copy for a large file in rollback-journal mode', async () => {
    const path = copyOf('lossless-claw/small.db')
    grow(path, 'DELETE')
    expect(await expectUntouched(path, () => lookAt(path))).toEqual({ access: 'in_place', messages: MESSAGES })
  })

  it('follows a live writer without a mark in its shared memory', async () => {
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    await writer.tell('write', 'write')
    expect(await expectUntouched(path, () => lookAt(path))).toEqual({ access: 'in_place', messages: MESSAGES + 2 })

    using memory = await openMemory(path, { cacheDir })
    const version = memory.read.dataVersion()
    await writer.tell('write')
    expect(memory.read.dataVersion()).not.toBe(version)
    expect(memory.read.value('SELECT count(*) FROM messages')).toBe(MESSAGES + 3)
  })

  it.each([
    ['at_rest', 'an idle writer', { journal: 'WAL', words: ['write', 'checkpoint'], isLarge: false }],
    ['at_rest', 'an idle writer of a large file', { journal: 'WAL', words: ['write', 'checkpoint'], isLarge: true }],
    ['in_place', 'a writer with a log', { journal: 'WAL', words: ['write', 'begin', 'write'], isLarge: false }],
    ['in_place', 'a writer without a log', { journal: 'DELETE', words: ['write'], isLarge: true }],
  ] as const)('reads as %s beside %s, changes no byte and is in nobody’s way', async (access, _who, beside) => {
    const path = copyOf('lossless-claw/small.db')
    if (beside.isLarge) grow(path, beside.journal)
    writer = await Writer.start(path, beside.journal)
    await writer.tell(...beside.words)
    const before = folderState(dirname(path))
    const memory = await openMemory(path, { cacheDir })
    expect(memory.info.access).toBe(access)
    expect(memory.read.value('SELECT count(*) FROM messages')).toBe(MESSAGES + 1)
    expect(folderState(dirname(path))).toEqual(before)
    if (beside.words.some((word) => word === 'begin')) await writer.tell('commit')
    await writer.tell('write')
    memory.close()
    expect((await lookAt(path)).messages).toBeGreaterThan(MESSAGES + 1)
  })

  it('treats a file with an empty log as at rest, whatever its shared memory says', async () => {
    const path = copyOf('hermes-lcm/small.db')
    writeFileSync(`${path}-wal`, '')
    writeFileSync(`${path}-shm`, Buffer.alloc(32_768))
    const before = folderState(dirname(path))
    const memory = await openMemory(path, { cacheDir })
    const version = memory.read.dataVersion()
    expect(memory.info.access).toBe('at_rest')
    expect(memory.read.value('SELECT count(*) FROM messages')).toBeGreaterThan(20)
    expect(memory.read.dataVersion()).toBe(version)
    memory.close()
    expect(folderState(dirname(path))).toEqual(before)
  })

  it('gives no answer from a file at rest that changed during the read, and opens it again', async () => {
    const path = copyOf('lossless-claw/small.db')
    grow(path)
    const memory = await openMemory(path, { cacheDir })
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
    expect(await lookAt(path)).toEqual({ access: 'at_rest', messages: MESSAGES + 1 })
  })

  it('reports no damage and no older state beside a writer that starts and stops', async () => {
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    writer.work()
    let newest = 0
    for (const until = Date.now() + 1500; Date.now() < until || newest <= MESSAGES; ) {
      try {
        const { messages } = await lookAt(path)
        expect(messages).toBeGreaterThanOrEqual(newest)
        newest = messages
      } catch (error) {
        expect(error).toMatchObject({ code: 'locked' })
      }
    }
    expect(newest).toBeGreaterThan(MESSAGES)
  })

  it('asks to try again when the log is just being created', async ({ skip }) => {
    skip(!canOpenUris(), 'this Node was built without SQLite')
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    await writer.tell('write')
    using db = openByUri(path, 'mode=ro&readonly_shm=1')
    expect(db.value('SELECT count(*) FROM messages')).toBe(MESSAGES + 1)
    // Both headers of the log's index, in the state of a log that is just being started.
    const index = openSync(`${path}-shm`, 'r+')
    writeSync(index, Buffer.alloc(96), 0, 96, 0)
    closeSync(index)
    const details = expect.objectContaining({ sqlite: 'SQLITE_READONLY_RECOVERY' })
    const again = { code: 'locked', retryable: true, details }
    expect(() => db.value('SELECT count(*) FROM messages')).toThrow(expect.objectContaining(again))
  })

  it('reads beside a writer that commits thousands of times a second, and is never asked to try again', async ({
    skip,
  }) => {
    skip(!canOpenUris(), 'this Node was built without SQLite')
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    await writer.tell('write')
    writer.hurry()
    using db = openByUri(path, 'mode=ro&readonly_shm=1')
    for (let look = 0; look < 20_000; look += 1) db.value('SELECT message_id FROM messages LIMIT 1')
    for (let look = 0; look < 20_000; look += 1) {
      expect([...db.iterate('SELECT message_id FROM messages LIMIT 1')]).toHaveLength(1)
    }
  })

  // Without this lock a writer with an older SQLite takes its log away from under the connection.
  // https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
  it('keeps the lock of an open connection when the file is opened again beside an empty log', async ({ skip }) => {
    skip(!existsSync('/proc/locks'), 'this system does not list locks')
    const path = copyOf('lossless-claw/small.db')
    const ownLocks = () =>
      readFileSync('/proc/locks', 'utf8')
        .split('\n')
        .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${statSync(path).ino} `))
    writer = await Writer.start(path)
    await writer.tell('write')
    using memory = await openMemory(path, { cacheDir })
    expect([memory.info.access, ownLocks().length]).toEqual(['in_place', 1])
    await writer.tell('checkpoint')
    expect(statSync(`${path}-wal`).size).toBe(0)
    expect(await lookAt(path)).toEqual({ access: 'at_rest', messages: MESSAGES + 1 })
    expect(ownLocks()).toHaveLength(1)
    await writer.tell('write')
    expect(memory.read.value('SELECT count(*) FROM messages')).toBe(MESSAGES + 2)
  })

  it('never holds a lock that a writer waits for', async () => {
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    await writer.tell('write')
    const memory = await openMemory(path, { cacheDir })
    const rows = memory.read.iterate('SELECT * FROM messages')
    rows.next()
    await writer.tell('write', 'write')
    rows.return?.()
    memory.close()
    expect((await lookAt(path)).messages).toBe(MESSAGES + 3)
  })

  it('sees what a crashed writer committed, and does not touch its log and shared memory', async () => {
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    await writer.tell('write')
    await writer.end('crash')
    expect(readdirSync(dirname(path)).sort()).toEqual(['lcm.db', 'lcm.db-shm', 'lcm.db-wal'])
    expect(await expectUntouched(path, () => lookAt(path))).toEqual({ access: 'in_place', messages: MESSAGES + 1 })
  })

  it('uses a copy for a log without shared memory, and removes the copy', async () => {
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    await writer.tell('write')
    await writer.end('crash')
    rmSync(`${path}-shm`)
    expect(await expectUntouched(path, () => lookAt(path))).toEqual({ access: 'cache_copy', messages: MESSAGES + 1 })
  })

  it('lets others have their turn while a file is copied, and copies it once', async () => {
    const path = copyOf('lossless-claw/small.db')
    grow(path)
    writer = await Writer.start(path)
    await writer.tell('write')
    await writer.end('crash')
    rmSync(`${path}-shm`)
    const copies = new Set<string>()
    const turn = (): void => {
      for (const name of readdirSync(cacheDir)) copies.add(name)
      next = setImmediate(turn)
    }
    mkdirSync(cacheDir, { recursive: true })
    let next = setImmediate(turn)
    const memory = await openMemory(path, { cacheDir })
    clearImmediate(next)
    expect([memory.info.access, copies.size]).toEqual(['cache_copy', 1])
    memory.close()
    expect(readdirSync(cacheDir)).toEqual([])
  })

  it('waits for a writer that has the file for itself, while others have their turn', async () => {
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path, 'DELETE')
    await writer.tell('begin', 'write', 'spill')
    const opening = openMemory(path, { cacheDir })
    let isOpen = false
    void opening.then(() => {
      isOpen = true
    })
    await new Promise((done) => setTimeout(done, 200))
    expect(isOpen).toBe(false)
    await writer.tell('commit')
    const memory = await opening
    expect(memory.read.value('SELECT count(*) FROM messages')).toBe(MESSAGES + 1)
    memory.close()
  })

  it('leaves no copy in the cache when what was copied is no memory', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    const db = new Database(path)
    db.pragma('journal_mode = WAL')
    db.exec('CREATE TABLE other (a)')
    db.close()
    writeFileSync(`${path}-wal`, Buffer.alloc(100, 1))
    await expect(openMemory(path, { cacheDir })).rejects.toMatchObject({ code: 'not_a_memory' })
    expect(readdirSync(cacheDir)).toEqual([])
  })

  it('recognises an emptied log, so that everything is in the file', async () => {
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    await writer.tell('write', 'checkpoint')
    expect((await expectUntouched(path, () => lookAt(path))).messages).toBe(MESSAGES + 1)
    await writer.end('crash')
    rmSync(`${path}-shm`)
    expect((await expectUntouched(path, () => lookAt(path))).messages).toBe(MESSAGES + 1)
  })

  it('rolls back an interrupted transaction in a copy only', async () => {
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path, 'DELETE')
    await writer.tell('begin', 'write', 'spill')
    await writer.end('crash')
    expect(readdirSync(dirname(path))).toContain('lcm.db-journal')
    expect(await expectUntouched(path, () => lookAt(path))).toEqual({ access: 'cache_copy', messages: MESSAGES })
  })

  it('removes copies of a killed process from the cache, and no others', async () => {
    const gone = join(cacheDir, `look-${processKey().replace(/^\d+/, '999999999')}-abcdef`)
    const other = join(cacheDir, 'search-index')
    mkdirSync(gone, { recursive: true })
    mkdirSync(other)
    writeFileSync(join(gone, 'lcm.db'), 'x')
    const path = copyOf('lossless-claw/small.db')
    writer = await Writer.start(path)
    await writer.tell('write')
    await writer.end('crash')
    rmSync(`${path}-shm`)
    const memory = await openMemory(path, { cacheDir })
    expect(readdirSync(cacheDir).filter((name) => name.startsWith('look-'))).toHaveLength(1)
    memory.close()
    expect(readdirSync(cacheDir)).toEqual(['search-index'])
    rmSync(other, { recursive: true })
  })

  it('works in a folder without write permission', async () => {
    const path = copyOf('lossless-claw/small.db')
    chmodSync(path, 0o444)
    openToOthers(path)
    const seen = await inReadOnlyFolder(path, () => expectUntouched(path, () => lookAsOrdinaryUser(path, '/nowhere')))
    expect(seen).toMatchObject({ access: 'memory_image', messages: MESSAGES })
  })

  it('uses no copy for a large file in a folder without write permission', async () => {
    const path = copyOf('lossless-claw/small.db')
    grow(path)
    openToOthers(path)
    const seen = await inReadOnlyFolder(path, () => expectUntouched(path, () => lookAsOrdinaryUser(path, '/nowhere')))
    expect(seen).toMatchObject({ access: 'at_rest', messages: MESSAGES })
  })

  it('identifies the system without a change, at rest and beside a writer', async () => {
    const path = copyOf('lossless-claw/small.db')
    expect((await expectUntouched(path, () => identifyMemory(path))).system).toBe('lossless-claw')
    writer = await Writer.start(path)
    await writer.tell('write')
    expect((await expectUntouched(path, () => identifyMemory(path))).system).toBe('lossless-claw')
  })

  it('refuses every way to write', async () => {
    using memory = await openMemory(copyOf('lossless-claw/small.db'), { cacheDir })
    expect(memory.write).toBeNull()
    expect(memory.info).toMatchObject({ readOnly: true, system: 'lossless-claw' })
    for (const sql of ['DELETE FROM main.messages', 'CREATE TABLE main.t (a)', 'DROP TABLE main.summaries']) {
      expect(() => memory.read.all(sql)).toThrow()
    }
    expect(memory.read.value('SELECT count(*) FROM messages')).toBe(MESSAGES)
  })

  it('never opens the file as a native one, so that no log is created or checkpointed', async () => {
    const path = copyOf('lossless-claw/small.db')
    const refused = expect.objectContaining({ code: 'not_a_memory' })
    await expectUntouched(path, () => expect(() => openNative(path)).toThrow(refused))
    writer = await Writer.start(path)
    await writer.tell('write')
    await writer.end('crash')
    const { header } = await inspectFile(path)
    await expectUntouched(path, () => expect(() => openNative(path, { header })).toThrow(refused))
  })

  it('uses a copy for large files at rest when addresses are not supported', async () => {
    const path = copyOf('lossless-claw/small.db')
    grow(path)
    expect(routeOf(await inspectFile(path), false)).toBe('copy')
  })
})

describe('a native file opened for reading only', () => {
  it('is not changed', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    ;(await openMemory(path, { create: true })).close()
    const before = folderState(dirname(path))
    const memory = await openMemory(path, { readOnly: true, cacheDir })
    expect(memory.write).toBeNull()
    expect(memory.info.readOnlyReason).toMatch(/reading only/)
    memory.close()
    expect(folderState(dirname(path))).toEqual(before)
  })

  it('is opened without write permission, and says why it is read-only', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    ;(await openMemory(path, { create: true })).close()
    openToOthers(path)
    chmodSync(path, 0o444)
    expect(lookAsOrdinaryUser(path, cacheDir)).toMatchObject({
      readOnly: true,
      readOnlyReason: expect.stringMatching(/write-protected/),
      messages: 0,
    })
    chmodSync(path, 0o666)
    expect(await inReadOnlyFolder(path, () => lookAsOrdinaryUser(path, cacheDir))).toMatchObject({
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
async function inReadOnlyFolder<T>(path: string, body: () => T | Promise<T>): Promise<T> {
  chmodSync(dirname(path), 0o555)
  try {
    return await body()
  } finally {
    chmodSync(dirname(path), 0o755)
  }
}
