import { copyFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { lcmHere as runLcm } from './lcm.ts'

const sample = join(import.meta.dirname, '../../resources/sample.db')

describe('a ledger that cannot be relied on', () => {
  it.each([
    ['was cut off', (_db: string, ledger: string) => truncateSync(ledger, 1000)],
    ['is ahead of its memory', (db: string) => copyFileSync(`${db}.old`, db)],
  ])('%s: it is ended, and a new one begun', async (_what, spoil) => {
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
