import { LcmError } from '#core/errors.ts'
import type { Table } from '#core/ingest/native-rows.ts'
import { removeDatabase } from '#core/sqlite/new-file.ts'
import { type OpenedMemory, openMemory } from '#core/systems/opening/open.ts'
import { inSlices } from '#core/yielding.ts'
import { carveNative } from './carve-native.ts'
import { isDamage } from './readable-rows.ts'
import { noHeaderError, type SourceCopy } from './salvage-copy.ts'

/** The readable part of a damaged file. */
export type DamagedMemory = Pick<OpenedMemory, 'read' | 'info' | 'close'> & {
  /**
   * Null when SQLite can read the file. Otherwise its rows were collected page by page, and these are known to be lost.
   */
  readonly lost: ReadonlyMap<Table, readonly string[]> | null
}

/**
 * Opens the copy of a damaged file. A native file whose table of contents cannot be read is read page by page.
 * @throws LcmError not_a_database, not_a_memory, file_corrupt when nothing can be read, cancelled, disk_full
 */
export async function openDamaged(source: SourceCopy, from: string, signal: AbortSignal): Promise<DamagedMemory> {
  try {
    return { ...(await openMemory(source.path, { readOnly: true, allowNewer: true })), lost: null }
  } catch (error) {
    const carved = source.isOurs && isUnreadable(error) ? await openByPages(source, signal) : null
    if (carved) return carved
    if (!source.hasHeader) throw noHeaderError(from)
    if (!isDamage(error) || namesTables(error)) throw nameOriginal(error, source.path, from)
    throw new LcmError(
      'file_corrupt',
      `Nothing can be salvaged from ${from}: its table of contents, which says where every table begins, is damaged.`,
      { path: from },
      { cause: error },
    )
  }
}

/** Returns null when no page of the file holds rows of a native file. */
export async function openByPages(source: SourceCopy, signal: AbortSignal): Promise<DamagedMemory | null> {
  const path = `${source.path}-pages`
  const remove = (): void => removeDatabase(path)
  remove()
  try {
    const { found, lost } = await inSlices(carveNative(source, path), signal)
    if (found === 0) {
      remove()
      return null
    }
    const memory = await openMemory(path, { readOnly: true })
    const close = (): void => {
      memory.close()
      remove()
    }
    return { ...memory, close, lost }
  } catch (error) {
    remove()
    throw error
  }
}

const isUnreadable = (error: unknown): boolean =>
  isDamage(error) || (error instanceof LcmError && (error.code === 'not_a_database' || error.code === 'not_a_memory'))

/** Replaces the name of the copy, which users do not know, by that of the original. */
function nameOriginal(error: unknown, copy: string, from: string): unknown {
  if (!(error instanceof LcmError)) return error
  return new LcmError(
    error.code,
    error.message.replaceAll(copy, from),
    { ...error.details, path: from },
    { cause: error },
  )
}

/** True when the file could be read and lacks tables of a memory. The error names them. */
const namesTables = (error: unknown): boolean => error instanceof LcmError && error.details?.sqlite === undefined
