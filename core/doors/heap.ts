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
 * The limits of the threads of a core and of a command. Space for new objects is what a thread takes first and releases
 * last: with twice as much, a large file takes 35 MB more. With less, texts that a search reads once are moved to the
 * old objects, and it takes half as long again.
 */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 8 } as const
