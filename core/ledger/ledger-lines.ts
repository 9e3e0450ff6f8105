import { closeSync, openSync } from 'node:fs'
import { sha256 } from '../hashing.ts'
import { linesFrom } from '../systems/reading/file-lines.ts'
import { previousOf } from './ledger-chain.ts'
import { type LedgerEvent, parseLine } from './ledger-line.ts'

/** A line of a ledger, as far as it could be read. */
export type LedgerLine = {
  /** The number of the line, from 1. */
  readonly line: number
  /** The offset of the line in the file. */
  readonly start: number
  /** False when the line is no event in JSON. */
  readonly isEvent: boolean
  readonly eventId: string
  readonly time: string
  readonly hash: string
  readonly kind: LedgerEvent['kind']
  /** True when the hash is that of the content. */
  readonly isTrue: boolean
  /** The line itself, and the hash of the line before it where it names one. */
  readonly text: string
  readonly previous: string | null | undefined
}

/** Reads a ledger of any size line by line. A missing file has no lines. */
export function* readLedgerLines(path: string): Generator<LedgerLine> {
  let handle: number
  try {
    handle = openSync(path, 'r')
  } catch {
    // Not every memory has a ledger.
    return
  }
  try {
    let line = 0
    for (const { bytes, range } of linesFrom(handle, 0)) {
      line += 1
      const text = bytes === null ? null : bytes.toString('utf8')
      if (text?.trim() !== '') yield parse(text, line, range.start)
    }
  } finally {
    closeSync(handle)
  }
}

/** `text` is null for a line that is too long to be read. */
function parse(text: string | null, line: number, start: number): LedgerLine {
  const event = parseLine(text ?? '')
  const place = { line, start, text: text ?? '' }
  if (typeof event === 'string') {
    const none = { eventId: '', time: '', hash: '', kind: 'event', isTrue: false, previous: undefined } as const
    return { ...place, ...none, isEvent: false }
  }
  const { event_id: eventId, ts: time, content_hash: hash, kind } = event
  const isTrue = sha256(event.content) === hash
  return { ...place, isEvent: true, eventId, time, hash, kind, isTrue, previous: previousOf(event) }
}
