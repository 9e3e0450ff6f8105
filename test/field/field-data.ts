import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Files that other systems really wrote: memories under `fixtures`, transcripts under `data`. */
export const FIELD_DATA = process.env.FIELD_DATA_FOLDER ?? ''

/** Counts that were made of the samples lie beside them. */
const TRUTH = /truth\.json$/

/** Paths of the real transcripts whose path matches. */
export function samplesOf(pattern: RegExp): string[] {
  const folder = join(FIELD_DATA, 'data')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  const found = names.filter((name) => pattern.test(name) && !TRUTH.test(name)).map((name) => join(folder, name))
  if (found.length === 0) throw new Error(`There are no samples ${pattern} in ${folder}.`)
  return found
}
