import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { openLcm } from '#core/lcm.ts'
import { CANONICAL } from '#core/systems/deriving/canonical.ts'
import { runToEnd } from '#core/yielding.ts'
import { openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { folderState } from '../sqlite/folder-state.ts'
import { askEveryService } from './every-service.ts'

const cacheDir = join(temporaryFolder(), 'cache')
const SYSTEMS = {
  argentos: 'argentos',
  decapod: 'decapod',
  'hermes-lcm': 'hermes-lcm',
  'lcm-x': 'hermes-lcm',
  'lossless-claude': 'lossless-claude',
  'lossless-claw': 'lossless-claw',
  'pi-lcm': 'pi-lcm',
} as const
type Folder = keyof typeof SYSTEMS

const isMemory = (name: string): boolean => /\.(db|sqlite)$/.test(name)
const files = Object.keys(SYSTEMS).flatMap((folder) =>
  readdirSync(join(FIXTURES, folder), { recursive: true, encoding: 'utf8' })
    .filter(isMemory)
    .map((name): [string, Folder] => [join(folder, name), folder as Folder]),
)

describe('every file that another system wrote', () => {
  let before: Record<string, string> = {}
  beforeAll(() => {
    before = folderState(FIXTURES)
  })
  afterAll(() => {
    expect(folderState(FIXTURES)).toEqual(before)
  })

  it.each(files)('is recognised by its structure and has every canonical column: %s', (name, folder) => {
    using memory = openMemory(join(FIXTURES, name), { cacheDir })
    expect(memory.info).toMatchObject({ system: SYSTEMS[folder], readOnly: true })
    expect(memory.info.lacks).toEqual(expect.any(Array))
    for (const [view, columns] of Object.entries(CANONICAL)) {
      expect(memory.read.column(`SELECT name FROM pragma_table_xinfo('${view}', 'temp')`)).toEqual(columns)
    }
  })

  it.each(files)('answers every service: %s', async (name) => {
    using lcm = await openLcm(join(FIXTURES, name), { cacheDir })
    await askEveryService(lcm)
  })

  // The damaged siblings of one file take one way through the copy.
  it.each(files.filter(([name]) => !name.includes('corrupt')))('equals its working copy: %s', async (name) => {
    using from = openMemory(join(FIXTURES, name), { cacheDir })
    const to = join(temporaryFolder(), 'copy.db')
    const report = await runToEnd(copyMemory({ from, to }, new AbortController().signal))
    expect(report.verified).toBe(true)
    using copy = openMemory(to)
    expect(copy.read.column('PRAGMA quick_check')).toEqual(['ok'])
    expect(copy.read.column('SELECT message_id FROM event_messages ORDER BY 1')).toEqual(
      from.read.column('SELECT message_id FROM event_messages ORDER BY 1'),
    )
  })
})
