import { writeSystemFiles } from '../builders/systems/written-files.ts'
import { expectUntouched } from './untouched.ts'

/** Before a run: writes a file of every system once, for all tests that only read or copy one (`fixtures.ts`). */
export function setup(): () => void {
  const folder = process.env.SYSTEM_FILES_FOLDER ?? ''
  writeSystemFiles(folder)
  return expectUntouched(folder)
}
