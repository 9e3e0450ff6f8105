import type { Clock } from '../clock.ts'
import type { TokenEstimator } from '../context/token-estimator.ts'
import type { ImportedFile, ImportWindow } from '../contract/import.ts'
import type { WriteDb } from '../db/read-db.ts'
import type { TranscriptChunk } from './format.ts'
import type { Recognised } from './formats.ts'
import type { TranscriptFile } from './transcript-files.ts'
import { TranscriptWriter } from './transcript-writer.ts'

/** How far a file is: bytes whose messages are stored. */
export type ImportStep = { readonly doing: TranscriptChunk['doing']; readonly bytes: number }

type Memory = {
  readonly db: WriteDb
  readonly estimator: TokenEstimator
  readonly clock: Clock
  readonly window: ImportWindow
}

/** Takes one transcript into a memory. Every step is a good moment to stop: what was stored stays valid. */
export async function* importFile(
  { db, estimator, clock, window }: Memory,
  { path, bytes }: TranscriptFile,
  { format, head }: Recognised,
): AsyncGenerator<ImportStep, ImportedFile> {
  const writer = new TranscriptWriter({
    db,
    estimator,
    clock,
    path,
    format: format.id,
    cutsAnswers: format.cutsAnswers ?? false,
    window,
  })
  const { storedBlocks } = writer
  const chunks = format.read({ path, bytes, head, nowMs: clock(), limitBytes: Number.POSITIVE_INFINITY, storedBlocks })
  try {
    for await (const { doing, bytesRead, records } of chunks) {
      for (const record of records) if (writer.take(record)) yield { doing, bytes: bytesRead }
      yield { doing, bytes: doing === 'looking' ? 0 : bytesRead }
    }
    writer.finish()
  } catch (error) {
    if (!isFileError(error)) throw error
    return writer.report.result(`cannot be read (${error.code})`)
  }
  const error = writer.report.isEmpty ? `holds nothing that ${format.label} writes` : null
  return writer.report.result(error)
}

export const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'
