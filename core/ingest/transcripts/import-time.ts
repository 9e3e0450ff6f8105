import { TIME_OF_IMPORT } from '#core/systems/records/parts.ts'
import type { NewMessage } from '../new-message.ts'
import type { TranscriptRecord } from './format.ts'
import { withDetails } from './message-details.ts'

/**
 * Marks messages whose transcript gives no time for them or for anything before them. They are stored with the moment
 * of the import, and the mark keeps that moment out of summaries, where it would be read as the time at which something
 * was said.
 */
export function markImportTime(record: TranscriptRecord, nowMs: number): TranscriptRecord {
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
