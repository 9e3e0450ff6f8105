import type { ParsedText, TranscriptHead } from './head.ts'
import { parseExactly } from './json-objects.ts'
import type { LineChunk } from './line-reader.ts'
import { transcriptLines } from './transcript-lines.ts'

/** Files up to this size are read and parsed once, and their records are kept from the first reading to the second. */
const KEPT_BYTES = 4 * 1024 * 1024

type Parse = (text: string) => unknown

type Lines = Pick<LineChunk, 'lines' | 'bytesRead'>

/** One reading of a transcript: its lines, and what parses one. */
export type Pass = { readonly lines: () => AsyncIterable<Lines> | Iterable<Lines>; readonly parse: Parse }

/**
 * Gives both readings of a file. The first keeps its lines and their values for the second, and takes over the values of
 * the lines that were parsed when the file was recognised. Returns undefined for a file that is too large.
 */
export function parsedOnce(
  bytes: number,
  head: TranscriptHead,
): Readonly<Record<'looking' | 'storing', Pass>> | undefined {
  if (bytes > KEPT_BYTES) return undefined
  const chunks: Lines[] = []
  const values: ParsedText[] = []
  const begun = memory(head.lines ?? [])
  const again = memory(values)
  return {
    looking: {
      lines: async function* () {
        for await (const chunk of transcriptLines(head)) {
          chunks.push(chunk)
          yield chunk
        }
      },
      parse: (text) => {
        const value = begun(text)
        values.push({ text, value })
        return value
      },
    },
    storing: {
      lines: () => (chunks.length > 0 ? chunks : transcriptLines(head)),
      parse: (text) => (chunks.length > 0 ? again(text) : begun(text)),
    },
  }
}

/** Returns the values of texts that come again in their order, and parses others. */
function memory(known: readonly ParsedText[]): Parse {
  let next = 0
  return (text) => {
    const one = known[next]
    if (one?.text !== text) return parseExactly(text)
    next += 1
    return one.value
  }
}
