import type { DecodedFile } from './decoded-file.ts'
import type { Findings } from './summary-text.ts'

/**
 * Reads a file and says what is in it. It yields at least every few milliseconds, so that others have their turn.
 * @throws Unreadable
 */
export type Explorer = (file: DecodedFile) => Generator<void, Findings>

/** The file is not what it was taken for. Its summary is then that of a plain text. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}
