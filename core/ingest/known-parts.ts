import { isDeepStrictEqual } from 'node:util'
import type { ReadDb, SqlValue } from '../sqlite/read-db.ts'
import { partMetadata, partText } from '../sqlite/repeated-texts.ts'
import { flagColumns, type MessageRow, type PartRow, toPartRow, valueColumns } from './ingest-rows.ts'
import type { NewPart } from './new-message.ts'

/** Only a working copy fills the last two, which say that a text stands elsewhere. */
const columns = [...flagColumns, ...valueColumns, 'text_is_content', 'metadata_has_text']
const indexOf: ReadonlyMap<string, number> = new Map(columns.map((column, index) => [column, index]))

// They are asked of one message after another. See `message-appender.ts` for the CAST.
const queries = {
  rows: /* sql */ `
    SELECT ${columns.join(', ')}
    FROM message_parts
    WHERE message_id = CAST(:messageId AS INTEGER) AND is_synthetic = 0
    ORDER BY ordinal`,
  // The cost of a step changes while the step is running and is no text of the message. Synthetic parts were added by
  // this program. Both are left out.
  ofMessage: /* sql */ `
    SELECT ordinal, part_type AS type, ${partText('p')} AS text, is_content AS isContent, is_ignored AS isIgnored,
      tool_name AS toolName, tool_input AS toolInput, tool_output AS toolOutput, tool_error AS toolError,
      tool_status AS toolStatus, file_name AS fileName, file_url AS fileUrl, subtask_prompt AS subtaskPrompt,
      ${partMetadata('p')} AS metadata
    FROM message_parts AS p
    WHERE message_id = CAST(:messageId AS INTEGER) AND is_synthetic = 0 AND part_type <> 'step_finish'
    ORDER BY ordinal`,
}

/** A stored part, in which a text that equals the content of its message is filled in. */
export type StoredPart = {
  readonly ordinal: number
  readonly type: string
  /** 1 when the agent does not send it to the model. */
  readonly isIgnored: number
  readonly text: string | null
  readonly toolName: string | null
  readonly toolInput: string | null
  readonly toolOutput: string | null
  readonly toolError: string | null
  readonly toolStatus: string | null
  readonly fileName: string | null
  readonly fileUrl: string | null
  readonly subtaskPrompt: string | null
  readonly metadata: string | null
}

/**
 * Returns the parts of a message in order, without synthetic parts and ends of steps. `content` is that of the message.
 */
export function storedParts(db: ReadDb, messageId: number, content: string): StoredPart[] {
  type Row = StoredPart & { readonly isContent: number | null }
  return db.all<Row>(queries.ofMessage, { messageId }).map(({ isContent, ...part }) => {
    if (!isContent) return part
    return part.type === 'text' ? { ...part, text: content } : { ...part, toolOutput: content }
  })
}

/**
 * Says whether the parts of a message are stored exactly as they would be stored now, with details and costs. It is
 * asked of every message of a transcript that is imported again, so it reads rows as arrays.
 */
export function areStoredAs(db: ReadDb, messageId: number, { parts, content }: MessageRow): boolean {
  const stored = db.rows<SqlValue[]>(queries.rows, { messageId })
  return (
    stored.length === parts.length && parts.every((part, at) => isStoredAs(stored[at] ?? [], toPartRow(part, content)))
  )
}

function isStoredAs(stored: readonly SqlValue[], given: PartRow): boolean {
  let filled = 0
  for (const [index, value] of stored.entries()) if (value !== (index < flagColumns.length ? 0 : null)) filled += 1
  // A new part gives no column its default, so equal numbers of columns mean that nothing else is stored.
  return (
    filled === given.columns.length &&
    given.columns.every((column, at) => stored[indexOf.get(column) ?? -1] === given.values[at])
  )
}

/** Whether a part is stored as it came, because its reader did not know its type. */
export const isOpaque = (part: Pick<NewPart, 'type' | 'text'> | StoredPart): boolean =>
  part.type === 'text' && (part.text ?? null) === null

/**
 * Whether parts that come again equal the stored ones: the same texts, reasoning and calls in the same order. Details,
 * states, prices and ids may change while a session continues, and a newer reader may fill in what was unknown; neither
 * counts as a difference.
 */
export function saySame(stored: readonly StoredPart[], given: readonly NewPart[]): boolean {
  const told = stored.filter(isTold)
  const again = given.filter((part) => part.isSynthetic !== true && isTold(part))
  if (!stored.some(isOpaque)) return told.length === again.length && told.every((part, at) => isSame(part, again[at]))
  let from = 0
  return told.every((part) => {
    const at = again.findIndex((candidate, index) => index >= from && isSame(part, candidate))
    from = at + 1
    return at !== -1
  })
}

type PartContent = Pick<NewPart, 'text' | 'toolName' | 'toolInput' | 'toolOutput' | 'toolError'> & {
  readonly type: string
}

const isTold = ({ type, text }: PartContent): boolean =>
  type === 'tool' || (type === 'text' && (text ?? null) !== null) || (type === 'reasoning' && Boolean(text))

export function isSame(stored: PartContent, given: PartContent | undefined): boolean {
  if (given?.type !== stored.type) return false
  const { text, toolOutput, toolError } = given
  return (
    isSameText(stored.text, text) &&
    isSameText(stored.toolOutput, toolOutput) &&
    isSameText(stored.toolError, toolError) &&
    isSameCall(stored, given)
  )
}

/** A call names its tool. The name beside an answer was found by the reader, so it does not count. */
export const isSameCall = (stored: PartContent, given: PartContent): boolean =>
  isSameInput(stored.toolInput, given.toolInput) &&
  (stored.toolInput == null || given.toolName == null || isSameText(stored.toolName, given.toolName))

/** A text that was unknown before may be filled in. */
export const isSameText = (stored: string | null | undefined, given: string | null | undefined): boolean =>
  stored == null || stored === given || stored === given?.toWellFormed()

function isSameInput(stored: string | null | undefined, given: string | null | undefined): boolean {
  if (isSameText(stored, given)) return true
  if (stored == null || given == null) return false
  try {
    return isDeepStrictEqual(JSON.parse(stored), JSON.parse(given.toWellFormed()))
  } catch {
    return false
  }
}
