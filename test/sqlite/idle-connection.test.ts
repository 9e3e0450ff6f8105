import { once } from 'node:events'
import { readdirSync, rmSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { IdleConnection } from '#core/sqlite/idle-connection.ts'
import { inspectFile } from '#core/sqlite/memory-file.ts'
import { readSnapshot } from '#core/sqlite/read-snapshot.ts'
import { connectReadOnly, reconnect } from '#core/sqlite/route.ts'
import { changeStamp } from '#core/systems/reading/change-stamp.ts'
import { openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { Writer } from './children/start.ts'

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const COUNT = 'SELECT count(*) FROM messages'
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** A file with one message, and a program that has it open and has written another. */
async function written(): Promise<{ path: string; writer: Writer }> {
  const path = join(temporaryFolder(), 'lcm.db')
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.exec('CREATE TABLE messages (conversation_id, seq, role, content, token_count)')
  db.exec(`INSERT INTO messages VALUES (1, 1, 'user', 'first', 1)`)
  db.close()
  const writer = await Writer.start(path)
  closing.push(() => writer.end('crash'))
  await writer.tell('write')
  return { path, writer }
}

async function idleOn(path: string): Promise<IdleConnection> {
  const file = await inspectFile(path)
  const idle = new IdleConnection({
    file,
    companions: [],
    first: connectReadOnly(file, () => null),
    isLive: ({ walBytes }) => walBytes > 0,
    open: () => ({ ...reconnect(file), hasSameStructure: true }),
  })
  closing.push(() => idle.db.close())
  return idle
}

const untilLetGo = (idle: IdleConnection): Promise<void> => expect.poll(() => idle.isOpen, { interval: 5 }).toBe(false)

describe('a connection beside a writer', () => {
  it('is closed when nobody reads, so that the writer can remove its log', async () => {
    const { path, writer } = await written()
    const idle = await idleOn(path)
    expect(idle.db.value(COUNT)).toBe(2)
    await untilLetGo(idle)
    expect(idle.isOutdated()).toBe(false)
    await writer.end('close')
    expect(readdirSync(dirname(path))).toEqual(['lcm.db'])
    expect(idle.isOutdated()).toBe(true)
    expect([idle.db.value(COUNT), idle.isOutdated()]).toEqual([2, true])
    expect(readdirSync(dirname(path))).toEqual(['lcm.db'])
  })

  it('is opened again at the next read, and has the same version when the file is unchanged', async () => {
    const { path } = await written()
    const idle = await idleOn(path)
    const stamp = changeStamp(idle.db)
    for (const openings of [1, 2, 3]) {
      expect([idle.db.value(COUNT), idle.openings]).toEqual([2, openings])
      expect(changeStamp(idle.db)).toBe(stamp)
      await untilLetGo(idle)
      expect(changeStamp(idle.db)).toBe(stamp)
    }
  })

  it('reports a write of another program while it is closed, without opening the file', async () => {
    const { path, writer } = await written()
    const idle = await idleOn(path)
    idle.db.value(COUNT)
    await untilLetGo(idle)
    const version = idle.db.dataVersion()
    await writer.tell('write')
    const next = idle.db.dataVersion()
    expect([next === version, idle.db.dataVersion() === next, idle.isOpen]).toEqual([false, true, false])
    expect(idle.db.value(COUNT)).toBe(3)
    const open = idle.db.dataVersion()
    await writer.tell('write')
    expect(idle.db.dataVersion()).not.toBe(open)
    expect(idle.db.value(COUNT)).toBe(4)
  })

  it('stays open during a snapshot or an iteration, however long they last', async () => {
    const { path, writer } = await written()
    const idle = await idleOn(path)
    const rows = idle.db.iterate<{ seq: number }>('SELECT seq FROM messages')
    rows.next()
    await pause(200)
    expect(idle.isOpen).toBe(true)
    await writer.tell('write')
    readSnapshot(idle.db, () => expect(idle.db.value(COUNT)).toBe(2))
    expect([...rows]).toEqual([{ seq: 2 }])
    expect(idle.db.value(COUNT)).toBe(3)
    await untilLetGo(idle)
    expect(idle.openings).toBe(1)
  })

  it('is closed beside a writer that never rests, and then counts the file as changed', async () => {
    const { path, writer } = await written()
    const idle = await idleOn(path)
    idle.db.value(COUNT)
    let isDone = false
    const working = (async () => {
      while (!isDone) await writer.tell('write')
    })()
    await untilLetGo(idle)
    const version = idle.db.dataVersion()
    idle.db.value(COUNT)
    expect(idle.db.dataVersion()).not.toBe(version)
    isDone = true
    await working
  })

  it('reads what changed in the file at rest', async () => {
    const { path, writer } = await written()
    const idle = await idleOn(path)
    await untilLetGo(idle)
    await writer.end('close')
    expect(idle.db.value(COUNT)).toBe(2)
    const version = idle.db.dataVersion()
    const next = await Writer.start(path)
    closing.push(() => next.end('crash'))
    await next.tell('write')
    expect(idle.db.dataVersion()).not.toBe(version)
    expect(idle.db.value(COUNT)).toBe(3)
    await untilLetGo(idle)
    await next.end('close')
    expect(readdirSync(dirname(path))).toEqual(['lcm.db'])
  })

  it('has the version of the state that is read, although the file was written meanwhile', async () => {
    const { path, writer } = await written()
    const idle = await idleOn(path)
    await untilLetGo(idle)
    await writer.end('close')
    const next = await Writer.start(path)
    closing.push(() => next.end('crash'))
    const rows = idle.db.iterate<{ seq: number }>('SELECT seq FROM messages')
    rows.next()
    const version = idle.db.dataVersion()
    await next.tell('write')
    expect([idle.db.value(COUNT), idle.db.dataVersion()]).toEqual([2, version])
    expect([...rows]).toEqual([{ seq: 2 }])
    expect([idle.db.dataVersion() === version, idle.db.value(COUNT)]).toEqual([false, 3])
  })

  it('reports a change at most once beside the log of a killed writer', async () => {
    const { path, writer } = await written()
    await writer.end('crash')
    const idle = await idleOn(path)
    idle.db.value(COUNT)
    await untilLetGo(idle)
    const version = idle.db.dataVersion()
    for (let look = 0; look < 5; look += 1) {
      expect([idle.db.value(COUNT), idle.db.dataVersion()]).toEqual([2, version])
    }
  })

  it('has the same version while the times of an unchanged file lie in the future', async () => {
    const { path } = await written()
    const later = new Date(Date.now() + 3_600_000)
    for (const suffix of ['', '-wal']) utimesSync(`${path}${suffix}`, later, later)
    const idle = await idleOn(path)
    idle.db.value(COUNT)
    await untilLetGo(idle)
    const version = idle.db.dataVersion()
    expect([idle.db.value(COUNT), idle.db.dataVersion()]).toEqual([2, version])
  })

  it('says that the file is gone, and opens nothing after it is closed', async () => {
    const { path, writer } = await written()
    const idle = await idleOn(path)
    await untilLetGo(idle)
    await writer.end('close')
    rmSync(path)
    expect(() => idle.db.value(COUNT)).toThrow(expect.objectContaining({ code: 'file_missing' }))
    idle.db.close()
    expect(() => idle.db.value(COUNT)).toThrow(expect.objectContaining({ code: 'locked', retryable: true }))
  })

  it('takes no lock from a reader in another thread when it is closed', async () => {
    const { path, writer } = await written()
    await writer.tell('write', 'write')
    const idle = await idleOn(path)
    const workerData = { path, cacheDir: temporaryFolder() }
    const reader = new Worker(new URL('./children/hold.ts', import.meta.url), { workerData })
    closing.push(async () => void (await reader.terminate()))
    expect((await once(reader, 'message'))[0]).toBe('in_place')
    for (let round = 0; round < 3; round += 1) {
      expect(idle.db.value(COUNT)).toBe(4)
      await untilLetGo(idle)
    }
    expect(idle.openings).toBeGreaterThan(2)
    // Without a lock on it, the writer would remove its log.
    await writer.end('close')
    expect(readdirSync(dirname(path))).toContain('lcm.db-wal')
    reader.postMessage('go on')
    expect((await once(reader, 'message'))[0]).toBe(4)
  })

  it('never creates a log after the writer removed its own', async () => {
    const { path, writer } = await written()
    writer.work()
    const file = await inspectFile(path)
    for (const until = Date.now() + 1000; Date.now() < until; ) {
      try {
        const { db, close } = reconnect(file)
        expect(db.value(COUNT)).toBeGreaterThan(1)
        close()
      } catch (error) {
        expect(error).toMatchObject({ code: 'locked' })
      }
    }
    await writer.end('crash')
    const last = await Writer.start(path)
    await last.tell('write')
    await last.end('close')
    expect(readdirSync(dirname(path))).toEqual(['lcm.db'])
  })
})

describe('a native file opened for reading only', () => {
  it('lets another window remove the log, and is then read at rest', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    const window = openMemory(path, { create: true })
    const memory = openMemory(path, { readOnly: true, cacheDir: temporaryFolder() })
    closing.push(() => memory.close())
    expect([memory.info.access, memory.read.value(COUNT)]).toEqual(['in_place', 0])
    const version = memory.read.dataVersion()
    await pause(2_500)
    window.write?.exec(`INSERT INTO conversations (session_id, created_at, updated_at) VALUES ('s', 1, 1)`)
    expect(memory.read.dataVersion()).not.toBe(version)
    expect(memory.read.value('SELECT count(*) FROM conversations')).toBe(1)
    await pause(2_500)
    window.close()
    expect(readdirSync(dirname(path))).toEqual(['lcm.db'])
    expect([memory.isOutdated(), memory.read.value('SELECT count(*) FROM conversations')]).toEqual([true, 1])
    expect(readdirSync(dirname(path))).toEqual(['lcm.db'])
  })
})
