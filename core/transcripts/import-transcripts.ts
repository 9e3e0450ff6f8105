import type { Clock } from '../clock.ts'
import type { TokenEstimator } from '../context/token-estimator.ts'
import type { ImportedFile, ImportResult, TranscriptFormat } from '../contract/import.ts'
import type { JobProgress } from '../contract/job.ts'
import { ConversationStore } from '../conversations/conversation-store.ts'
import type { WriteDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'
import { ClaudeCodeImport, type ImportStep } from './claude-code.ts'
import { findTranscriptFiles, type TranscriptFile } from './transcript-files.ts'

export type ImportInput = {
  readonly db: WriteDb
  readonly estimator: TokenEstimator
  readonly clock: Clock
  /** Files, and folders whose transcripts are all taken. */
  readonly paths: readonly string[]
  readonly format: TranscriptFormat
}

/**
 * Imports transcripts, file by file, in bounded memory. Importing the same transcript again adds what is new in it and
 * nothing else. A file that is no transcript is reported and costs only itself. Stops between batches when the signal
 * aborts; what was committed stays valid.
 * @throws LcmError file_missing, file_not_readable, transcript_unreadable when nothing could be imported, cancelled
 */
export async function* importTranscripts(
  input: ImportInput,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, ImportResult> {
  const startedMs = performance.now()
  const files = await findTranscriptFiles(input.paths)
  const store = new ConversationStore(input.db, input.estimator, input.clock)
  const total = files.reduce((sum, file) => sum + file.bytes, 0)
  const imported: ImportedFile[] = []
  let done = 0
  for (const file of files) {
    const steps = importFile(input, store, file)
    try {
      let step = await steps.next()
      for (; !step.done; step = await steps.next()) {
        refuseCancelled(signal, file)
        const note = `${step.value.doing === 'looking' ? 'Looking through' : 'Importing'} ${file.path}`
        yield { done: done + step.value.bytes, total, unit: 'bytes', note }
      }
      imported.push(step.value)
    } finally {
      // Closes the file when this job is left in the middle.
      await steps.return(failed(file, 'was left'))
    }
    done += file.bytes
  }
  refuseFailure(imported)
  return {
    files: imported,
    added: sum(imported, 'added'),
    alreadyThere: sum(imported, 'alreadyThere'),
    skipped: sum(imported, 'skippedCount'),
    bytes: total,
    durationMs: performance.now() - startedMs,
  }
}

async function* importFile(
  { db, clock }: ImportInput,
  store: ConversationStore,
  file: TranscriptFile,
): AsyncGenerator<ImportStep, ImportedFile> {
  const transcript = new ClaudeCodeImport(db, store, file.path, clock())
  try {
    const isOurs = yield* transcript.survey()
    return isOurs ? yield* transcript.store() : failed(file, 'not a transcript in a known format (Claude Code)')
  } catch (error) {
    if (!isFileError(error)) throw error
    return transcript.result(`cannot be read (${error.code})`)
  }
}

function refuseCancelled(signal: AbortSignal, file: TranscriptFile): void {
  if (!signal.aborted) return
  throw new LcmError('cancelled', `The import was cancelled in ${file.path}; what was stored before stays.`)
}

/** An import of which every file failed has failed. */
function refuseFailure(files: readonly ImportedFile[]): void {
  const [first] = files
  if (!first || files.some((file) => file.error === null)) return
  const others = files.length === 1 ? '' : `, nor are ${files.length - 1} other files`
  throw new LcmError('transcript_unreadable', `${first.path} is ${first.error ?? ''}${others}.`, { path: first.path })
}

const failed = (file: TranscriptFile, error: string): ImportedFile => ({
  path: file.path,
  format: 'unknown',
  conversationId: null,
  sessionId: null,
  added: 0,
  alreadyThere: 0,
  conflicts: 0,
  otherRecords: 0,
  skipped: [],
  skippedCount: 0,
  error,
})

const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'

const sum = (files: readonly ImportedFile[], field: 'added' | 'alreadyThere' | 'skippedCount'): number =>
  files.reduce((total, file) => total + file[field], 0)
