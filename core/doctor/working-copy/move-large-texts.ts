import type { PartType, Role } from '#core/contract/ids.ts'
import type { JobProgress } from '#core/contract/job.ts'
import type { MovedTexts } from '#core/contract/working-copy.ts'
import { LcmError } from '#core/errors.ts'
import type { LargeFileService, NewFile } from '#core/files/large-file-service.ts'
import type { NewMemoryStore } from '#core/files/new-memory-store.ts'
import { mayBeCompleted } from '#core/ingest/completed-messages.ts'
import { toMessageRow } from '#core/ingest/ingest-rows.ts'
import { insertFile, LargeTexts } from '#core/ingest/large-texts.ts'
import type { NewMessage, NewPart } from '#core/ingest/new-message.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import { INDEXES, indexMessages } from '#core/sqlite/ingest-index.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { partText } from '#core/sqlite/repeated-texts.ts'
import { withoutTriggers } from '#core/sqlite/take-triggers.ts'
import { runToEnd } from '#core/yielding.ts'

const queries = {
  // A character has at least as many bytes as UTF-16 units.
  long: /* sql */ `
    SELECT message_id FROM messages AS m
    WHERE length(CAST(m.content AS BLOB)) >= :least
      OR EXISTS (SELECT 1 FROM message_parts AS p WHERE p.message_id = m.message_id
        AND max(coalesce(length(CAST(p.text_content AS BLOB)), 0), coalesce(length(CAST(p.tool_output AS BLOB)), 0),
          coalesce(length(CAST(p.tool_error AS BLOB)), 0)) >= :least)
    ORDER BY message_id`,
  message: /* sql */ `
    SELECT m.conversation_id AS conversationId, m.role, m.content, m.external_id AS externalId,
      m.created_at AS createdAtMs, c.importer || char(10) || c.session_id AS conversationKey
    FROM messages AS m JOIN conversations AS c ON c.conversation_id = m.conversation_id
    WHERE m.message_id = :messageId`,
  parts: /* sql */ `
    SELECT p.part_id AS partId, p.part_type AS type, ${partText('p')} AS text, p.is_content AS isContent,
      p.text_is_content AS textIsContent, p.tool_call_id AS toolCallId, p.tool_name AS toolName,
      p.tool_input AS toolInput, p.tool_output AS toolOutput, p.tool_error AS toolError, p.is_synthetic AS isSynthetic
    FROM message_parts AS p WHERE p.message_id = :messageId ORDER BY p.ordinal`,
  forget: (table: string) => /* sql */ `
    INSERT INTO ${table} (${table}, rowid, content, tool_input, tool_output, reasoning)
    SELECT 'delete', message_id, content, tool_input, tool_output, reasoning
    FROM message_text WHERE message_id = :messageId`,
  changeMessage: /* sql */ `
    UPDATE messages SET content = :content, content_hash = :hash, token_count = :tokens WHERE message_id = :messageId`,
  changePart: /* sql */ `
    UPDATE message_parts
    SET text_content = :text, tool_output = :toolOutput, tool_error = :toolError, is_content = :isContent,
      text_is_content = 0
    WHERE part_id = :partId`,
}

type StoredMessage = {
  readonly conversationId: number
  readonly role: Role
  readonly content: string
  readonly externalId: string | null
  readonly createdAtMs: number
  readonly conversationKey: string
}

type StoredPart = {
  readonly partId: string
  readonly type: PartType
  readonly text: string | null
  readonly isContent: number | null
  readonly textIsContent: number | null
  readonly toolCallId: string | null
  readonly toolName: string | null
  readonly toolInput: string | null
  readonly toolOutput: string | null
  readonly toolError: string | null
  readonly isSynthetic: number | null
}

export type MoveOptions = {
  readonly files: LargeFileService
  readonly store: NewMemoryStore
  readonly estimator: TokenEstimator
}

/** Messages that are changed in one transaction. */
const BATCH_MESSAGES = 20

/**
 * Moves the large texts of a new working copy into files, as an import does. A message from which a summary was made
 * stays as it is, because the hash and the figures of the summary follow from it. Every file is read back and compared.
 * The files get their places when the copy gets its name.
 * @throws LcmError disk_full, file_not_readable, sqlite_failed when a file reads back differently; cancelled
 */
export async function* moveLargeTexts(
  db: WriteDb,
  { files, store, estimator }: MoveOptions,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, MovedTexts> {
  const texts = new LargeTexts(db, files, signal)
  const ids = db.column<number>(queries.long, { least: files.leastUnits })
  const moved = { messages: 0, files: 0, bytes: 0 }
  const known = new Set<string>()
  try {
    for (let from = 0; from < ids.length; from += BATCH_MESSAGES) {
      const changes: Change[] = []
      for (const messageId of ids.slice(from, from + BATCH_MESSAGES)) {
        if (!mayBeCompleted(db, messageId)) continue
        const change = await changeOf(db, messageId, texts)
        if (change) changes.push(change)
      }
      const paths = db.transaction(() => changes.flatMap((change) => applyChange(db, change, estimator)))
      for (const { file, path } of paths) {
        if (known.has(file.id)) continue
        known.add(file.id)
        if (!(await runToEnd(store.holds(path, file, signal)))) {
          throw new LcmError('sqlite_failed', `${path} does not read back as it was written; no copy was made.`, {
            path,
          })
        }
        moved.files += 1
        moved.bytes += file.bytes
      }
      moved.messages += changes.length
      yield { done: from, total: ids.length, unit: 'messages', note: 'large texts' }
    }
  } finally {
    texts.finish()
  }
  return moved
}

type Change = {
  readonly messageId: number
  readonly stored: StoredMessage
  readonly parts: readonly StoredPart[]
  readonly message: NewMessage
}

async function changeOf(db: WriteDb, messageId: number, texts: LargeTexts): Promise<Change | null> {
  const stored = db.get<StoredMessage>(queries.message, { messageId })
  if (!stored) return null
  const { role, content, externalId, createdAtMs, conversationKey } = stored
  const parts = db.all<StoredPart>(queries.parts, { messageId })
  const given: NewMessage = {
    externalId,
    role,
    content,
    createdAtMs,
    parts: parts.map((part) => newPart(part, content)),
  }
  const message = await runToEnd(texts.rewrite(given, { conversationKey, stored: null }))
  return message === given ? null : { messageId, stored, parts, message }
}

/** The part with its text, which its message may hold for it. */
const newPart = (part: StoredPart, content: string): NewPart => ({
  ...{ type: part.type, toolCallId: part.toolCallId, toolName: part.toolName },
  ...{ toolInput: part.toolInput, toolError: part.toolError },
  text: part.isContent && part.type === 'text' ? content : part.text,
  toolOutput: part.isContent && part.type !== 'text' ? content : part.toolOutput,
  isSynthetic: part.isSynthetic === 1,
})

function applyChange(
  db: WriteDb,
  { messageId, stored, parts, message }: Change,
  estimator: TokenEstimator,
): { readonly file: NewFile; readonly path: string }[] {
  const { content, hash, tokens } = toMessageRow(message, estimator)
  const guards = ['messages_immutable', 'message_parts_immutable', '*_index_insert']
  return withoutTriggers(db, guards, () => {
    for (const table of INDEXES) db.run(queries.forget(table), { messageId })
    db.run(queries.changeMessage, { messageId, content, hash, tokens })
    for (const [at, part] of parts.entries()) {
      const { partId, isContent, textIsContent } = part
      const { text = null, toolOutput = null, toolError = null } = message.parts[at] ?? {}
      const before = newPart(part, stored.content)
      const isSame = text === before.text && toolOutput === before.toolOutput && toolError === before.toolError
      const staysContent = isContent === 1 && (part.type === 'text' ? text : toolOutput) === content
      if (isSame && isContent !== 1 && textIsContent !== 1) continue
      db.run(queries.changePart, {
        partId,
        text: staysContent && part.type === 'text' ? null : text,
        toolOutput: staysContent && part.type !== 'text' ? null : toolOutput,
        toolError,
        isContent: staysContent ? 1 : 0,
      })
    }
    indexMessages(db, { after: messageId - 1, last: messageId })
    return (message.files ?? []).map((file) => {
      const path = insertFile(db, stored.conversationId, file, stored.createdAtMs)
      file.sync()
      return { file, path }
    })
  })
}
