import { setFlagsFromString } from 'node:v8'

/**
 * Gives new objects little room, as the threads of the window have it: a command that reads a large file row by row
 * makes millions that live for a moment, and what is taken for them once is given back late.
 * https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--max-semi-space-size=4')
  setFlagsFromString('--semi-space-growth-factor=1')
}
