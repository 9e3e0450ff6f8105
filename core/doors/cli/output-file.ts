import { realpathSync, renameSync, rmSync, type Stats, statSync } from 'node:fs'
import { z } from 'zod'
import { LcmError } from '../../errors.ts'

export const force = z.boolean().optional().describe('replace the file that is there')

/** A file that is to be written. */
type Target = {
  readonly path: string
  /** The file that is read meanwhile. No option replaces it. */
  readonly source: string
  readonly isForced: boolean
}

/**
 * Writes a file that appears when it is complete. An existing file stays until then, and is replaced only when it is
 * empty or may be replaced.
 * @param write creates the file at the path that it is given
 * @throws LcmError invalid_argument when a file is there; file_missing, file_not_readable, disk_full; whatever `write`
 * throws
 */
export async function writeOutput(target: Target, write: (partial: string) => void | Promise<void>): Promise<void> {
  const { path } = target
  const isThere = requireWritable(target)
  const { giveName, partialPath, errorAboutTarget } = await import('../../sqlite/new-file.ts')
  const partial = partialPath(path)
  try {
    await write(partial)
    if (isThere) renameSync(partial, path)
    else giveName(partial, path)
  } catch (error) {
    throw errorAboutTarget(path, partial, error)
  } finally {
    rmSync(partial, { force: true })
  }
}

/**
 * Says whether an existing file will be replaced.
 * @throws LcmError invalid_argument for a file that has to stay
 */
export function requireWritable({ path, source, isForced }: Target): boolean {
  const there = statSync(path, { throwIfNoEntry: false })
  if (!there) return false
  if (there.isDirectory()) {
    throw new LcmError('invalid_argument', `${path} is a folder: name a file in it.`, { path })
  }
  if (belongsTo(source, there)) {
    throw new LcmError('invalid_argument', `${path} belongs to what is read: choose another path.`, { path })
  }
  if (!there.isFile() || (there.size > 0 && !isForced)) {
    throw new LcmError('invalid_argument', `${path} exists already: choose a path where nothing is, or give --force.`, {
      path,
    })
  }
  return true
}

/** Says whether a file is the one that is read, or a file that SQLite keeps beside it, under any path. */
function belongsTo(source: string, there: Stats): boolean {
  const real = realpathSync(source)
  return ['', '-wal', '-shm', '-journal'].some((suffix) => {
    const own = statSync(`${real}${suffix}`, { throwIfNoEntry: false })
    return own?.ino === there.ino && own.dev === there.dev
  })
}
