import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A copy of a folder, in a new one beside it. */
export function copyOf(folder: string): string {
  const copy = mkdtempSync(join(folder, '..', 'work-'))
  cpSync(folder, copy, { recursive: true })
  return copy
}

export const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
