import type { ImportedFile, ImportResult, ImportWindow, TranscriptFormat } from '#core/contract/import.ts'
import type { JobProgress } from '#core/contract/job.ts'
import type { LargeFileService } from '#core/files/large-file-service.ts'
import type { ResumeOf } from '#core/ingest/transcripts/import-report.ts'
import { importTranscripts } from '#core/ingest/transcripts/import-transcripts.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { STORY_BEGINS_MS } from './memory.ts'

export type ImportOptions = {
  readonly signal?: AbortSignal
  readonly format?: TranscriptFormat
  readonly window?: ImportWindow
  readonly sessions?: readonly string[]
  readonly goesOn?: boolean
  readonly onProgress?: (progress: JobProgress) => void
  /** By default, the moment at which the stories of tests begin. */
  readonly nowMs?: number
  /** By default, large texts stay in their messages. */
  readonly files?: LargeFileService
  readonly resumeOf?: ResumeOf
}

/** Runs an import to its end. */
export async function runImport(
  db: WriteDb,
  paths: readonly string[],
  {
    signal = new AbortController().signal,
    format = 'auto',
    window = 'agent',
    onProgress,
    files,
    resumeOf,
    sessions,
    goesOn = false,
    nowMs = STORY_BEGINS_MS,
  }: ImportOptions = {},
): Promise<ImportResult> {
  const job = importTranscripts(
    {
      db,
      estimator: createTokenEstimator(),
      clock: () => nowMs,
      paths,
      format,
      window,
      goesOn,
      files: files ?? null,
      ...(resumeOf ? { resumeOf } : {}),
      ...(sessions ? { sessions } : {}),
    },
    signal,
  )
  for (;;) {
    const step = await job.next()
    if (step.done) return step.value
    onProgress?.(step.value)
  }
}

/** Imports one file and returns its result. */
export async function importOne(db: WriteDb, path: string): Promise<ImportedFile> {
  const [file] = (await runImport(db, [path])).files
  if (!file) throw new Error(`nothing imported from ${path}`)
  return file
}
