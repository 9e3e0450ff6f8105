import type { Clock } from '#core/clock.ts'
import type { ImportWindow } from '#core/contract/import.ts'
import { LcmError } from '#core/errors.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import { indexPending } from '#core/sqlite/pending-index.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { TIME_OF_IMPORT } from '#core/systems/records/parts.ts'
import type { ConversationStore } from '../conversation-store.ts'
import type { LargeTexts } from '../large-texts.ts'
import type { NewMessage } from '../new-message.ts'
import { isFileError } from './files-beside.ts'
import type { TranscriptChunk, TranscriptRecord } from './format.ts'
import type { Recognised } from './formats.ts'
import { type ImportGroup, type ReadTranscript, WaitingRecords } from './import-group.ts'
import type { ResumeOf } from './import-report.ts'
import { withDetails } from './message-details.ts'
import type { TranscriptFile } from './transcript-files.ts'
import { TranscriptWriter } from './transcript-writer.ts'

/** The progress of a file: the bytes whose messages are stored. */
export type ImportStep = { readonly doing: TranscriptChunk['doing']; readonly bytes: number }

type Memory = {
  readonly db: WriteDb
  readonly store: ConversationStore
  readonly estimator: TokenEstimator
  readonly clock: Clock
  readonly window: ImportWindow
  readonly largeTexts: LargeTexts | null
  readonly group: ImportGroup
  readonly resumeOf?: ResumeOf
  /** The sessions that are read of a database, if not all. Nothing need have been said in them yet. */
  readonly sessions?: readonly string[]
}

/**
 * Reads one transcript, and stores its records on the way in transactions of about `BULK_BATCH`. Then it can be stopped
 * after every step, because what was stored stays valid. The last records, which are all of a short transcript, are
 * returned to be stored with those of others.
 */
export async function* importFile(
  { db, store, estimator, clock, window, largeTexts, group, resumeOf, sessions }: Memory,
  { path, bytes }: TranscriptFile,
  { format, head }: Recognised,
): AsyncGenerator<ImportStep, Pick<ReadTranscript, 'importer' | 'waiting' | 'store' | 'result'>> {
  const importer = format.id
  const writer = new TranscriptWriter({
    db,
    store,
    estimator,
    clock,
    path,
    format: importer,
    tried: format.tried,
    window,
    largeTexts,
    ...(resumeOf ? { resumeOf } : {}),
  })
  const nowMs = clock()
  const stored = group.stored(importer, writer.stored)
  const source = { path, bytes, head, nowMs, limitBytes: Number.POSITIVE_INFINITY, ...stored }
  const chunks = format.read(source)
  let waiting = new WaitingRecords()
  let failure: string | null = null
  const storeWaiting = (): void => {
    group.store()
    const { records, messages } = waiting
    waiting = new WaitingRecords()
    if (records.length > 0) store.together(messages, () => writer.takeAll(records))
  }
  try {
    for (;;) {
      const step = await nextChunk(chunks, head.path)
      if ('failure' in step) failure = step.failure
      if (!('chunk' in step)) break
      const { doing, bytesRead, records } = step.chunk
      for (const read of records) {
        let record = markImportTime(read, nowMs)
        if (writer.largeTexts?.mayBeIn(record)) {
          // How its texts become files depends on what is stored.
          storeWaiting()
          const moving = writer.largeTexts.moving(record)
          for (;;) {
            const moved = await moving.next()
            if (moved.done) {
              record = moved.value
              break
            }
            yield { doing, bytes: bytesRead }
          }
        }
        if (waiting.add(record)) continue
        storeWaiting()
        yield { doing, bytes: bytesRead }
        if (waiting.add(record)) continue
        // It is longer than one transaction should index.
        writer.takeAll([record])
        for await (const _ of indexPending(db)) yield { doing, bytes: bytesRead }
      }
      yield { doing, bytes: doing === 'looking' ? 0 : bytesRead }
    }
  } finally {
    // This closes the file when the import is stopped in the middle.
    await chunks.return(undefined)
  }
  return {
    importer,
    waiting,
    store: () => {
      writer.takeAll(waiting.records)
      writer.finish()
    },
    result: () => {
      const isEmpty = sessions === undefined && writer.report.isEmpty
      return writer.result(failure ?? (isEmpty ? `holds nothing that ${format.label} writes` : null))
    },
  }
}

type NextChunk = { readonly chunk: TranscriptChunk } | { readonly failure: string } | { readonly isEnd: true }

/** Limits any failure of a reader to its own file. What it emitted before stays. */
async function nextChunk(chunks: AsyncGenerator<TranscriptChunk>, path: string): Promise<NextChunk> {
  try {
    const step = await chunks.next()
    return step.done ? { isEnd: true } : { chunk: step.value }
  } catch (error) {
    if (error instanceof LcmError) throw error
    return { failure: whyUnreadable(error, path) }
  }
}

/** Says why the transcript at `path` could not be read to its end. */
export function whyUnreadable(error: unknown, path: string): string {
  if (isFileError(error)) {
    const other = error.path === undefined || error.path === path ? '' : `, because ${error.path} cannot`
    return `cannot be read${other} (${error.code})`
  }
  if (error instanceof RangeError) return 'cannot be read: it is nested too deeply'
  return 'cannot be read: it has a shape that nobody knows'
}

/**
 * Marks messages whose transcript gives no time for them or for anything before them. They are stored with the moment
 * of the import, and the mark keeps that moment out of summaries, where it would be read as the time at which something
 * was said.
 */
function markImportTime(record: TranscriptRecord, nowMs: number): TranscriptRecord {
  if (record.kind === 'message') {
    const message = marked(record.message, nowMs)
    return message === record.message ? record : { ...record, message }
  }
  if (record.kind !== 'answer' || record.createdAtMs !== nowMs || record.blocks.length === 0) return record
  return { ...record, details: { [TIME_OF_IMPORT]: true, ...record.details } }
}

function marked(message: NewMessage, nowMs: number): NewMessage {
  if (message.createdAtMs !== nowMs || message.parts.length === 0) return message
  return { ...message, parts: withDetails(message.parts, { [TIME_OF_IMPORT]: true }) }
}
