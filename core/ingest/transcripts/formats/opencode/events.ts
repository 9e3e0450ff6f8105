import type { TranscriptChunk, TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { type RecordOrigin, readJsonLines, typeName } from '#core/ingest/transcripts/read-lines.ts'
import { OpenCodeReader } from './reader.ts'

/** Matches a line of a recorded event stream: `{timestamp, …, event: {type, properties}}`. */
export const isEvent = (record: JsonObject): boolean =>
  isObject(record.event) && isObject(record.event.properties) && textAt(record.event, 'type')?.includes('.') === true

/**
 * Reads recorded events of opencode's server: repeated snapshots of messages and parts, and increments of their text.
 * The last state of each counts. A first reading finds the last event of each message, so that only open messages are
 * held.
 */
export async function* readEvents(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const mentions = new Map<string, number>()
  const removed = new Set<string>()
  yield* readJsonLines(source, 'looking', (record) => {
    const event = objectAt(record, 'event')
    const gone = event.type === 'message.removed' ? textAt(objectAt(event, 'properties'), 'messageID') : null
    if (gone !== null) removed.add(gone)
    const id = messageIdOf(record)
    if (id !== null) mentions.set(id, (mentions.get(id) ?? 0) + 1)
  })
  const stream = new EventStream(source, mentions, removed)
  yield* readJsonLines(source, 'storing', (record, origin, out) => stream.take(record, origin, out))
  yield { doing: 'storing', bytesRead: source.bytes, records: stream.end() }
}

/** Events of the server that tell of no new words. What is said stands in events of messages and of their parts. */
const bookkeeping =
  /^(?:session\.(?:created|updated|deleted|status|idle|error|diff|compacted)|message\.(?:updated|removed|part\.(?:updated|removed|delta))|permission\.(?:asked|updated|replied)|question\.(?:asked|replied|rejected)|file\.(?:edited|watcher\.updated)|todo\.updated|lsp\.(?:updated|client\.diagnostics)|command\.executed|server\.(?:connected|heartbeat|instance\.disposed)|global\.disposed|installation\.(?:updated|update-available)|vcs\.branch\.updated|project\.updated|mcp\.(?:tools\.changed|browser\.open\.failed)|pty\.(?:created|updated|exited|deleted)|worktree\.(?:ready|failed)|tui\.(?:prompt\.append|command\.execute|toast\.show|session\.select)|ide\.installed)$/

type OpenMessage = { info: JsonObject; readonly parts: Map<string, Record<string, unknown>>; left: number }

class EventStream {
  readonly #source: TranscriptSource
  readonly #mentions: ReadonlyMap<string, number>
  readonly #removed: ReadonlySet<string>
  readonly #sessions = new Map<string, JsonObject>()
  readonly #readers = new Map<string, OpenCodeReader>()
  /** Open messages in the order of their beginning. The first one is emitted when it is complete. */
  readonly #open = new Map<string, OpenMessage>()

  constructor(source: TranscriptSource, mentions: ReadonlyMap<string, number>, removed: ReadonlySet<string>) {
    this.#source = source
    this.#mentions = mentions
    this.#removed = removed
  }

  take(record: JsonObject, origin: RecordOrigin, out: TranscriptRecord[]): void {
    if (!isEvent(record)) {
      out.push({ kind: 'skipped', line: origin.line, reason: 'not an event' })
      return
    }
    const event = objectAt(record, 'event')
    const properties = objectAt(event, 'properties')
    const session = objectAt(properties, 'info')
    if (textAt(event, 'type')?.startsWith('session.') && textAt(session, 'id') !== null) {
      this.#sessions.set(textAt(session, 'id') ?? '', session)
    }
    const id = messageIdOf(record)
    if (id === null && !bookkeeping.test(textAt(event, 'type') ?? '')) {
      out.push({ kind: 'skipped', line: origin.line, reason: `unknown type of event: ${typeName(event.type)}` })
      return
    }
    out.push({ kind: 'other' })
    if (id === null) return
    const message = this.#message(id)
    message.left -= 1
    if (event.type === 'message.updated') message.info = session
    else if (event.type === 'message.part.updated') this.#takePart(message, objectAt(properties, 'part'))
    else if (event.type === 'message.part.removed') this.#removePart(message, textAt(properties, 'partID') ?? '')
    else this.#takeDelta(message, properties)
    this.#flush(origin, out, false)
  }

  end(): TranscriptRecord[] {
    const out: TranscriptRecord[] = []
    this.#flush({ line: 1, details: {} }, out, true)
    for (const reader of this.#readers.values()) out.push(...reader.end())
    return out
  }

  #message(id: string): OpenMessage {
    const known = this.#open.get(id)
    if (known) return known
    const message = { info: {}, parts: new Map(), left: this.#mentions.get(id) ?? 0 }
    this.#open.set(id, message)
    return message
  }

  #takePart({ parts }: OpenMessage, part: JsonObject): void {
    const id = textAt(part, 'id')
    if (id !== null) parts.set(id, { ...part })
  }

  /** The part stays in the history as one that the model is not shown. */
  #removePart({ parts }: OpenMessage, id: string): void {
    const part = parts.get(id)
    if (part) part.ignored = true
  }

  #takeDelta({ parts }: OpenMessage, properties: JsonObject): void {
    const field = textAt(properties, 'field')
    const part = parts.get(textAt(properties, 'partID') ?? '')
    if (!part || field === null) return
    const before = typeof part[field] === 'string' ? part[field] : ''
    part[field] = before + (textAt(properties, 'delta') ?? '')
  }

  #flush(origin: RecordOrigin, out: TranscriptRecord[], isEnd: boolean): void {
    for (const [id, { info, parts, left }] of this.#open) {
      if (left > 0 && !isEnd) return
      this.#open.delete(id)
      // Only its parts were recorded, so its role is not known.
      if (textAt(info, 'role') === null) {
        out.push({
          kind: 'skipped',
          line: origin.line,
          reason: `the message ${id.slice(0, 60)} has parts, but no role`,
        })
        continue
      }
      const sessionId = textAt(info, 'sessionID') ?? ''
      this.#reader(sessionId).take({ info, parts: [...parts.values()] }, origin, out)
    }
  }

  #reader(sessionId: string): OpenCodeReader {
    const known = this.#readers.get(sessionId)
    if (known) return known
    const info = this.#sessions.get(sessionId) ?? { id: sessionId || undefined }
    const reader = new OpenCodeReader(this.#source, info, { removed: this.#removed })
    this.#readers.set(sessionId, reader)
    return reader
  }
}

/** Returns the message that an event is about, or null for other events. */
function messageIdOf(record: JsonObject): string | null {
  const event = objectAt(record, 'event')
  const properties = objectAt(event, 'properties')
  switch (event.type) {
    case 'message.updated':
      return textAt(objectAt(properties, 'info'), 'id')
    case 'message.part.updated':
      return textAt(objectAt(properties, 'part'), 'messageID')
    case 'message.part.delta':
    case 'message.part.removed':
      return textAt(properties, 'messageID')
    default:
      return null
  }
}
