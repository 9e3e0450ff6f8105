import type { IngestInput } from '../contract/host.ts'
import type { NewMessage } from '../ingest/new-message.ts'
import type { TranscriptRecord } from '../ingest/transcripts/format.ts'
import { addEntry, isSpoken } from '../ingest/transcripts/formats/pi/entries.ts'
import { PiReader } from '../ingest/transcripts/formats/pi/reader.ts'
import { RecordGraph } from '../ingest/transcripts/record-graph.ts'

const ORIGIN = { line: 0, details: {} }

/**
 * Turns entries of a session of Pi into messages, by the reader of its files, so that a later import finds every message
 * as it would store it. Each entry is read by itself. Which branches were given up, and what was compacted, only the
 * whole session tells: an import says that.
 */
export function readEntries(entries: NonNullable<IngestInput['entries']>, nowMs: number): NewMessage[] {
  return entries.filter(isSpoken).flatMap((entry) => {
    const graph = new RecordGraph()
    addEntry(graph, entry, ORIGIN.line)
    graph.finish()
    const records: TranscriptRecord[] = []
    const reader = new PiReader(graph, { nowMs, hasSummary: () => false }, '', () => null)
    reader.take(entry, ORIGIN, records)
    return records.flatMap((record) => (record.kind === 'message' ? [record.message] : []))
  })
}
