import { chmodSync, copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../builders/temporary-folder.ts'

export const FIXTURES = join(import.meta.dirname, '../../../shared/fixtures')
export const hasFixtures = existsSync(FIXTURES)
if (!hasFixtures) console.warn(`skipped: the fixtures are not at ${FIXTURES}`)

/** A writable copy of a fixture, alone in a folder of its own. */
export function copyOf(fixture: string, name = 'lcm.db'): string {
  const path = join(temporaryFolder(), name)
  copyFileSync(join(FIXTURES, fixture), path)
  chmodSync(path, 0o644)
  return path
}
