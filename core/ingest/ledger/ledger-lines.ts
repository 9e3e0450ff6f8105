import { closeSync, openSync } from 'node:fs'
import { sha256 } from '../../hashing.ts'
import { linesFrom } from '../../systems/file-lines.ts'
import { type LedgerEvent, parseLine } from './ledger-line.ts'

/** A line of a ledger, as far as it could be read. */
export type LedgerLine = {
  /** 1-based. */
  readonly line: number
  /** Where it begins in the file. */
  readonly start: number
  /** False where the line is no event in JSON. */
  readonly isEvent: boolean
  readonly eventId: string
  readonly time: string
  readonly hash: string
  readonly kind: LedgerEvent['kind']
  /** Whether the hash is that of the content. */
  readonly isTrue: boolean
}

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
    let line = 0
    for (const { bytes, span } of linesFrom(handle, 0)) {
      line += 1
      const text = bytes === null ? null : bytes.toString('utf8')
      if (text?.trim() !== '') yield parse(text, line, span.start)
    }
  } finally {
    closeSync(handle)
  }
}

/** `text`: null for a line that is too long to be read. */
function parse(text: string | null, line: number, start: number): LedgerLine {
  const event = parseLine(text ?? '')
  if (typeof event === 'string') {
    return { line, start, isEvent: false, eventId: '', time: '', hash: '', kind: 'event', isTrue: false }
  }
  const { event_id: eventId, ts: time, content_hash: hash, kind } = event
  return { line, start, isEvent: true, eventId, time, hash, kind, isTrue: sha256(event.content) === hash }
}
