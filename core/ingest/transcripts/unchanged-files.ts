import { statSync } from 'node:fs'
import { z } from 'zod'
import { ImportedFile, ImportWindow, TranscriptFormat, TranscriptFormatId } from '#core/contract/import.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { metaValue, parsedValue, storeMetaValue } from '#core/systems/records/meta-values.ts'
import { formatOf } from './formats.ts'
import type { ImportGroup } from './import-group.ts'
import type { TranscriptFile } from './transcript-files.ts'

const queries = {
  stored: /* sql */ `
    SELECT c.title, (SELECT count(*) FROM messages AS m WHERE m.conversation_id = c.conversation_id) AS messages
    FROM conversations AS c
    WHERE c.conversation_id = :conversationId AND c.importer = :importer AND c.session_id = :sessionId`,
}

/**
 * Is raised when a reader reads more than before, or reads it otherwise, so that every file is read again
 * (test/ingest/transcripts/readings.test.ts).
 */
export const READERS = 9

/** A file that was changed so shortly before it was read may change again within the same tick of its clock. */
const SETTLED_MS = 2000

/** What is remembered of a file that was read to its end. */
const KnownFile = z.object({
  readers: z.literal(READERS),
  format: TranscriptFormatId,
  asked: TranscriptFormat,
  window: ImportWindow,
  stamp: z.string(),
  result: ImportedFile,
  /** The number of messages of each conversation after the import. Another file of the same session may add some. */
  messages: z.array(z.int()),
})
type KnownFile = z.infer<typeof KnownFile>

export type ImportSettings = { readonly format: TranscriptFormat; readonly window: ImportWindow }

/**
 * Remembers in the memory which files were read to their end, so that a second import passes over those that nobody
 * touched since. The size of a file, its number, and the times of its last change and of the last change of its
 * attributes tell that. The latter cannot be set by a program, so a change in place is seen whatever time it leaves.
 */
export class UnchangedFiles {
  readonly #db: WriteDb
  readonly #asked: ImportSettings

  constructor(db: WriteDb, asked: ImportSettings) {
    this.#db = db
    this.#asked = asked
  }

  /** Returns the result of importing the file again, or null when it has to be read. */
  resultOf({ path, file }: TranscriptFile, group: ImportGroup): ImportedFile | null {
    const known = path === file ? parsedValue(KnownFile, metaValue(this.#db, keyOf(path))) : null
    if (known === null) return null
    const { format, window } = this.#asked
    if (known.asked !== format || known.window !== window || stampOf(path, known.format) !== known.stamp) return null
    const conversations = known.result.conversations.flatMap((one, at) => {
      group.storeSession(known.format, one.sessionId)
      const stored = this.#stored(known.format, one)
      return stored?.messages === known.messages[at] ? [{ ...one, title: stored?.title ?? null }] : []
    })
    return conversations.length < known.result.conversations.length ? null : { ...known.result, conversations }
  }

  /** The state of a file before it is read. Null when it changed just now, or depends on files that are not watched. */
  stamp({ path, file }: TranscriptFile, format: TranscriptFormatId, nowMs: number): string | null {
    if (path !== file) return null
    const stamp = stampOf(path, format)
    return stamp === null || changedAtMs(path, format) > nowMs - SETTLED_MS ? null : stamp
  }

  /** Notes the result of a file that was read to its end. */
  note({ path }: TranscriptFile, format: TranscriptFormatId, stamp: string | null, result: ImportedFile): void {
    const isWhole = result.error === null && result.conversationCount === result.conversations.length
    if (stamp === null || !isWhole || stampOf(path, format) !== stamp) {
      storeMetaValue(this.#db, keyOf(path), null)
      return
    }
    const messages = result.conversations.map((one) => this.#stored(format, one)?.messages ?? 0)
    const asked = { asked: this.#asked.format, window: this.#asked.window }
    const known: KnownFile = { readers: READERS, format, ...asked, stamp, messages, result: again(result) }
    storeMetaValue(this.#db, keyOf(path), JSON.stringify(known))
  }

  #stored(importer: string, { conversationId, sessionId }: ImportedFile['conversations'][number]) {
    type Stored = { readonly title: string | null; readonly messages: number }
    return this.#db.get<Stored>(queries.stored, { conversationId, importer, sessionId })
  }
}

const keyOf = (path: string): string => `transcript_read:${path}`

/** What the next import of the same file would say. */
const again = (result: ImportedFile): ImportedFile => ({
  ...result,
  added: 0,
  alreadyThere: result.added + result.alreadyThere,
  completed: 0,
  conversations: result.conversations.map((one) => ({
    ...one,
    added: 0,
    alreadyThere: one.added + one.alreadyThere,
  })),
})

/** The files that a reading depends on: the file, the log of a database, and what the format reads beside it. */
function watched(path: string, format: TranscriptFormatId): readonly string[] | null {
  const { besides, store } = formatOf(format)
  const others = besides ? besides(path) : []
  return others && [path, ...(store ? [`${path}-wal`] : []), ...others]
}

function stampOf(path: string, format: TranscriptFormatId): string | null {
  const stats = watched(path, format)?.map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }))
  if (!stats) return null
  return stats.map((stat) => (stat ? [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ') : '-')).join('; ')
}

const changedAtMs = (path: string, format: TranscriptFormatId): number =>
  Math.max(
    ...(watched(path, format) ?? []).map((file) => {
      const stat = statSync(file, { throwIfNoEntry: false })
      return stat ? Math.max(stat.ctimeMs, stat.mtimeMs) : 0
    }),
  )
