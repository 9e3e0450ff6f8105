import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openNative } from '../../core/sqlite/native.ts'
import { makeNativeFile } from '../../core/sqlite/new-file.ts'
import { openMemory } from '../../core/systems/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { finish } from '../dialects/every-question.ts'

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

describe('a file in the making', () => {
  it('stands at its place when it is whole, and nothing beside it', async () => {
    const folder = temporaryFolder()
    const to = join(folder, 'new.db')
    const job = making(to, 'one')
    await job.next()
    expect(readdirSync(folder)).not.toContain('new.db')
    await job.next()
    expect(readdirSync(folder)).toEqual(['new.db'])
    expect(madeBy(to)).toBe('one')
  })

  it('is an ordinary memory with a write-ahead log once it has its name', async () => {
    const to = join(temporaryFolder(), 'new.db')
    const job = making(to, 'one')
    await finish(job)
    const db = openNative(to)
    expect(db.value('PRAGMA journal_mode')).toBe('wal')
    db.close()
  })

  it('takes a failed statement back and keeps what was written before it', async () => {
    const to = join(temporaryFolder(), 'new.db')
    const job = makeNativeFile(to, async function* (db) {
      yield 'begun'
      db.run(`INSERT INTO lcm_meta VALUES ('kept', 'yes')`)
      expect(() => db.transaction(() => db.exec(`INSERT INTO lcm_meta VALUES ('a', 1), ('b', 2), ('a', 3)`))).toThrow()
    })
    await finish(job)
    const memory = openMemory(to, { readOnly: true })
    expect(memory.read.column(`SELECT key FROM lcm_meta WHERE key IN ('kept', 'a', 'b')`)).toEqual(['kept'])
    memory.close()
  })

  it('never replaces what was put there meanwhile', async () => {
    const folder = temporaryFolder()
    const to = join(folder, 'new.db')
    const job = making(to, 'one', () => writeFileSync(to, 'mine'))
    await expect(finish(job)).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(readFileSync(to, 'utf8')).toBe('mine')
    expect(readdirSync(folder)).toEqual(['new.db'])
  })

  it('is nobody else’s when two are made for one place: the first that is whole has it', async () => {
    const folder = temporaryFolder()
    const to = join(folder, 'new.db')
    const [one, two] = [making(to, 'one'), making(to, 'two')]
    await one.next()
    await two.next()
    expect(await finish(two)).toBe('two')
    await expect(finish(one)).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(madeBy(to)).toBe('two')
    expect(readdirSync(folder)).toEqual(['new.db'])
  })

  it('leaves nothing when nobody goes on with it', async () => {
    const folder = temporaryFolder()
    const job = making(join(folder, 'new.db'), 'one')
    await job.next()
    await job.return('one')
    expect(readdirSync(folder)).toEqual([])
  })

  it('is refused where there is no folder', async () => {
    const job = making(join(temporaryFolder(), 'no such', 'new.db'), 'one')
    await expect(finish(job)).rejects.toMatchObject({ code: 'file_missing' })
  })

  it('is told of by its own name when it cannot be made', async () => {
    const to = join(temporaryFolder(), 'new.db')
    const job = makeNativeFile(to, async function* (db) {
      yield 'begun'
      db.run('INSERT INTO no_such_table VALUES (1)')
    })
    const told = { code: 'sqlite_failed', message: expect.stringContaining(`on ${to}:`), details: { path: to } }
    await expect(finish(job)).rejects.toMatchObject(told)
  })

  it('takes away what a process that is gone has left', async () => {
    const folder = temporaryFolder()
    const left = ['new.db.partial-999999999-abc123', 'new.db.partial-999999999-abc123-wal']
    const others = [`new.db.partial-${process.pid}-abc123`, 'new.db.partial', 'other.db.partial-999999999-abc123']
    for (const name of [...left, ...others]) writeFileSync(join(folder, name), '')
    await finish(making(join(folder, 'new.db'), 'one'))
    expect(readdirSync(folder).sort()).toEqual(['new.db', ...others].sort())
  })
})
