import { copyFileSync, renameSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Core } from '../../core/core.ts'
import { executeHere } from '../../core/doors/job-thread.ts'
import { Machine } from '../../core/machine/machine.ts'
import { openNative } from '../../core/sqlite/native.ts'
import { APPLICATION_ID } from '../../core/sqlite/schema.ts'
import { openMemory } from '../../core/systems/open-memory.ts'
import { buildMemory } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const talk = (count: number) => ({
  conversations: [
    { messages: Array.from({ length: count }, (_, index) => ({ content: `Message ${index}. `.repeat(200) })) },
  ],
})

let core: Core
let path: string
let sound: string
beforeEach(() => {
  const memory = buildMemory(talk(30))
  path = memory.path
  memory.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  memory.db.close()
  sound = join(temporaryFolder(), 'sound.db')
  copyFileSync(path, sound)
  const machine = new Machine({ env: { LCM_DATA_DIR: temporaryFolder() }, resourcesDir: '/nowhere' })
  core = new Core({ path, open: {}, machine, execute: executeHere({}) })
})
afterEach(async () => {
  await core.close()
})
const messages = (): number => core.lcm().stats.stats().messages

describe('a native file that is open', () => {
  it('and cut off is said to be, and read again when the sound one is back', () => {
    expect(messages()).toBe(30)
    truncateSync(path, 20_000)
    expect(messages).toThrow(expect.objectContaining({ code: 'file_truncated' }))
    copyFileSync(sound, path)
    expect(messages()).toBe(30)
  })

  it('and replaced is answered from what is there now, also after a time in which nothing sound was', () => {
    expect(messages()).toBe(30)
    const other = buildMemory(talk(7))
    other.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    other.db.close()
    renameSync(other.path, path)
    expect(messages()).toBe(7)
    renameSync(path, `${path}.away`)
    expect(messages).toThrow(expect.objectContaining({ code: 'file_missing' }))
    renameSync(sound, path)
    expect(messages()).toBe(30)
  })

  it('and made shorter by VACUUM stays open', () => {
    const lcm = core.lcm()
    const db = openNative(path)
    db.exec('CREATE TABLE large (a); INSERT INTO large VALUES (zeroblob(4000000)); DROP TABLE large')
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
    expect(core.lcm()).toBe(lcm)
    expect(messages()).toBe(30)
  })
})

describe('a memory whose creation was killed', () => {
  const begun = (): string => {
    const file = join(temporaryFolder(), 'lcm.db')
    const db = new Database(file)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.close()
    return file
  }

  it('is completed when it is opened for writing', () => {
    const memory = openMemory(begun())
    expect(memory.read.value('SELECT count(*) FROM messages')).toBe(0)
    memory.close()
  })

  it('is said to be what it is when it is only read', () => {
    expect(() => openMemory(begun(), { readOnly: true })).toThrow(
      expect.objectContaining({ code: 'file_empty', message: expect.stringContaining('creation was cut off') }),
    )
  })
})
