import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { listFolder } from '#core/machine/folder-list.ts'
import { parseHeader } from '#core/sqlite/file-header.ts'
import { NATIVE_VERSION, openNative } from '#core/sqlite/native.ts'
import { APPLICATION_ID } from '#core/sqlite/schema.ts'
import { CANONICAL } from '#core/systems/deriving/canonical.ts'
import { identifyMemory } from '#core/systems/opening/identify-memory.ts'
import { openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { folderState } from './folder-state.ts'

const newPath = (): string => join(temporaryFolder(), 'lcm.db')

describe('a native file', () => {
  it('is created where no file is, and can be opened again for writing', () => {
    const path = newPath()
    openMemory(path, { create: true }).close()
    const memory = openMemory(path)
    expect(memory.info).toMatchObject({
      path,
      fileName: 'lcm.db',
      system: 'native',
      systemVersion: String(NATIVE_VERSION),
      readOnly: false,
      readOnlyReason: null,
      access: 'in_place',
    })
    expect(memory.write).not.toBeNull()
    memory.close()
  })

  it('is never created unless asked', () => {
    const path = newPath()
    expect(() => openMemory(path)).toThrow(/no file/)
    expect(readdirSync(dirname(path))).toEqual([])
  })

  it('has its application id from the first moment', () => {
    const path = newPath()
    const db = openNative(path)
    expect(parseHeader(readFileSync(path).subarray(0, 100))).toMatchObject({
      applicationId: APPLICATION_ID,
      isWal: true,
    })
    db.close()
  })

  it('is set up for safe writing', () => {
    const db = openNative(newPath())
    expect(db.value('PRAGMA journal_mode')).toBe('wal')
    expect(db.value('PRAGMA foreign_keys')).toBe(1)
    expect(db.value('PRAGMA synchronous')).toBe(1)
    expect(db.value('PRAGMA trusted_schema')).toBe(0)
    expect(db.value('PRAGMA busy_timeout')).toBe(5000)
    db.close()
  })

  it('is a single file again when it is closed', () => {
    const path = newPath()
    const memory = openMemory(path, { create: true })
    addConversation(memory.write)
    expect(readdirSync(dirname(path)).sort()).toEqual(['lcm.db', 'lcm.db-shm', 'lcm.db-wal'])
    memory.close()
    expect(readdirSync(dirname(path))).toEqual(['lcm.db'])
    const again = openMemory(path)
    expect(again.read.value('SELECT count(*) FROM conversations')).toBe(1)
    again.close()
  })

  it('keeps its bytes when it is only read', () => {
    const path = newPath()
    openMemory(path, { create: true }).close()
    const before = folderState(dirname(path))
    openMemory(path).close()
    expect(Object.values(folderState(dirname(path))).map((state) => state.split(' ')[1])).toEqual(
      Object.values(before).map((state) => state.split(' ')[1]),
    )
  })

  it('is written by one connection and read by another at once', () => {
    const path = newPath()
    const first = openMemory(path, { create: true })
    const second = openMemory(path)
    const version = second.read.dataVersion()
    addConversation(first.write)
    expect(second.read.dataVersion()).not.toBe(version)
    expect(second.read.value('SELECT count(*) FROM conversations')).toBe(1)
    second.close()
    addConversation(first.write)
    first.close()
  })

  it('can be opened by a second connection in another thread', async () => {
    const path = newPath()
    const memory = openMemory(path, { create: true })
    const script = `
      const { parentPort, workerData } = require('node:worker_threads')
      import(workerData.module).then(async ({ openMemory }) => {
        const memory = await openMemory(workerData.path)
        memory.write.run("INSERT INTO conversations (session_id, created_at, updated_at) VALUES ('thread', 1, 1)")
        memory.close()
        parentPort.postMessage('done')
      })`
    const module = new URL('../../core/systems/opening/open.ts', import.meta.url).href
    const worker = new Worker(script, { eval: true, workerData: { module, path } })
    await new Promise((done, fail) => worker.once('message', done).once('error', fail))
    await worker.terminate()
    expect(memory.read.value('SELECT session_id FROM conversations')).toBe('thread')
    memory.close()
  })

  /**
   * Closing any descriptor of a file drops every POSIX lock of the process on it, SQLite's included; a program that
   * then closes the database as if it were the last deletes the log, and with it what was written since.
   * https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
   */
  it('keeps its locks while the same process opens it again', async ({ skip }) => {
    skip(!existsSync('/proc/locks'), 'there is no /proc/locks')
    const path = newPath()
    const memory = openMemory(path, { create: true })
    const before = locksHeld(path)
    expect(before).toBeGreaterThan(0)
    openMemory(path).close()
    openMemory(path, { readOnly: true }).close()
    expect((await identifyMemory(path)).system).toBe('native')
    expect(listFolder(dirname(path)).entries[0]?.kind).toBe('memory')
    expect(locksHeld(path)).toBe(before)
    memory.close()
  })

  it('is created once when several processes create it at the same time', async () => {
    const path = newPath()
    const module = new URL('../../core/systems/opening/open.ts', import.meta.url).href
    const make = `import(${JSON.stringify(module)}).then(async ({ openMemory }) =>
      (await openMemory(${JSON.stringify(path)}, { create: true })).close())`
    await Promise.all([runNode(make), runNode(make), runNode(make)])
    const memory = openMemory(path)
    expect(memory.read.value('PRAGMA integrity_check')).toBe('ok')
    memory.close()
  })

  it('is never made of the database of another program', () => {
    const path = newPath()
    const other = new Database(path)
    other.exec('CREATE TABLE accounts (id)')
    other.close()
    const before = folderState(dirname(path))
    expect(() => openNative(path)).toThrow(expect.objectContaining({ code: 'not_a_memory' }))
    expect(() => openMemory(path, { create: true })).toThrow(expect.objectContaining({ code: 'not_a_memory' }))
    expect(folderState(dirname(path))).toEqual(before)
  })

  it('has every canonical name with its columns', () => {
    const db = openNative(newPath())
    for (const [name, columns] of Object.entries(CANONICAL)) {
      expect(db.column(`SELECT name FROM pragma_table_xinfo('${name}')`).sort()).toEqual([...columns].sort())
    }
    db.close()
  })
})

function addConversation(db: ReturnType<typeof openMemory>['write']): void {
  db?.run(
    `INSERT INTO conversations (session_id, created_at, updated_at)
     SELECT 's' || (count(*) + 1), 1, 1 FROM conversations`,
  )
}

function runNode(script: string): Promise<void> {
  const child = spawn(process.execPath, ['-e', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: import.meta.dirname,
  })
  return new Promise((done, fail) =>
    child.once('close', (code) => (code === 0 ? done() : fail(new Error(`ended with ${code}`)))),
  )
}

/** Locks of this process on the database file itself. */
function locksHeld(path: string): number {
  const inode = statSync(path).ino
  const isOurs = new RegExp(` ${process.pid} [0-9a-f]+:[0-9a-f]+:${inode} `)
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .filter((line) => isOurs.test(line)).length
}
