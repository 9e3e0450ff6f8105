import { setFlagsFromString } from 'node:v8'

/**
 * Keeps a thread's heap near what it holds. It grows by two fifths between two collections, not up to fourfold: reading
 * a large file leaves much behind that nobody needs, and what is taken from the system for it comes back late. And what
 * is made anew for each of many rows is never taken for something that will stay because some of it once did: put among
 * what is old, it keeps the texts that it speaks of until the next great collection.
 *
 * These are settings for all threads. Not within Electron, which may have sealed its settings when it started: changing
 * one then ends the process. https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function keepHeapSmall(): void {
  if (process.versions.electron !== undefined) return
  setFlagsFromString('--heap-growing-percent=40')
  setFlagsFromString('--no-allocation-site-pretenuring')
}
