import type { TranscriptChunk, TranscriptFormat, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { readTextLines } from '#core/ingest/transcripts/read-text.ts'
import { AiderReader, HEADER, isHalfMark } from './reader.ts'

/** `.aider.chat.history.md`: Markdown to which every session of a folder is appended. https://aider.chat */
export const aider: TranscriptFormat = { id: 'aider', label: 'aider', detect, read }

function detect(head: TranscriptHead): number {
  if (head.areJsonLines) return 0
  const { text } = head
  if (new RegExp(HEADER, 'm').test(text)) return 0.99
  // The beginning of a history may be cut off. Then the notes of aider about itself identify it.
  const isAiders = /^> (?:Aider v\d|Tokens: [\d.,]+k? sent|Added .+ to the chat|Applied edit to )/m.test(text)
  return isAiders && /^#### \S/m.test(text) ? 0.7 : 0
}

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const reader = new AiderReader(source)
  yield* readTextLines(source, (text, line, out) => reader.take(text, line, out), isHalfMark)
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}
