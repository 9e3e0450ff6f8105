import { randomBytes } from 'node:crypto'
import { sha256 } from '../hashing.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import type { BoundStatement, SqlValue } from '../sqlite/read-db.ts'
import { tableOf } from '../tables.ts'
import { countMessageTokens } from './message-tokens.ts'
import type { NewMessage, NewPart } from './new-message.ts'

export type MessageRow = {
  readonly role: string
  readonly externalId: string | null
  readonly hash: string
  readonly content: string
  readonly tokens: number
  readonly atMs: number
  readonly parts: readonly NewPart[]
}

/**
 * SHA-256 of the UTF-8 text as hex. The text must be well-formed: a lone surrogate has no UTF-8 form, SQLite returns
 * U+FFFD for it, and the hash has to match what will be read.
 */
export const contentHash = (content: string): string => sha256(content)

/** Returns the message as it will be stored and read, with its hash and token count. */
export function toMessageRow(message: NewMessage, estimator: TokenEstimator): MessageRow {
  const content = message.content.toWellFormed()
  return {
    role: message.role,
    externalId: message.externalId,
    hash: contentHash(content),
    content,
    tokens: countMessageTokens(estimator, content, message.parts),
    atMs: Math.round(message.createdAtMs),
    parts: message.parts,
  }
}

/** The texts of a part that its fields say. */
const textColumns = tableOf('message_parts').columns.flatMap(({ name, type }) =>
  type === 'text' && !['part_id', 'session_id', 'part_type'].includes(name) ? name : [],
)

/** A field has the name of its column, but for the text of the part. */
const columnOf: ReadonlyMap<string, string> = new Map(
  textColumns.map((column) => [
    column === 'text_content' ? 'text' : column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    column,
  ]),
)

/** Flags of a part, which are 0 by default. */
export const flagColumns = ['is_content', 'is_ignored', 'is_synthetic'] as const

/** Columns of a part that are NULL by default. `part_type` is always filled. */
export const valueColumns = [
  'part_type',
  ...textColumns,
  ...['step_tokens_in', 'step_tokens_out', 'step_cost', 'compaction_auto'],
]

/** The values of a row of message_parts, except its id and its ordinal. */
export type PartRow = {
  readonly columns: readonly string[]
  readonly values: readonly SqlValue[]
  /** The statement that inserts the part, with its long texts already bound. */
  readonly bound?: BoundStatement
}

/**
 * Returns the columns of a part that are not NULL, with their values. A text that equals the content is not stored
 * again.
 */
export function toPartRow(part: NewPart, content: string): PartRow {
  const columns = ['part_type']
  const values: SqlValue[] = [part.type]
  const give = (column: string, value: SqlValue): void => {
    columns.push(column)
    values.push(value)
  }
  // Most parts have two or three of the twenty texts, so those are gone through and not the columns.
  for (const field of Object.keys(part) as (keyof NewPart)[]) {
    const column = columnOf.get(field)
    const value = part[field]
    if (column === undefined || typeof value !== 'string') continue
    const text = value.toWellFormed()
    const isContent = text === content && (part.type === 'text' ? field === 'text' : field === 'toolOutput')
    if (isContent && (part.type === 'text' || part.type === 'tool')) give('is_content', 1)
    else give(column, text)
  }
  if (part.isIgnored) give('is_ignored', 1)
  if (part.isSynthetic) give('is_synthetic', 1)
  if (part.stepTokensIn != null) give('step_tokens_in', part.stepTokensIn)
  if (part.stepTokensOut != null) give('step_tokens_out', part.stepTokensOut)
  if (part.stepCost != null) give('step_cost', part.stepCost)
  if (part.compactionAuto != null) give('compaction_auto', Number(part.compactionAuto))
  return { columns, values }
}

/**
 * Returns the beginning of the part ids of a message; `_<ordinal>` follows. A message with an external id gets the same
 * part ids in every file into which it is imported. The time comes first, as in a ULID, so that rows that are written
 * together are near each other in the index of ids.
 */
export function partIdStem(conversationKey: string, message: Pick<MessageRow, 'externalId' | 'atMs'>): string {
  const time = Math.max(0, message.atMs).toString(36).padStart(9, '0')
  const unique =
    message.externalId === null
      ? randomBytes(8).toString('hex')
      : sha256(`${conversationKey}\n${message.externalId}`).slice(0, 16)
  return `prt_${time}${unique}`
}
