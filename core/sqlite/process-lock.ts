import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { LcmError } from '../errors.ts'
import { fileError } from './memory-file.ts'
import { processMark, processState } from './process-mark.ts'

/**
 * Makes sure that one process at a time works on a run. The lock of a process that was killed is taken over.
 * @returns a function that gives the lock back
 * @throws LcmError locked, file_not_readable, disk_full
 */
export function lockRun(path: string): () => void {
  const own = `${randomBytes(8).toString('hex')} ${processMark()}`
  const prepared = `${path}.${own.slice(0, 16)}`
  try {
    writeFileSync(prepared, own, { flag: 'wx', mode: 0o600 })
    try {
      take(prepared, path)
    } finally {
      unlinkSync(prepared)
    }
  } catch (error) {
    throw fileError(error, path)
  }
  return () => {
    if (holderOf(path) === own) unlinkSync(path)
  }
}

/** A name is given once only, and with the whole text of the lock behind it. */
function take(prepared: string, path: string): void {
  for (let look = 0; look < 3; look += 1) {
    try {
      linkSync(prepared, path)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const holder = holderOf(path)
    if (holder === null) continue
    if (processState(holder) !== 'ended') throw isHeld(path, holder)
    removeLeftover(path, holder)
  }
  throw isHeld(path, holderOf(path) ?? '')
}

/** Moves the lock away first, because another process may have replaced it meanwhile, which is then put back. */
function removeLeftover(path: string, expected: string): void {
  const aside = `${path}.${randomBytes(8).toString('hex')}`
  renameSync(path, aside)
  if (holderOf(aside) === expected) unlinkSync(aside)
  else renameSync(aside, path)
}

function holderOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Says whether a process is at work under this lock. */
export function isLocked(path: string): boolean {
  const holder = holderOf(path)
  return holder !== null && processState(holder) !== 'ended'
}

const isHeld = (path: string, holder: string): LcmError =>
  new LcmError(
    'locked',
    `Another process works on this run ${holder.replace(/^\S+ /, '')}: wait for its end, or stop it and start again. If that computer is gone, delete ${path}.`,
    { path },
  )
