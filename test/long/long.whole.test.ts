import { appendFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { filesBeside } from '../builders/large-files.ts'
import { partsOf, partsOfWorks, tryCases } from './cases.ts'
import { copyOf } from './copied-folder.ts'
import { faultsIn } from './faults.ts'
import { prepare } from './prepared.ts'
import { memoryIn, ORIGINAL, runWork } from './works.ts'

const SEED = 11
const running = { program: join(import.meta.dirname, 'case-process.ts'), say: (): void => undefined }

/** Of `npm run test:long`, as many cases as show that it runs and finds nothing. */
describe('a short run of the long suite', () => {
  it('finds nothing lost, doubled or half written by a process that is killed', async () => {
    const parts = partsOf({ seed: SEED, from: 0, to: 6 }, 3)
    expect(await tryCases('kills', parts, running)).toMatchObject({ cases: 6, first: null })
  })

  it('finds nothing lost, doubled or half written by a loss of power', async () => {
    const { cases, first } = await tryCases('losses of power', partsOfWorks(SEED, 150), running)
    expect(first).toBeNull()
    expect(cases).toBeGreaterThan(8)
  })

  it('finds that a full disk is called so, and that the work is completed when there is room', async () => {
    const { first, note } = await tryCases('full disks', partsOfWorks(SEED, 100), running)
    expect(first).toBeNull()
    expect(note).toContain('disk_full')
  })

  it('finds that every mutated file of every system and every mutated transcript is answered or refused', async () => {
    const parts = partsOf({ seed: SEED, from: 0, to: 90 }, 45)
    expect(await tryCases('mutations', parts, running)).toMatchObject({ cases: 90, first: null })
  })
})

describe('the check of a folder in which a work was cut off', () => {
  it('finds a message that stands in the place of another', async () => {
    const prepared = await prepare('import', SEED)
    const folder = copyOf(prepared.start)
    await runWork('import', folder)
    expect(await faultsIn(prepared, folder)).toEqual([])
    const db = new Database(memoryIn(folder))
    db.pragma('foreign_keys = OFF')
    db.exec('DROP TRIGGER messages_immutable; UPDATE messages SET seq = 1000 WHERE seq = 7')
    db.close()
    expect((await faultsIn(prepared, folder)).join()).toMatch(/60 messages that are not those expected/)
  })

  it('finds a large file that is missing and one with another content', async () => {
    const prepared = await prepare('files', SEED)
    const folder = copyOf(prepared.start)
    await runWork('files', folder)
    const [first = '', second = ''] = readdirSync(join(filesBeside(memoryIn(folder)), '1'))
    rmSync(join(filesBeside(memoryIn(folder)), '1', first))
    appendFileSync(join(filesBeside(memoryIn(folder)), '1', second), 'more')
    const faults = (await faultsIn(prepared, folder)).join()
    expect(faults).toMatch(/has a row and no file/)
    expect(faults).toMatch(/has another content/)
  })

  it('finds that the original of a copy was changed', async () => {
    const prepared = await prepare('copy', SEED)
    const folder = copyOf(prepared.start)
    appendFileSync(join(folder, ORIGINAL), ' ')
    expect(await faultsIn(prepared, folder)).toEqual(['original.db was changed'])
  })
})
