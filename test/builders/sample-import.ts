import { expect } from 'vitest'
import type { ImportedFile } from '#core/contract/import.ts'
import { findings } from './findings.ts'
import { importOne } from './import.ts'
import type { TestMemory } from './memory.ts'
import { dump } from './transcript-rows.ts'

/** Imports a file twice: the second time adds nothing and changes nothing, and the memory is sound. */
export async function importTwice(memory: TestMemory, path: string): Promise<ImportedFile> {
  const file = await importOne(memory.db, path)
  const before = dump(memory)
  expect(await importOne(memory.db, path)).toMatchObject({ added: 0, conflicts: 0, alreadyThere: file.added })
  expect(dump(memory)).toEqual(before)
  expect(await findings(memory.path)).toEqual([])
  return file
}

export const roleCounts = ({ db }: TestMemory): Record<string, number> =>
  Object.fromEntries(
    db
      .all<{ role: string; n: number }>('SELECT role, count(*) AS n FROM messages GROUP BY role ORDER BY role')
      .map(({ role, n }) => [role, n]),
  )
