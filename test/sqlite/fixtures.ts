import { chmodSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../builders/temporary-folder.ts'

/**
 * A folder with files of every system, sound and damaged. `npm test` fills it with what our writers write
 * (`builders/systems/written-files.ts`); in `npm run test:field` it holds what the systems wrote themselves.
 */
export const FIXTURES = process.env.SYSTEM_FILES_FOLDER ?? ''
if (FIXTURES === '') throw new Error('The files of other systems are written before a run: start it with vitest.')

/** A writable copy of a fixture, alone in a folder of its own. */
export function copyOf(fixture: string, name = 'lcm.db'): string {
  const path = join(temporaryFolder(), name)
  copyFileSync(join(FIXTURES, fixture), path)
  chmodSync(path, 0o644)
  return path
}
