import type { ImportResult } from '../../../core/contract/import.ts'

/** Returns whether every line of every file was imported. */
export const isSound = (result: ImportResult): boolean =>
  result.files.every(({ error, skippedCount, conflicts }) => error === null && skippedCount === 0 && conflicts === 0)
