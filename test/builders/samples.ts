import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../../shared/data', import.meta.url))

/** Paths of the real transcripts whose path matches; none, with a word on it, where there are no samples. */
export function samplesOf(pattern: RegExp): string[] {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : []
  const found = names.filter((name) => pattern.test(name)).map((name) => join(folder, name))
  if (found.length === 0) console.warn(`No samples ${pattern} in ${folder}: their tests are skipped.`)
  return found
}
