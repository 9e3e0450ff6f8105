import { appendFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { filesBeside } from '../builders/large-files.ts'
import { copyOf } from './copied-folder.ts'
import { faultsIn } from './faults.ts'
import { tryFullDisk } from './full-disk.ts'
import { tryKills } from './kills.ts'
import { tryMutations } from './mutations.ts'
import { tryPowerLoss } from './power-loss.ts'
import { prepare } from './prepared.ts'
import { memoryIn, ORIGINAL, runWork } from './works.ts'

const SEED = 11
const work = join(import.meta.dirname, 'cut-off-work.ts')
const mutated = join(import.meta.dirname, 'mutated-files.ts')
const quiet = (): void => undefined

/** Of `npm run test:long`, as many cases as show that it runs and finds nothing. */
describe('a short run of the long suite', () => {
  it('finds nothing lost, doubled or half written by a process that is killed', async () => {
    expect(await tryKills({ kills: 6, seed: SEED }, work, quiet)).toMatchObject({ cases: 6, first: null })
  })

  it('finds nothing lost, doubled or half written by a loss of power', async () => {
    const { cases, first } = await tryPowerLoss({ seed: SEED, every: 150 }, work, quiet)
    expect(first).toBeNull()
    expect(cases).toBeGreaterThan(8)
  })

  it('finds that a full disk is called so, and that the work is completed when there is room', async () => {
    const { first, note } = await tryFullDisk({ seed: SEED, every: 100 }, quiet)
    expect(first).toBeNull()
    expect(note).toContain('disk_full')
  })

  it('finds that every mutated file of every system and every mutated transcript is answered or refused', async () => {
    expect(await tryMutations({ mutations: 90, seed: SEED }, mutated, quiet)).toMatchObject({ cases: 90, first: null })
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
