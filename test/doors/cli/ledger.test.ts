import { copyFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { lcmHere as runLcm } from './lcm.ts'

const sample = join(import.meta.dirname, '../../../resources/sample.db')

describe('a ledger that cannot be relied on', () => {
  it.each([
    ['was cut off', (_db: string, ledger: string) => truncateSync(ledger, 1000)],
    ['is ahead of its memory', (db: string) => copyFileSync(`${db}.old`, db)],
  ])('is ended, and a new one is begun, when it %s', async (_what, spoil) => {
    const folder = temporaryFolder()
    const db = join(folder, 'lcm.db')
    copyFileSync(sample, db)
    const ledger = join(folder, 'kept.jsonl')
    await runLcm(['ledger', 'enable', ledger, '--db', db])
    copyFileSync(db, `${db}.old`)
    const transcript = join(folder, 'said.jsonl')
    writeFileSync(transcript, '{"role":"user","content":"Said since."}\n')
    await runLcm(['import', transcript, '--db', db])
    spoil(db, ledger)
    expect((await runLcm(['ledger', 'verify', '--db', db])).code).toBe(3)
    expect((await runLcm(['ledger', 'disable', '--db', db])).code).toBe(0)
    expect((await runLcm(['ledger', 'enable', join(folder, 'new.jsonl'), '--db', db])).code).toBe(0)
    expect((await runLcm(['ledger', 'verify', '--db', db])).code).toBe(0)
  })
})

describe('a copied memory', () => {
  it('is refused the ledger, and may take it over when the original is gone, or begin its own', async () => {
    const folder = temporaryFolder()
    const [db, copy, ledger] = ['lcm.db', 'copy.db', 'kept.jsonl'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    const transcript = join(folder, 'said.jsonl')
    writeFileSync(transcript, '{"role":"user","content":"Said since."}\n')
    copyFileSync(sample, db)
    await runLcm(['ledger', 'enable', ledger, '--db', db])
    copyFileSync(db, copy)
    const before = readFileSync(ledger)
    // What is written succeeds; that the ledger does not follow is said.
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    expect((await runLcm(['import', transcript, '--db', copy])).code).toBe(0)
    expect(warn.mock.calls.flat()).toEqual([expect.stringContaining(`lcm ledger agree --db ${copy}`)])
    warn.mockRestore()
    const refused = await runLcm(['ledger', 'agree', '--db', copy])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`is the ledger of ${db}`) })
    expect(readFileSync(ledger)).toEqual(before)
    renameSync(db, `${db}.put-aside`)
    expect((await runLcm(['ledger', 'agree', '--db', copy])).code).toBe(0)
    expect((await runLcm(['ledger', 'verify', '--db', copy])).code).toBe(0)
    expect(readFileSync(ledger, 'utf8')).toContain('Said since.')
    await runLcm(['ledger', 'disable', '--db', copy])
    expect((await runLcm(['ledger', 'enable', join(folder, 'own.jsonl'), '--db', copy])).code).toBe(0)
    expect((await runLcm(['ledger', 'verify', '--db', copy])).code).toBe(0)
  })
})
