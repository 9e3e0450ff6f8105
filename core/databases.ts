import type { DatabaseKind } from './database.ts'
import { LcmError } from './errors.ts'

/** The kinds of databases that hold memories. To take a kind out of the program, delete its line and its folder. */
const KINDS: readonly (() => Promise<DatabaseKind>)[] = [
  async () => (await import('./remote/database-kind.ts')).postgres,
]

/**
 * Loads the code for memories in databases.
 * @throws LcmError unsupported where no kind is left
 */
export async function databases(): Promise<DatabaseKind> {
  const [load] = KINDS
  if (load === undefined) {
    throw new LcmError('unsupported', 'This program reads memories in files only: copy the memory into a file.')
  }
  return load()
}
