import { accessSync, constants, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { FoundMemory } from '../contract/machine.ts'
import { LcmError } from '../errors.ts'
import { type Candidate, knownPlaces } from '../systems/known-places.ts'
import { identifyMemory } from '../systems/opening/identify-memory.ts'
import type { Surroundings } from '../systems/places.ts'
import { yieldToOthers } from '../yielding.ts'

/**
 * Finds memories in the known places of this machine, last changed first, without their backups. A damaged file in such a place is listed
 * without a system. One that this user may not read, or that is no database, is left out.
 */
export async function discover(surroundings: Surroundings, cacheDir: string): Promise<FoundMemory[]> {
  const found: FoundMemory[] = []
  for (const candidate of knownPlaces(surroundings)) {
    if (isBackup(candidate.path)) continue
    const memory = await find(candidate, cacheDir)
    if (!memory) continue
    found.push(memory)
    // A file takes some milliseconds, and there may be hundreds, so it yields between them.
    await yieldToOthers()
  }
  return found.sort((a, b) => b.modifiedAtMs - a.modifiedAtMs || (a.path < b.path ? -1 : 1))
}

/** `lcm.db.backup-20260302T090000000Z.db`, `lcm.db.bak`, `lcm.backup.db`: a copy of a memory that has a place of its own. */
const isBackup = (path: string): boolean => /[.-](?:backup|bak)(?:[.-]|$)/i.test(basename(path))

async function find({ path, label }: Candidate, cacheDir: string): Promise<FoundMemory | null> {
  const file = readableFile(path)
  if (!file) return null
  try {
    const { system, project, bytes, modifiedAtMs } = await identifyMemory(path, { cacheDir })
    return { path, label: project ?? label, system, bytes, modifiedAtMs }
  } catch (error) {
    if (!(error instanceof LcmError)) throw error
    const isDamaged = error.code === 'file_corrupt' || error.code === 'file_truncated' || error.code === 'locked'
    return isDamaged ? { path, label, system: null, ...file } : null
  }
}

function readableFile(path: string): Pick<FoundMemory, 'bytes' | 'modifiedAtMs'> | null {
  try {
    const file = statSync(path, { throwIfNoEntry: false })
    if (!file?.isFile() || file.size === 0) return null
    accessSync(path, constants.R_OK)
    return { bytes: file.size, modifiedAtMs: Math.round(file.mtimeMs) }
  } catch {
    return null
  }
}
