import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LcmError } from '../errors.ts'
import { sha256 } from '../hashing.ts'
import { fileError } from '../sqlite/memory-file.ts'

/**
 * A copy of the sample memory that may be written to. Each edition of the sample has its own, so that an update brings
 * the new one and never touches what was tried on the old one.
 * @returns its path
 * @throws LcmError file_missing when the installation has none, disk_full, file_not_readable
 */
export function sampleMemory(resourcesFolder: string, dataFolder: string): string {
  const original = join(resourcesFolder, 'sample.db')
  if (!existsSync(original)) {
    throw new LcmError(
      'file_missing',
      `The sample memory is missing from this installation (${original}): install the app again.`,
    )
  }
  const bytes = readFileSync(original)
  const edition = sha256(bytes).slice(0, 12)
  const path = join(dataFolder, 'sample', edition, 'sample.db')
  if (existsSync(path)) return path
  try {
    mkdirSync(dirname(path), { recursive: true })
    const next = `${path}.${process.pid}.tmp`
    writeFileSync(next, bytes)
    renameSync(next, path)
    return path
  } catch (error) {
    throw fileError(error, path)
  }
}
