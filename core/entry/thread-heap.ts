import { setFlagsFromString } from 'node:v8'

/**
 * Lets the heap grow by two fifths between two collections, not up to fourfold: reading a large file leaves much behind
 * that nobody needs, and what is taken from the system for it comes back late. It is one setting for all threads. Not
 * within Electron, which may have sealed its settings when it started: changing one then ends the process.
 * https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function growHeapSlowly(): void {
  if (process.versions.electron === undefined) setFlagsFromString('--heap-growing-percent=40')
}
