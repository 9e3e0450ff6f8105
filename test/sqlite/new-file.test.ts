import { linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openNative } from '#core/sqlite/native.ts'
import { makeNativeFile } from '#core/sqlite/new-file.ts'
import { runToEnd } from '#core/yielding.ts'
import { openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

/** Makes a file that says who made it, and waits in between for whatever the test does meanwhile. */
const making = (to: string, who: string, meanwhile: () => void = () => undefined) =>
  makeNativeFile(to, async function* (db) {
    yield 'begun'
    meanwhile()
    db.run('INSERT INTO lcm_meta VALUES (:key, :who)', { key: 'made by', who })
    return who
  })

const madeBy = (path: string): string | undefined => {
  const memory = openMemory(path, { readOnly: true })
  const who = memory.read.value<string>(`SELECT value FROM lcm_meta WHERE key = 'made by'`)
  memory.close()
  return who
}

describe('a new file', () => {
  it('gets its name when it is complete, and leaves nothing beside it', async () => {
    const folder = temporaryFolder()
    const to = join(folder, 'new.db')
    const job = making(to, 'one')
    await job.next()
    expect(readdirSync(folder)).not.toContain('new.db')
    await job.next()
    expect(readdirSync(folder)).toEqual(['new.db'])
    expect(madeBy(to)).toBe('one')
  })

  it('has a write-ahead log once it has its name', async () => {
    const to = join(temporaryFolder(), 'new.db')
    const job = making(to, 'one')
    await runToEnd(job)
    using db = openNative(to)
    expect(db.value('PRAGMA journal_mode')).toBe('wal')
  })

  it('rolls back a failed statement and keeps what was written before', async () => {
    const to = join(temporaryFolder(), 'new.db')
    const job = makeNativeFile(to, async function* (db) {
      yield 'begun'
      db.run(`INSERT INTO lcm_meta VALUES ('kept', 'yes')`)
      expect(() => db.transaction(() => db.exec(`INSERT INTO lcm_meta VALUES ('a', 1), ('b', 2), ('a', 3)`))).toThrow()
    })
    await runToEnd(job)
    using memory = openMemory(to, { readOnly: true })
    expect(memory.read.column(`SELECT key FROM lcm_meta WHERE key IN ('kept', 'a', 'b')`)).toEqual(['kept'])
  })

  it('never replaces a file that was created meanwhile', async () => {
    const folder = temporaryFolder()
    const to = join(folder, 'new.db')
    const job = making(to, 'one', () => writeFileSync(to, 'mine'))
    await expect(runToEnd(job)).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(readFileSync(to, 'utf8')).toBe('mine')
    expect(readdirSync(folder)).toEqual(['new.db'])
  })

  it('belongs to the first that completes it when two are made for one name', async () => {
    const folder = temporaryFolder()
    const to = join(folder, 'new.db')
    const [one, two] = [making(to, 'one'), making(to, 'two')]
    await one.next()
    await two.next()
    expect(await runToEnd(two)).toBe('two')
    await expect(runToEnd(one)).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(madeBy(to)).toBe('two')
    expect(readdirSync(folder)).toEqual(['new.db'])
  })

  it('leaves nothing when its job is abandoned', async () => {
    const folder = temporaryFolder()
    const job = making(join(folder, 'new.db'), 'one')
    await job.next()
    await job.return('one')
    expect(readdirSync(folder)).toEqual([])
  })

  it('is refused when its folder does not exist', async () => {
    const job = making(join(temporaryFolder(), 'no such', 'new.db'), 'one')
    await expect(runToEnd(job)).rejects.toMatchObject({ code: 'file_missing' })
  })

  it('is named in the error when it cannot be made', async () => {
    const to = join(temporaryFolder(), 'new.db')
    const job = makeNativeFile(to, async function* (db) {
      yield 'begun'
      db.run('INSERT INTO no_such_table VALUES (1)')
    })
    const told = { code: 'sqlite_failed', message: expect.stringContaining(`on ${to}:`), details: { path: to } }
    await expect(runToEnd(job)).rejects.toMatchObject(told)
  })

  it('removes the second name of a finished file whose process ended before it could', async () => {
    const folder = temporaryFolder()
    const to = join(folder, 'new.db')
    await runToEnd(making(to, 'one'))
    linkSync(to, `${to}.partial-999999999-abc123`)
    await expect(runToEnd(making(to, 'two'))).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(readdirSync(folder)).toEqual(['new.db'])
    expect(madeBy(to)).toBe('one')
  })

  it('removes the partial files of a process that has ended', async () => {
    const folder = temporaryFolder()
    const left = ['new.db.partial-999999999-abc123', 'new.db.partial-999999999-abc123-wal']
    const others = [`new.db.partial-${process.pid}-abc123`, 'new.db.partial', 'other.db.partial-999999999-abc123']
    for (const name of [...left, ...others]) writeFileSync(join(folder, name), '')
    await runToEnd(making(join(folder, 'new.db'), 'one'))
    expect(readdirSync(folder).sort()).toEqual(['new.db', ...others].sort())
  })
})
