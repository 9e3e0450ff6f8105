import { type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { blocksWithText, unseenByModel } from './attachment.ts'
import { systemText } from './record.ts'

/** These records say that the window was changed. Other records tell its new content. */
const boundaries: ReadonlySet<string> = new Set(['compact_boundary', 'microcompact_boundary'])

/**
 * Says why a record with text becomes no message: Claude Code shows it to the person and never sends it to the model.
 * Returns null for a record without text. See docs/decisions/0016-what-an-import-keeps.md.
 */
export function whyUnseen(record: JsonObject): string | null {
  if (record.type === 'attachment') {
    const attachment = objectAt(record, 'attachment')
    const type = textAt(attachment, 'type') ?? ''
    return unseenByModel.has(type) && blocksWithText(attachment).length > 0 ? unseen(`a notice (${type})`) : null
  }
  const subtype = textAt(record, 'subtype') ?? 'system'
  if (boundaries.has(subtype) || systemText(record) === null) return null
  return unseen(subtype === 'away_summary' ? 'a recap' : `a notice (${subtype.slice(0, 60)})`)
}

const unseen = (what: string): string => `${what} for the person: the agent does not see it`
