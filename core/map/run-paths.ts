import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { LcmError } from '../errors.ts'
import { isNativeFile } from '../sqlite/memory-file.ts'

/**
 * Returns the folder in which runs are recorded: the one of the memory. A folder of another system stays untouched.
 * @throws LcmError read_only_dialect
 */
export async function recordFolder(memory: string): Promise<string> {
  const path = resolve(memory)
  if (existsSync(path) && !(await isNativeFile(path))) {
    throw new LcmError(
      'read_only_dialect',
      `Runs are recorded beside the memory, and ${path} is no native memory: nothing is written there. Choose a folder with --record, or make a working copy.`,
      { path },
    )
  }
  return dirname(path)
}

/** The file with the events of all runs. Decapod has it under the same name beside its memory. */
export const eventsPath = (record: string): string => join(record, 'map.events.jsonl')
/** The folder with the journals. */
export const runsFolder = (record: string): string => join(record, 'map-runs')
export const journalPath = (record: string, id: string): string => join(runsFolder(record), `${id}${JOURNAL}`)
export const LOCK = '.lock'
export const lockPath = (journal: string): string => `${journal}${LOCK}`

const JOURNAL = '.jsonl'

/** Returns the id of the run whose journal has this name, or null for another file. */
export const runIdOf = (name: string): string | null =>
  /^([0-9a-f]{16}(?:-[1-9]\d{0,8})?)\.jsonl$/.exec(name)?.[1] ?? null
