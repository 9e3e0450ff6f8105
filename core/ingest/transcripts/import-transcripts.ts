import type { Clock } from '#core/clock.ts'
import type { ImportedFile, ImportResult, ImportWindow, PassedOver, TranscriptFormat } from '#core/contract/import.ts'
import type { JobProgress } from '#core/contract/job.ts'
import { LcmError } from '#core/errors.ts'
import type { LargeFileService } from '#core/files/large-file-service.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import { enlargePageCache } from '#core/sqlite/page-cache.ts'
import { indexPending } from '#core/sqlite/pending-index.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { fileIds } from '#core/systems/records/files.ts'
import { ConversationStore } from '../conversation-store.ts'
import { LargeTexts } from '../large-texts.ts'
import { isFileError } from './files-beside.ts'
import { type ImportStep, importFile, whyUnreadable } from './import-file.ts'
import { ImportGroup } from './import-group.ts'
import type { ResumeOf } from './import-report.ts'
import { openTranscript, whyNotOpened } from './open-transcript.ts'
import { ReadPlace } from './read-place.ts'
import {
  findTranscriptFiles,
  type GivenTranscript,
  type TranscriptFile,
  withoutFilesBeside,
} from './transcript-files.ts'
import { UnchangedFiles } from './unchanged-files.ts'

export type ImportInput = {
  readonly db: WriteDb
  readonly estimator: TokenEstimator
  readonly clock: Clock
  /** Files, and folders whose transcripts are all imported. */
  readonly paths: readonly GivenTranscript[]
  readonly format: TranscriptFormat
  readonly window: ImportWindow
  /** Of a database only these sessions, and what they were forked from. Other files are read whole. */
  readonly sessions?: readonly string[]
  /** Of a file that has only grown, only what is new is read, where that leads to the same memory. */
  readonly goesOn?: boolean
  /** Keeps large texts in files. When it is null, they stay in their messages. */
  readonly files: LargeFileService | null
  /** Is asked of conversations whose chain breaks. Without it the result says nothing of them. */
  readonly resumeOf?: ResumeOf
}

const LISTED_FILES = 1000

/**
 * The log grows to 32 MB before a checkpoint, so that pages of the indexes, which change with every batch, are written
 * to the file less often. https://www.sqlite.org/pragma.html#pragma_wal_autocheckpoint
 */
const BULK_CHECKPOINTS = 'PRAGMA wal_autocheckpoint = 8000'

/**
 * Imports transcripts, file by file, in bounded memory. Importing a transcript again adds only what is new in it. A
 * file that is no transcript is reported and skipped. The import stops between batches when the signal aborts, and what
 * was committed stays valid.
 * @throws LcmError file_missing, file_not_readable, transcript_unreadable when nothing could be imported, cancelled
 */
export async function* importTranscripts(
  input: ImportInput,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, ImportResult> {
  const startedMs = performance.now()
  input.db.exec(BULK_CHECKPOINTS)
  const { files, refused } = await findTranscriptFiles(input.paths)
  const total = files.reduce((sum, file) => sum + file.bytes, 0)
  const store = new ConversationStore(input.db, input.estimator, input.clock)
  const group = new ImportGroup(input.db, store)
  for (const { path, reason } of refused) group.pass(failed(path, reason))
  const unread: PassedOver[] = []
  let done = 0
  const filesBefore = fileIds(input.db)
  const largeTexts = input.files && new LargeTexts(input.db, input.files, signal)
  const unchanged = new UnchangedFiles(input.db, input)
  const giveCacheBack = enlargePageCache(input.db)
  try {
    for (const file of files) {
      const steps = importOne({ ...input, store, group, largeTexts, unchanged }, file)
      const why = yield* followed(steps, file, { done, total }, signal)
      done += file.bytes
      if (why !== null) unread.push(why)
    }
    group.store()
  } catch (error) {
    // What was read to its end before the import was cancelled is kept.
    if (isCancelled(error)) group.store()
    throw error
  } finally {
    largeTexts?.finish()
    giveCacheBack()
  }
  const imported = group.results
  refuseFailure(imported, unread)
  const passedOver = withoutFilesBeside(unread, imported)
  return {
    files: imported,
    passedOver: passedOver.slice(0, LISTED_FILES),
    passedOverCount: passedOver.length,
    added: sum(imported, 'added'),
    alreadyThere: sum(imported, 'alreadyThere'),
    skipped: sum(imported, 'skippedCount'),
    bytes: total,
    durationMs: performance.now() - startedMs,
    largeFiles: [...fileIds(input.db)].filter((id) => !filesBefore.has(id)),
  }
}

type OneInput = ImportInput & {
  readonly store: ConversationStore
  readonly group: ImportGroup
  readonly largeTexts: LargeTexts | null
  readonly unchanged: UnchangedFiles
}

async function* followed(
  steps: AsyncGenerator<ImportStep, PassedOver | null>,
  file: TranscriptFile,
  { done, total }: { readonly done: number; readonly total: number },
  signal: AbortSignal,
): AsyncGenerator<JobProgress, PassedOver | null> {
  try {
    for (;;) {
      const step = await steps.next()
      if (step.done) return step.value
      refuseCancelled(signal, file)
      const { doing, bytes } = step.value
      const note = `${doing === 'looking' ? 'Looking through' : 'Importing'} ${file.path}`
      yield { done: done + Math.min(bytes, file.bytes), total, unit: 'bytes', note }
    }
  } finally {
    // This closes the file when the job is stopped in the middle.
    await steps.return(null)
  }
}

/** Imports a file, or gives it to the group of files that are stored together. Returns a file that was passed over. */
async function* importOne(input: OneInput, file: TranscriptFile): AsyncGenerator<ImportStep, PassedOver | null> {
  const { db, group, unchanged } = input
  yield { doing: 'looking', bytes: 0 }
  try {
    const known = input.sessions ? null : unchanged.resultOf(file, group)
    if (known) {
      group.pass(known)
      return null
    }
    // An earlier import that was stopped may have left texts to index.
    for await (const _ of indexPending(db)) yield { doing: 'looking', bytes: 0 }
    // What changes after this is newer than the stamp, however long the beginning of the file was looked at.
    const nowMs = input.clock()
    const opened = await openTranscript(file, input.format, input.sessions)
    if (opened) {
      const { id } = opened.format
      try {
        const stamp = input.sessions ? null : unchanged.stamp(file, id, nowMs)
        const place = input.goesOn && file.path === file.file ? new ReadPlace(db, file.path) : null
        const reading = place === null ? opened : { ...opened, format: place.reading(opened.format) }
        const read = yield* importFile(input, file, reading)
        const note = (result: ImportedFile): void => {
          // The result of a reading that went on says nothing of the whole file.
          unchanged.note(file, id, place?.hasGoneOn ? null : stamp, result)
          if (result.error === null) place?.note()
        }
        group.add({ ...read, failed: (error) => failureOf(error, file), note })
        return null
      } finally {
        opened.close()
      }
    }
    const reason = whyNotOpened(file.file)
    if (!file.isNamed) return { path: file.path, reason }
    group.pass(failed(file.path, reason))
  } catch (error) {
    const failure = failureOf(error, file)
    if (failure === null) throw error
    group.pass(failure)
  }
  return null
}

/** Returns the result of a file that failed, and null for an error that is not about the file. */
function failureOf(error: unknown, file: TranscriptFile): ImportedFile | null {
  if (error instanceof LcmError && isOfFile(error, file)) return failed(file.path, error.message)
  return isFileError(error) || error instanceof RangeError ? failed(file.path, whyUnreadable(error, file.file)) : null
}

/** An error of the database of one agent leaves the other files of an import alone. */
const isOfFile = ({ code, details }: LcmError, { file }: TranscriptFile): boolean =>
  details?.path === file && ['file_corrupt', 'file_not_readable', 'not_a_database', 'locked'].includes(code)

const isCancelled = (error: unknown): boolean => error instanceof LcmError && error.code === 'cancelled'

function refuseCancelled(signal: AbortSignal, file: TranscriptFile): void {
  if (!signal.aborted) return
  throw new LcmError('cancelled', `The import was cancelled in ${file.path}; what was stored before stays.`)
}

/** Throws when every file of an import failed. */
function refuseFailure(files: readonly ImportedFile[], passedOver: readonly PassedOver[]): void {
  if (files.some((file) => file.error === null)) return
  const failures = [...files.map(({ path, error }) => ({ path, reason: error ?? '' })), ...passedOver]
  const [first] = failures
  if (!first) return
  const rest = failures.length - 1
  const others = rest === 0 ? '' : `, nor ${rest === 1 ? 'is one other file' : `are ${rest} other files`}`
  throw new LcmError('transcript_unreadable', `${first.path}: ${first.reason}${others}.`, { path: first.path })
}

const failed = (path: string, error: string): ImportedFile => ({
  path,
  format: 'unknown',
  conversationId: null,
  sessionId: null,
  conversations: [],
  conversationCount: 0,
  added: 0,
  alreadyThere: 0,
  completed: 0,
  conflicts: 0,
  compactions: 0,
  otherRecords: 0,
  skipped: [],
  skippedCount: 0,
  newer: null,
  error,
})

const sum = (files: readonly ImportedFile[], field: 'added' | 'alreadyThere' | 'skippedCount'): number =>
  files.reduce((total, file) => total + file[field], 0)
