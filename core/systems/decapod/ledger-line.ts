import { parsedJson } from '#core/parsed-json.ts'
import type { ByteRange } from '../reading/file-lines.ts'

/** One event of the ledger without its text. */
export type LedgerEvent = {
  readonly hash: string
  readonly eventId: string
  readonly ts: string
  readonly kind: string
  readonly actor: string
  readonly sessionId: string | null
  readonly source: string | null
}

/** Around the text in a line as the system writes it: no text can hold either, since quotes in it are escaped. */
const BEFORE_TEXT = Buffer.from('","content":"')
const AFTER_TEXT = Buffer.from('","content_hash":"')

/**
 * Where the text of a line stands, without the quotes around it; null when the line is not written as the system
 * writes it. Looking for its ends is much quicker than parsing it.
 */
function textRange(line: Buffer): ByteRange | null {
  const before = line.indexOf(BEFORE_TEXT)
  const start = before + BEFORE_TEXT.length
  const end = before < 0 ? -1 : line.indexOf(AFTER_TEXT, start - 1)
  return end < start ? null : { start, end }
}

/** The fields of a line. Where it is written as the system writes it the text is left out: "" stands for it. */
function fieldsOf(line: Buffer): Readonly<Record<string, unknown>> | null {
  const text = textRange(line)
  const around = text && `${line.toString('utf8', 0, text.start)}${line.toString('utf8', text.end)}`
  return (around && parsed(around)) || parsed(line.toString('utf8'))
}

/** null for a line that is no event. */
export function eventOf(line: Buffer): LedgerEvent | null {
  const event = fieldsOf(line)
  if (typeof event?.content_hash !== 'string' || typeof event.content !== 'string') return null
  const metadata = typeof event.metadata === 'object' && event.metadata !== null ? (event.metadata as object) : {}
  const own = (object: object, key: string): string | null => {
    const value = Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : null
    return typeof value === 'string' ? value : null
  }
  return {
    hash: event.content_hash.toWellFormed(),
    eventId: own(event, 'event_id') ?? '',
    ts: own(event, 'ts') ?? '',
    kind: own(event, 'kind') ?? '',
    actor: own(event, 'actor') ?? '',
    sessionId: own(metadata, 'session_id'),
    source: own(metadata, 'source'),
  }
}

/** What follows a text in a line of the system: its hash, the event's id, whatever many lines share, its time. */
const HASH_CHARS = 64
const AFTER = /^[0-9a-f]{64}","event_id":"[\w-]*"(,"kind":.*),"ts":"[\w:.+-]*"\}$/
/** Lines that are all different are no gain. */
const MOST_KNOWN = 10_000

/**
 * Reads lines one after another: a line that differs from an earlier one only in its text, hash, id and time is not
 * parsed again.
 * @param factOf a number for what many events share: session, kind, actor, source
 */
export function lineReader(factOf: (event: LedgerEvent) => number): (line: Buffer) => {
  readonly hash: string
  readonly fact: number
} | null {
  const known = new Map<string, number>()
  return (line) => {
    const text = textRange(line)
    const end = text ? text.end + AFTER_TEXT.length : 0
    const after = text && AFTER.exec(line.toString('latin1', end))
    const shared = after?.[1] ?? ''
    const key = text && after ? `${line.toString('latin1', 0, text.start)} ${shared}` : ''
    const fact = known.get(key)
    // A part of the longer text would keep all of it in memory.
    if (fact !== undefined) return { hash: line.toString('latin1', end, end + HASH_CHARS), fact }
    const event = eventOf(line)
    if (!event) return null
    const made = factOf(event)
    // A field that stands twice counts where it stands last.
    const isPlain = after !== null && !/content|event_id|"ts"|\\/.test(shared)
    if (isPlain && known.size < MOST_KNOWN) known.set(key, made)
    return { hash: event.hash, fact: made }
  }
}

/** A text in its quotes; null when it is not well-formed. */
function parsedText(quoted: string): string | null {
  const value = parsedJson(quoted)
  return typeof value === 'string' ? value : null
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  const value = parsedJson(text)
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
}

/** The text of a line; null when it is not the line of this hash, or its text is not well-formed. */
export function textOf(line: Buffer, hash: string): string | null {
  const event = fieldsOf(line)
  if (event?.content_hash !== hash || typeof event.content !== 'string') return null
  const text = event.content === '' ? textRange(line) : null
  return text ? parsedText(line.toString('utf8', text.start - 1, text.end + 1)) : event.content
}
