import { MapEvent } from '../contract/map.ts'
import { readLines } from '../ingest/transcripts/line-reader.ts'
import { regularFileBytes } from './regular-file.ts'

/** The events of a file that are read, from the oldest to the newest. */
export type MapEvents = {
  readonly events: readonly MapEvent[]
  /** Lines that are no events. */
  readonly unreadable: number
  /** True when the file is larger than what is read of it, which is its end. */
  readonly isCut: boolean
}

/** An event takes about 500 bytes, so that this is the newest 8,000. */
const MOST_BYTES = 4 * 1024 * 1024
const LONGEST_LINE_BYTES = 1024 * 1024

/**
 * Reads the newest events of a file. A missing file has none.
 * @throws LcmError file_not_readable
 */
export async function readMapEvents(path: string): Promise<MapEvents> {
  const bytes = regularFileBytes(path)
  const from = Math.max(0, (bytes ?? 0) - MOST_BYTES)
  const events: MapEvent[] = []
  let unreadable = 0
  if (bytes === null) return { events, unreadable, isCut: false }
  for await (const { lines } of readLines(path, LONGEST_LINE_BYTES, from)) {
    for (const line of lines) {
      // The first line of what is read of a large file begins in its middle.
      if (from > 0 && line.number === 1) continue
      if (line.kind === 'text' && line.text.trim() === '') continue
      const event = line.kind === 'text' ? parseEvent(line.text) : null
      if (event === null) unreadable += 1
      else events.push(event)
    }
  }
  return { events, unreadable, isCut: from > 0 }
}

function parseEvent(text: string): MapEvent | null {
  try {
    return MapEvent.safeParse(JSON.parse(text)).data ?? null
  } catch {
    // It is counted as unreadable.
    return null
  }
}
