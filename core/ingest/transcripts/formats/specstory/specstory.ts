import type { TranscriptChunk, TranscriptFormat, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { readTextLines } from '#core/ingest/transcripts/read-text.ts'
import { Fences } from './fences.ts'
import { SpecStoryReader } from './reader.ts'
import { isGenerated, sessionLine, turnOf } from './turn.ts'

/** Sessions of several agents that SpecStory has exported as Markdown. https://github.com/specstoryai/getspecstory */
export const specStory: TranscriptFormat = { id: 'specstory', label: 'SpecStory', detect, read }

function detect(head: TranscriptHead): number {
  if (head.areJsonLines) return 0
  const { text } = head
  const lines = text.split(/\r?\n/)
  const isMarked = lines.slice(0, 20).some((line) => isGenerated(line) || sessionLine(line) !== null)
  const turns = lines.flatMap((line) => turnOf(line) ?? [])
  if (isMarked) return 1
  return turns.some(({ role }) => role === 'user') && turns.some(({ role }) => role === 'assistant') ? 0.8 : 0
}

/** Matches a line without an end that may become a turn, a tag, a fence or a rule. */
const isHalfMark = (text: string): boolean =>
  /^(?:_|_\*|_\*\*.*|-{1,2}|<(?:!.*|[a-z/-]*)|<(?:think|tool-use)[ >].*| {0,3}`+[^`]*)$/.test(text) &&
  turnOf(text) === null

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const reader = new SpecStoryReader(source)
  const fences = new Fences()
  yield* readTextLines(
    source,
    (text, number, out) => {
      for (const line of fences.take(text, number)) reader.take(line, out)
    },
    isHalfMark,
  )
  const records = fences.end().flatMap((line) => {
    const out: Parameters<SpecStoryReader['take']>[1] = []
    reader.take(line, out)
    return out
  })
  yield { doing: 'storing', bytesRead: source.bytes, records: [...records, ...reader.end()] }
}
