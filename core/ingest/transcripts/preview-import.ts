import { stat } from 'node:fs/promises'
import type { Clock } from '#core/clock.ts'
import type { ImportPreview, NewerVersion, PassedOver, PreviewedFile } from '#core/contract/import.ts'
import { LcmError } from '#core/errors.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { isFileError } from './files-beside.ts'
import { NOTHING_STORED, type TranscriptFormat, type TranscriptRecord } from './format.ts'
import type { Recognised } from './formats.ts'
import { whyUnreadable } from './import-file.ts'
import { openTranscript, whyNotOpened } from './open-transcript.ts'
import { findTranscriptFiles, type TranscriptFile, withoutFilesBeside } from './transcript-files.ts'
import { newerVersion } from './tried-versions.ts'

const queries = {
  stored: /* sql */ `
    SELECT c.conversation_id AS conversationId,
      (SELECT count(*) FROM messages AS m WHERE m.conversation_id = c.conversation_id) AS messages
    FROM conversations AS c WHERE c.importer = :importer AND c.session_id = :sessionId`,
}

/** How much is read of each file. A session of an hour is shorter. */
const READ_BYTES = 4 * 1024 * 1024
/** How much is read of a database that is longer: it has all sessions of an agent, and tells their beginnings. */
const READ_STORE_BYTES = 1024 * 1024
const LISTED_FILES = 1000
/**
 * After this time the preview answers with what was found, and counts the other files. It is a limit for the person who
 * waits, and so it is measured by the clock; an import has none.
 */
const PATIENCE_MS = 3000

export type PreviewInput = {
  readonly paths: readonly string[]
  /** The open native memory, to say what is stored already, or null. */
  readonly db: ReadDb | null
  readonly clock: Clock
}

/**
 * Says what an import of these files and folders would add. It reads the beginning of each for at most a few seconds.
 * @throws LcmError file_missing, file_not_readable, transcript_unreadable when nothing that is given can be read
 */
export async function previewImport({ paths, db, clock }: PreviewInput): Promise<ImportPreview> {
  const until = performance.now() + PATIENCE_MS
  const { files: found, refused } = await findTranscriptFiles(paths)
  const files: PreviewedFile[] = refused.map(({ path, reason }) => ({
    ...new FilePreview().result({ path, bytes: 0 }, null),
    error: reason,
  }))
  const unread: PassedOver[] = []
  let lookedAt = 0
  for (const file of found) {
    if (performance.now() > until || files.length >= LISTED_FILES) break
    lookedAt += 1
    const seen = await previewFile(file, db, clock)
    if (seen.format === null && !file.isNamed) unread.push({ path: seen.path, reason: seen.error ?? '' })
    else files.push(seen)
  }
  const passedOver = withoutFilesBeside(unread, files)
  return {
    files,
    passedOver: passedOver.slice(0, LISTED_FILES),
    passedOverCount: passedOver.length,
    notLookedAt: found.length - lookedAt,
    bytes: found.reduce((sum, file) => sum + file.bytes, 0),
  }
}

async function previewFile(file: TranscriptFile, db: ReadDb | null, clock: Clock): Promise<PreviewedFile> {
  const seen = new FilePreview()
  try {
    const modifiedAtMs = Math.round((await stat(file.path)).mtimeMs)
    const recognised = await openTranscript(file, 'auto')
    if (!recognised) return { ...seen.result(file, null), modifiedAtMs, error: whyNotOpened(file.path) }
    try {
      await seen.read(file, recognised, clock())
    } finally {
      recognised.close()
    }
    const result = { ...seen.result(file, recognised), modifiedAtMs }
    const importer = recognised.format.id
    const { sessionId } = result
    const stored =
      sessionId === null ? undefined : db?.get<PreviewedFile['stored']>(queries.stored, { importer, sessionId })
    return { ...result, stored: stored ?? null }
  } catch (error) {
    if (error instanceof LcmError) return { ...seen.result(file, null), error: error.message }
    if (!isFileError(error)) throw error
    return { ...seen.result(file, null), error: whyUnreadable(error, file.file) }
  }
}

/** Adds up the records of one file. */
class FilePreview {
  readonly #sessions = new Set<string>()
  #main: Extract<TranscriptRecord, { kind: 'session' }> | null = null
  #title: string | null = null
  #messages = 0
  #compactions = 0
  #skipped = 0
  #newer: NewerVersion | null = null
  #firstAtMs: number | null = null
  #lastAtMs: number | null = null
  #isToItsEnd = false

  async read({ path, bytes }: TranscriptFile, { format, head }: Recognised, nowMs: number): Promise<void> {
    const limitBytes = format.store && bytes > READ_BYTES ? READ_STORE_BYTES : READ_BYTES
    const source = { path, bytes, head, nowMs, limitBytes, ...NOTHING_STORED }
    for await (const { doing, bytesRead, records } of format.read(source)) {
      this.#isToItsEnd = doing === 'storing' && bytesRead >= bytes && bytes <= READ_BYTES
      for (const record of records) this.#take(record, format)
    }
  }

  result({ path, bytes }: Pick<TranscriptFile, 'path' | 'bytes'>, recognised: Recognised | null): PreviewedFile {
    const isAtLeast = recognised !== null && !this.#isToItsEnd
    return {
      path,
      bytes,
      modifiedAtMs: null,
      format: recognised?.format.id ?? null,
      label: recognised?.format.label ?? null,
      sessionId: this.#main?.sessionId ?? null,
      title: this.#title ?? this.#main?.title ?? null,
      cwd: this.#main?.cwd ?? null,
      conversations: this.#sessions.size,
      messages: this.#messages,
      compactions: this.#compactions,
      skipped: this.#skipped,
      isAtLeast,
      firstAtMs: this.#firstAtMs,
      lastAtMs: isAtLeast ? null : this.#lastAtMs,
      stored: null,
      newer: this.#newer,
      error: recognised !== null && this.#messages === 0 && !isAtLeast ? 'holds no messages' : null,
    }
  }

  #take(record: TranscriptRecord, { tried }: TranscriptFormat): void {
    switch (record.kind) {
      case 'session':
        this.#sessions.add(record.sessionId)
        if (this.#main === null || record.isMain) this.#main = record
        return
      case 'message':
        this.#count(record.message.createdAtMs)
        return
      case 'answer':
        this.#count(record.createdAtMs)
        return
      case 'written_by':
        this.#newer = newerVersion(this.#newer, record.version, tried)
        return
      case 'compaction':
        this.#compactions += 1
        return
      case 'title':
        if (record.sessionId === this.#main?.sessionId) this.#title = record.title
        return
      case 'conflict':
      case 'skipped':
        this.#skipped += 1
        return
      default:
        return
    }
  }

  #count(atMs: number): void {
    this.#messages += 1
    this.#firstAtMs = Math.min(this.#firstAtMs ?? atMs, atMs)
    this.#lastAtMs = Math.max(this.#lastAtMs ?? atMs, atMs)
  }
}
