import { sha256 } from '../hashing.ts'
import { shownName } from './file-names.ts'

/** What identifies a large text in its conversation. */
export type FileIdentity = {
  /** The importer and the session of the conversation, which are the same in every memory that it is imported into. */
  readonly conversationKey: string
  readonly hash: string
  readonly name: string
  readonly mime: string | null
}

/** The same content under the same name gets the same id, in every import of its conversation. */
export const fileIdOf = ({ conversationKey, hash, name, mime }: FileIdentity): string =>
  `file_${sha256(JSON.stringify([conversationKey, hash, name.toWellFormed(), mime?.toWellFormed() ?? null])).slice(0, 16)}`

type Referenced = {
  readonly id: string
  readonly fileName: string | null
  readonly mimeType: string | null
  readonly bytes: number | null
  readonly explorationSummary: string | null
}

/**
 * What stands in a message in place of a large text. It follows from the stored row, so that it can be recognised. It ends
 * with a line of its own, so that Markdown does not take what follows for a part of the summary.
 */
export function referenceTo({ id, fileName, mimeType, bytes, explorationSummary }: Referenced): string {
  const fields = [
    id,
    shownName(fileName ?? '') || 'unnamed',
    shownName(mimeType ?? '') || 'text/plain',
    `${(bytes ?? 0).toLocaleString('en')} bytes`,
  ]
  const summary = explorationSummary ? `\n\nExploration Summary:\n${explorationSummary}\n` : ''
  return `[LCM File: ${fields.join(' | ')}]${summary}`
}

/** What a text contains that refers to files, at the least. */
export const REFERENCE_BEGINS = '[LCM File: file_'
