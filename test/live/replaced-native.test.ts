import { copyFileSync, renameSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import { openNative } from '#core/sqlite/native.ts'
import { APPLICATION_ID } from '#core/sqlite/schema.ts'
import { buildMemory } from '../builders/memory.ts'
import { openMemory } from '../builders/open-memory.ts'
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
const messages = async (): Promise<number> => (await core.lcm()).stats.stats().messages

describe('an open native file', () => {
  it('is reported as truncated, and read again when the sound one is back', async () => {
    expect(await messages()).toBe(30)
    truncateSync(path, 20_000)
    await expect(messages()).rejects.toMatchObject({ code: 'file_truncated' })
    copyFileSync(sound, path)
    expect(await messages()).toBe(30)
  })

  it('is read from its replacement, also after a time without a sound file', async () => {
    expect(await messages()).toBe(30)
    const other = buildMemory(talk(7))
    other.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    other.db.close()
    renameSync(other.path, path)
    expect(await messages()).toBe(7)
    renameSync(path, `${path}.away`)
    await expect(messages()).rejects.toMatchObject({ code: 'file_missing' })
    renameSync(sound, path)
    expect(await messages()).toBe(30)
  })

  it('stays open when VACUUM made it shorter', async () => {
    const lcm = await core.lcm()
    const db = openNative(path)
    db.exec('CREATE TABLE large (a); INSERT INTO large VALUES (zeroblob(4000000)); DROP TABLE large')
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
    expect(await core.lcm()).toBe(lcm)
    expect(await messages()).toBe(30)
  })
})

describe('a memory whose creation was interrupted', () => {
  const begun = (): string => {
    const file = join(temporaryFolder(), 'lcm.db')
    const db = new Database(file)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.close()
    return file
  }

  it('is completed when it is opened for writing', () => {
    using memory = openMemory(begun())
    expect(memory.read.value('SELECT count(*) FROM messages')).toBe(0)
  })

  it('is reported as such when it is only read', () => {
    expect(() => openMemory(begun(), { readOnly: true })).toThrow(
      expect.objectContaining({ code: 'file_empty', message: expect.stringContaining('creation was cut off') }),
    )
  })
})
