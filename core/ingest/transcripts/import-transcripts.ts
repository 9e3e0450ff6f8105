import type { Clock } from '../../clock.ts'
import type { ImportedFile, ImportResult, ImportWindow, PassedOver, TranscriptFormat } from '../../contract/import.ts'
import type { JobProgress } from '../../contract/job.ts'
import { LcmError } from '../../errors.ts'
import type { LargeFileService } from '../../files/large-file-service.ts'
import type { TokenEstimator } from '../../models/token-estimator.ts'
import { enlargePageCache } from '../../sqlite/page-cache.ts'
import { indexPending } from '../../sqlite/pending-index.ts'
import type { WriteDb } from '../../sqlite/read-db.ts'
import { fileIds } from '../../systems/records/files.ts'
import { LargeTexts } from '../large-texts.ts'
import { type ImportStep, importFile, isFileError, whyUnreadable } from './import-file.ts'
import type { ResumeOf } from './import-report.ts'
import { openTranscript, whyNotOpened } from './open-transcript.ts'
import { findTranscriptFiles, type GivenTranscript, type TranscriptFile } from './transcript-files.ts'
import { UnchangedFiles } from './unchanged-files.ts'

export type ImportInput = {
  readonly db: WriteDb
  readonly estimator: TokenEstimator
  readonly clock: Clock
  /** Files, and folders whose transcripts are all imported. */
  readonly paths: readonly GivenTranscript[]
  readonly format: TranscriptFormat
  readonly window: ImportWindow
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
  const imported = refused.map(({ path, reason }) => failed(path, reason))
  const passedOver: PassedOver[] = []
  let passedOverCount = 0
  let done = 0
  const filesBefore = fileIds(input.db)
  const largeTexts = input.files && new LargeTexts(input.db, input.files, signal)
  const unchanged = new UnchangedFiles(input.db, input)
  const giveCacheBack = enlargePageCache(input.db)
  try {
    for (const file of files) {
      const outcome = yield* followed(
        importOne({ ...input, largeTexts, unchanged }, file),
        file,
        { done, total },
        signal,
      )
      if ('reason' in outcome) {
        passedOverCount += 1
        if (passedOver.length < LISTED_FILES) passedOver.push(outcome)
      } else {
        imported.push(outcome)
      }
      done += file.bytes
    }
  } finally {
    largeTexts?.finish()
    giveCacheBack()
  }
  refuseFailure(imported, passedOver, passedOverCount)
  return {
    files: imported,
    passedOver,
    passedOverCount,
    added: sum(imported, 'added'),
    alreadyThere: sum(imported, 'alreadyThere'),
    skipped: sum(imported, 'skippedCount'),
    bytes: total,
    durationMs: performance.now() - startedMs,
    largeFiles: [...fileIds(input.db)].filter((id) => !filesBefore.has(id)),
  }
}

type OneInput = ImportInput & { readonly largeTexts: LargeTexts | null; readonly unchanged: UnchangedFiles }

type Outcome = ImportedFile | PassedOver

async function* followed(
  steps: AsyncGenerator<ImportStep, Outcome>,
  file: TranscriptFile,
  { done, total }: { readonly done: number; readonly total: number },
  signal: AbortSignal,
): AsyncGenerator<JobProgress, Outcome> {
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
    await steps.return(failed(file.path, 'was left'))
  }
}

async function* importOne(input: OneInput, file: TranscriptFile): AsyncGenerator<ImportStep, Outcome> {
  yield { doing: 'looking', bytes: 0 }
  // An earlier import that was stopped may have left texts to index.
  for await (const _ of indexPending(input.db)) yield { doing: 'looking', bytes: 0 }
  try {
    const known = input.unchanged.resultOf(file)
    if (known) return known
    const opened = await openTranscript(file, input.format)
    if (opened) {
      const { id } = opened.format
      try {
        const stamp = input.unchanged.stamp(file, id, input.clock())
        const result = yield* importFile(input, file, opened)
        input.unchanged.note(file, id, stamp, result)
        return result
      } finally {
        opened.close()
      }
    }
    const reason = whyNotOpened(file.file)
    return file.isNamed ? failed(file.path, reason) : { path: file.path, reason }
  } catch (error) {
    if (error instanceof LcmError && isOfFile(error, file)) return failed(file.path, error.message)
    if (!isFileError(error) && !(error instanceof RangeError)) throw error
    return failed(file.path, whyUnreadable(error))
  }
}

/** An error of the database of one agent leaves the other files of an import alone. */
const isOfFile = ({ code, details }: LcmError, { file }: TranscriptFile): boolean =>
  details?.path === file && ['file_corrupt', 'file_not_readable', 'not_a_database', 'locked'].includes(code)

function refuseCancelled(signal: AbortSignal, file: TranscriptFile): void {
  if (!signal.aborted) return
  throw new LcmError('cancelled', `The import was cancelled in ${file.path}; what was stored before stays.`)
}

/** Throws when every file of an import failed. */
function refuseFailure(
  files: readonly ImportedFile[],
  passedOver: readonly PassedOver[],
  passedOverCount: number,
): void {
  if (files.some((file) => file.error === null)) return
  const failures = [...files.map(({ path, error }) => ({ path, reason: error ?? '' })), ...passedOver]
  const [first] = failures
  if (!first) return
  const rest = files.length + passedOverCount - 1
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
