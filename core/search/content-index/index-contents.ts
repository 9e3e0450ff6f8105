import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, statSync } from 'node:fs'
import type { JobProgress } from '#core/contract/job.ts'
import type { ContentIndexResult } from '#core/contract/search-index.ts'
import { FILE_START, lineRuns, RUN_BYTES } from '#core/files/line-runs.ts'
import { fileError } from '#core/sqlite/memory-file.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { allFiles } from '#core/systems/records/files.ts'
import { TimeSlice } from '#core/yielding.ts'
import { searchedFile } from '../searched-files.ts'
import { FOLDER_LIMIT_BYTES, lockIndex, makeFolder, tidyFolder } from '../side-index/index-folder.ts'
import { ContentIndexWriter } from './content-index-writer.ts'
import type { ContentIndexes } from './content-indexes.ts'
import { COLUMN_BITS } from './grams.ts'

const PROGRESS_INTERVAL_MS = 100
/** The size of an index for each byte of its content, without the table of runs. */
const INDEX_SHARE = COLUMN_BITS / 8 / RUN_BYTES
/** One process at a time writes indexes of contents. */
const LOCK = 'contents'

export type ContentsOptions = {
  readonly db: ReadDb
  /** The folder of large files that is configured, or null. */
  readonly filesDir: string | null
  readonly indexes: ContentIndexes
  /** The size limit of all indexes together. */
  readonly limitBytes?: number
}

type Content = { readonly path: string; readonly bytes: number; readonly key: string }

/** The contents of a memory, each once. */
function contentsOf({ db, filesDir, indexes }: ContentsOptions): Content[] {
  const contents = new Map<string, Content>()
  for (const info of allFiles(db)) {
    const { path, bytes } = searchedFile(db, filesDir, info)
    if (path !== null && !contents.has(path)) contents.set(path, { path, bytes, key: indexes.keyOf(path) })
  }
  return [...contents.values()]
}

/**
 * Makes an index of each content that has none. It yields to other work every 20 ms. An index that was finished stays
 * when the job is cancelled or killed.
 * @throws LcmError cancelled; file_not_readable, disk_full when the cache cannot be written
 */
export async function* indexContents(
  options: ContentsOptions,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, ContentIndexResult> {
  const { indexes, limitBytes = FOLDER_LIMIT_BYTES } = options
  const contents = contentsOf(options)
  const missing = contents.filter(({ path, bytes }) => indexes.isMissing(path, bytes))
  if (missing.length === 0) return { outcome: 'ready', indexedFiles: 0 }
  makeFolder(indexes.folder)
  const unlock = lockIndex(indexes.folder, LOCK)
  if (!unlock) return { outcome: 'busy', indexedFiles: 0 }
  const slice = new TimeSlice(signal, 'Indexing was cancelled. The indexes that are finished are kept.')
  const total = missing.reduce((sum, { bytes }) => sum + bytes, 0)
  let [done, indexedFiles, shownAtMs] = [0, 0, 0]
  try {
    const kept = new Set(contents.map(({ key }) => key))
    let room = limitBytes - tidyFolder(indexes.folder, kept, Math.max(0, limitBytes - total * INDEX_SHARE))
    for (const content of missing) {
      if (content.bytes * INDEX_SHARE > room) return { outcome: 'too_large', indexedFiles }
      const before = done
      const written = yield* indexContent(content, indexes, slice, (read): JobProgress | null => {
        done = before + read
        if (performance.now() - shownAtMs < PROGRESS_INTERVAL_MS) return null
        shownAtMs = performance.now()
        return { done, total, unit: 'bytes', note: 'contents of large files' }
      })
      done = before + content.bytes
      room -= written
      if (written > 0) indexedFiles += 1
    }
    return { outcome: 'ready', indexedFiles }
  } finally {
    unlock()
  }
}

/** Returns the size of the index, or 0 when the content could not be read or changed meanwhile. */
async function* indexContent(
  { path, key }: Content,
  indexes: ContentIndexes,
  slice: TimeSlice,
  progressAt: (bytes: number) => JobProgress | null,
): AsyncGenerator<JobProgress, number> {
  const to = indexes.pathOf(path)
  const partial = `${to}.partial-${process.pid}-${randomBytes(3).toString('hex')}`
  try {
    const writer = new ContentIndexWriter(partial)
    try {
      for (const run of lineRuns(path, FILE_START)) {
        for (const _ of writer.add(run)) await slice.yieldIfOver()
        await slice.yieldIfOver()
        const progress = progressAt(run.start.offset + run.bytes.length)
        if (progress) yield progress
      }
      for (const _ of writer.finish()) await slice.yieldIfOver()
    } finally {
      writer.close()
    }
    // The stamp before and after is the same, so what was read is what the stamp names.
    if (indexes.keyOf(path) !== key) return 0
    const { size } = statSync(partial)
    renameSync(partial, to)
    return size
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    if ('path' in error && error.path === partial) throw fileError(error, to)
    // A content that went away or cannot be read is left to the search, which says so.
    return 0
  } finally {
    rmSync(partial, { force: true })
  }
}
