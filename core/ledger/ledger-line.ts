import { canonicalJson } from '../canonical-json.ts'
import { parsedJson } from '../parsed-json.ts'

/** The fields of a ledger event. Keys and kinds are those of decapod's ledger, so that its tools can read ours. */
export type LedgerEvent = {
  readonly actor: string
  readonly content: string
  readonly content_hash: string
  readonly event_id: string
  readonly kind: 'event' | 'message' | 'artifact' | 'tool_result'
  readonly metadata: Readonly<Record<string, unknown>>
  /** The time as `<epoch seconds>Z`. */
  readonly ts: string
}

/**
 * Writes an event as one line, with keys sorted at every level and without spaces, so that equal events have equal
 * bytes.
 */
export const toLine = (event: LedgerEvent): string => `${canonicalJson(event)}\n`

const KINDS: ReadonlySet<string> = new Set(['event', 'message', 'artifact', 'tool_result'])

/** Parses a line into an event, or returns what is wrong with it. Unknown kinds are kept as events. */
export function parseLine(text: string): LedgerEvent | string {
  const value = parsedJson(text)
  if (value === undefined) return 'it is no JSON: the write was cut off, or the line was changed'
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is no JSON object'
  const { actor, content, content_hash, event_id, kind, metadata, ts } = value as Record<string, unknown>
  if (typeof content !== 'string') return 'it has no content'
  if (typeof content_hash !== 'string') return 'it has no content_hash'
  if (typeof event_id !== 'string') return 'it has no event_id'
  return {
    actor: typeof actor === 'string' ? actor : 'unknown',
    content,
    content_hash,
    event_id,
    kind: typeof kind === 'string' && KINDS.has(kind) ? (kind as LedgerEvent['kind']) : 'event',
    metadata: typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>) : {},
    ts: typeof ts === 'string' ? ts : '',
  }
}
