import { createHash, randomBytes } from 'node:crypto'
import type { TokenEstimator } from '../context/token-estimator.ts'
import type { SqlParams } from '../db/read-db.ts'
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
 * SHA-256 of the UTF-8 text, as hex. Give it well-formed text: a lone surrogate has no UTF-8 form, SQLite returns
 * U+FFFD for it, and a hash must speak of what will be read.
 */
export const contentHash = (content: string): string => createHash('sha256').update(content, 'utf8').digest('hex')

/** The message as it will be stored and read back, with its hash and token count. */
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

/** Parameters for one row of message_parts. Text that is the content itself is not stored a second time. */
export function toPartRow(part: NewPart, content: string): SqlParams {
  const textIsContent = part.type === 'text' && wellFormed(part.text) === content
  const outputIsContent = part.type === 'tool' && wellFormed(part.toolOutput) === content
  return {
    part_type: part.type,
    is_content: textIsContent || outputIsContent ? 1 : 0,
    is_synthetic: part.isSynthetic ? 1 : 0,
    tool_call_id: wellFormed(part.toolCallId),
    tool_name: wellFormed(part.toolName),
    tool_status: wellFormed(part.toolStatus),
    tool_title: wellFormed(part.toolTitle),
    file_mime: wellFormed(part.fileMime),
    file_name: wellFormed(part.fileName),
    file_url: wellFormed(part.fileUrl),
    step_reason: wellFormed(part.stepReason),
    step_tokens_in: part.stepTokensIn ?? null,
    step_tokens_out: part.stepTokensOut ?? null,
    compaction_auto: part.compactionAuto == null ? null : Number(part.compactionAuto),
    text_content: textIsContent ? null : wellFormed(part.text),
    tool_input: wellFormed(part.toolInput),
    tool_output: outputIsContent ? null : wellFormed(part.toolOutput),
    tool_error: wellFormed(part.toolError),
    metadata: wellFormed(part.metadata),
  }
}

/**
 * What the part ids of a message begin with; `_<ordinal>` follows. A message that is known from outside gets the same
 * ids in every file that it is imported into. Time comes first, as in a ULID: rows that are written together then lie
 * together in the index of ids.
 */
export function partIdStem(conversationKey: string, message: Pick<MessageRow, 'externalId' | 'atMs'>): string {
  const time = Math.max(0, message.atMs).toString(36).padStart(9, '0')
  const unique =
    message.externalId === null
      ? randomBytes(8).toString('hex')
      : createHash('sha256').update(`${conversationKey}\n${message.externalId}`).digest('hex').slice(0, 16)
  return `prt_${time}${unique}`
}

const wellFormed = (text: string | null | undefined): string | null => text?.toWellFormed() ?? null
