import type { JobProgress } from '#core/contract/job.ts'
import type { Backup } from '#core/contract/repair.ts'
import { backUp } from '#core/sqlite/backup.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { inSlices } from '#core/yielding.ts'
import { canonicalExtent, canonicalHash, fileHash } from './row-digest.ts'

/** What was proven of a file while it was copied. */
export type BackedUp = { readonly backup: Backup; readonly canonicalHash: string }

/**
 * Makes a backup and proves that it equals the file: SQLite's own check has the same result for both, and every row of
 * every table is the same.
 * @throws LcmError cancelled, disk_full, sqlite_failed
 */
export async function* verifiedBackup(
  request: { readonly path: string; readonly folder?: string | undefined; readonly nowMs: number },
  signal: AbortSignal,
): AsyncGenerator<JobProgress, BackedUp> {
  let canonical = ''
  const verify = async (original: ReadDb, copy: ReadDb): Promise<string | null> => {
    const [is, was] = [pageReport(copy), pageReport(original)]
    if (is !== was) return `its pages are not sound: ${is}`
    for (const rows of [fileHash, (db: ReadDb) => canonicalHash(db, canonicalExtent(db))]) {
      canonical = await inSlices(rows(original), signal)
      if (canonical !== (await inSlices(rows(copy), signal))) return 'its rows differ'
    }
    return null
  }
  const copying = backUp({ ...request, verify }, signal)
  let step = await copying.next()
  for (; !step.done; step = await copying.next()) yield { ...step.value, unit: 'steps', note: 'backup' }
  return { backup: step.value, canonicalHash: canonical }
}

/** https://www.sqlite.org/pragma.html#pragma_quick_check */
const pageReport = (db: ReadDb): string => db.column<string>('PRAGMA main.quick_check(100)').join('; ')
