import type { TranscriptChunk, TranscriptRecord, TranscriptSource } from './format.ts'
import { transcriptLines } from './transcript-lines.ts'

/** A chunk holds at most this many records. The writer stores them between two chunks. */
const CHUNK_RECORDS = 1000

/**
 * Hands each line of a text transcript, without its end, to `take`, which adds records to `out`. A line that is too
 * long becomes `skipped`, and so does a last line without an end that may become something else.
 * @param isHalfMark says whether such a line may be the beginning of a line with a special meaning
 */
export async function* readTextLines(
  source: TranscriptSource,
  take: (text: string, line: number, out: TranscriptRecord[]) => void,
  isHalfMark: (text: string) => boolean,
): AsyncGenerator<TranscriptChunk> {
  for await (const { lines, bytesRead } of transcriptLines(source.head)) {
    let records: TranscriptRecord[] = []
    for (const line of lines) {
      if (line.kind === 'too_long') {
        records.push({ kind: 'skipped', line: line.number, reason: `the line is too long: ${line.bytes} bytes` })
        continue
      }
      if (!line.isEnded && isHalfMark(line.text)) {
        records.push({ kind: 'skipped', line: line.number, reason: 'the line is cut off' })
        continue
      }
      take(line.text.endsWith('\r') ? line.text.slice(0, -1) : line.text, line.number, records)
      if (records.length < CHUNK_RECORDS) continue
      yield { doing: 'storing', bytesRead, records }
      records = []
    }
    yield { doing: 'storing', bytesRead, records }
    if (bytesRead >= source.limitBytes) return
  }
}

/** Joins lines without the blank ones around them. */
export function textOfLines(lines: readonly string[]): string {
  let from = 0
  let to = lines.length
  while (from < to && lines[from]?.trim() === '') from += 1
  while (to > from && lines[to - 1]?.trim() === '') to -= 1
  return lines.slice(from, to).join('\n').trimEnd()
}
