import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the heap of a thread near what it holds. It grows by two fifths between two collections, not up to fourfold,
 * because reading a large file leaves much garbage, and memory that was taken from the system for it is released late.
 * Objects that are created for each of many rows are never promoted because some of them once survived. Otherwise they
 * would keep their texts until the next full collection. These are settings for all threads. They are not used within
 * Electron, which may have sealed its settings at its start, so that a change would end the process.
 * https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function keepHeapSmall(): void {
  if (process.versions.electron !== undefined) return
  setFlagsFromString('--heap-growing-percent=40')
  setFlagsFromString('--no-allocation-site-pretenuring')
}

/**
 * Gives new objects little space, as in the threads of the window. A command that reads a large file row by row makes
 * millions of short-lived objects, and memory that was taken for them is released late.
 * https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function keepNewObjectsSmall(): void {
  setFlagsFromString('--max-semi-space-size=4')
  setFlagsFromString('--semi-space-growth-factor=1')
}
