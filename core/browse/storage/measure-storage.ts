import { statSync } from 'node:fs'
import type { JobProgress } from '#core/contract/job.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { StorageObject, StorageReport } from '#core/contract/storage.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { TimeSlice, yieldToOthers } from '#core/yielding.ts'
import { measureObjects } from './file-objects.ts'
import { findRepeatedText } from './repeated-text.ts'
import { adviseOn } from './storage-advice.ts'

const CANCELLED = 'Measuring was cancelled. Nothing was changed.'

type Input = {
  readonly db: ReadDb
  readonly info: MemoryInfo
  /** Messages with more tokens than this could be stored as files. */
  readonly largeFileTokens: number
}

/**
 * Measures where the bytes of a memory file are: by table and index, in free pages, in the log, and in texts that are
 * stored repeatedly, with advice. It reads the whole file once through SQLite's page statistics and changes nothing.
 * @throws LcmError cancelled, sqlite_failed
 */
export async function* measureStorage(
  { db, info, largeFileTokens }: Input,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, StorageReport> {
  const startedAt = performance.now()
  const objects: StorageObject[] = []
  const unreadable: string[] = []
  const pages = db.value<number>('PRAGMA main.page_count') ?? 0
  const pageBytes = db.value<number>('PRAGMA main.page_size') ?? 0
  let walked = 0
  for (const measured of measureObjects(db)) {
    if ('unreadable' in measured) unreadable.push(measured.unreadable)
    else {
      objects.push(measured.object)
      walked += measured.object.bytes
    }
    yield { done: walked, total: pages * pageBytes, unit: 'bytes', note: 'tables and indexes' }
    await yieldToOthers(signal, CANCELLED)
  }
  objects.sort((a, b) => b.bytes - a.bytes)

  const scan = findRepeatedText(db, objects)
  let step = scan.next()
  for (const slice = new TimeSlice(signal, CANCELLED); !step.done; step = scan.next()) {
    if (!slice.isOver) continue
    yield { ...step.value, unit: 'messages', note: 'text stored more than once' }
    await slice.yield()
  }
  const facts = {
    path: info.path,
    bytes: pages * pageBytes,
    walBytes: statSync(`${info.path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    pageBytes,
    pages,
    freePages: db.value<number>('PRAGMA main.freelist_count') ?? 0,
    objects,
    unreadable,
    repeated: step.value,
  }
  return {
    ...facts,
    advice: adviseOn(db, info, facts, largeFileTokens),
    durationMs: performance.now() - startedAt,
  }
}
