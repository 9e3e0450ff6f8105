import type { ImportResult } from '../../../core/contract/import.ts'

/** Every line of every file arrived. */
export const isSound = (result: ImportResult): boolean =>
  result.files.every(({ error, skippedCount, conflicts }) => error === null && skippedCount === 0 && conflicts === 0)
