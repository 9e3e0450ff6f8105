import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A line of a ledger, as far as it could be read. */
export type LedgerLine = {
  /** 1-based. */
  readonly line: number
  /** False where the line is no event in JSON. */
  readonly isEvent: boolean
  readonly eventId: string
  readonly time: string
  readonly hash: string
  readonly kind: string
  /** Whether the hash is that of the content. */
  readonly isTrue: boolean
}

const CHUNK_BYTES = 1 << 20
const LINE_FEED = 10

/** Where the system of a memory keeps its ledger: beside the database, under a name of its own. */
export const ledgerPathOf = (path: string): string => join(dirname(path), 'lcm.events.jsonl')

/** Reads a ledger line by line, whatever its size; nothing when there is none. */
export function* readLedgerLines(path: string): Generator<LedgerLine> {
  let handle: number
  try {
    handle = openSync(path, 'r')
  } catch {
    // Not every memory has one.
    return
  }
  try {
    let rest = Buffer.alloc(0)
    let line = 0
    const chunk = Buffer.alloc(CHUNK_BYTES)
    for (let read = readSync(handle, chunk); read > 0; read = readSync(handle, chunk)) {
      let bytes = Buffer.concat([rest, chunk.subarray(0, read)])
      for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED)) {
        line += 1
        yield parse(bytes.subarray(0, end).toString('utf8'), line)
        bytes = bytes.subarray(end + 1)
      }
      rest = Buffer.from(bytes)
    }
    if (rest.length > 0) yield parse(rest.toString('utf8'), line + 1)
  } finally {
    closeSync(handle)
  }
}

function parse(text: string, line: number): LedgerLine {
  const none = { line, isEvent: false, eventId: '', time: '', hash: '', kind: '', isTrue: false }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return none
    const { event_id, ts, content_hash, content, kind } = value as Record<string, unknown>
    if (typeof event_id !== 'string' || typeof content_hash !== 'string' || typeof content !== 'string') return none
    const isTrue = createHash('sha256').update(content).digest('hex') === content_hash
    return {
      line,
      isEvent: true,
      eventId: event_id,
      time: typeof ts === 'string' ? ts : '',
      hash: content_hash,
      kind: typeof kind === 'string' ? kind : '',
      isTrue,
    }
  } catch {
    return none
  }
}

/** Milliseconds of `<epoch seconds>Z` or of ISO 8601; NaN for what is neither. */
export const ledgerTimeMs = (time: string): number =>
  /^\d+(\.\d+)?Z$/.test(time) ? Number.parseFloat(time) * 1000 : Date.parse(time)
