import type { NewPart } from '#core/ingest/new-message.ts'
import { type BlockPart, unknownBlock } from '#core/ingest/transcripts/content-blocks.ts'
import { countAt, isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { fileBlock, plainText, reasoningBlock, textBlock } from '#core/ingest/transcripts/parts.ts'

/** Converts one part of what was said. */
export function kimiBlock(part: unknown): BlockPart {
  if (!isObject(part)) return unknownBlock(part)
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? textBlock(part.text) : unknownBlock(part)
    case 'think':
      return typeof part.think === 'string' ? reasoningBlock(part.think) : unknownBlock(part)
    case 'image_url':
      return mediaBlock('image', objectAt(part, 'imageUrl'))
    case 'audio_url':
      return mediaBlock('audio', objectAt(part, 'audioUrl'))
    case 'video_url':
      return mediaBlock('video', objectAt(part, 'videoUrl'))
    default:
      return unknownBlock(part)
  }
}

/** Pictures are kept in files of the session, which the log names by the hash of their bytes. */
const mediaBlock = (kind: string, file: JsonObject): BlockPart => {
  const url = textAt(file, 'url')
  return fileBlock({ kind, mime: /^blobref:([^;]+)/.exec(url ?? '')?.[1] ?? null, name: textAt(file, 'name'), url })
}

export type KimiResult = {
  readonly output: string
  readonly isError: boolean
  readonly files: readonly BlockPart[]
}

/** Tools of which the model is told how long they took. */
export const timed = /^(?:Agent|AgentSwarm|Bash|FetchURL|Glob|Grep|WebSearch|mcp__.*)$/
const FAILED = '<system>ERROR: Tool execution failed.</system>'
const FAILED_EMPTY = '<system>ERROR: Tool execution failed. Tool output is empty.</system>'
const EMPTY = '<system>Tool output is empty.</system>'

/**
 * Converts the result of a call into what the model is sent. The log has what the tool gave, how long it took and whether
 * it failed; the request says the latter two in words before it, and a note behind it.
 * @param isTimed whether the model is told how long it took
 */
export function kimiResult(result: JsonObject, isTimed: boolean): KimiResult {
  const { output: given } = result
  const isError = result.isError === true
  const blocks = Array.isArray(given) ? given.map(kimiBlock) : []
  const files = blocks.filter(({ part }) => part.type === 'file')
  const labels = files.flatMap(({ text }) => text ?? [])
  // A result of another shape is kept as it stands.
  const told = typeof given === 'string' || Array.isArray(given) ? plainText(given) : JSON.stringify(result)
  const said = [told, ...labels].filter((text) => text !== '').join('\n')
  const duration = result.durationMs
  const note = textAt(result, 'note')
  const lines = [
    ...(isTimed && typeof duration === 'number' ? [`Wall time: ${(duration / 1000).toFixed(3)} seconds`] : []),
    statusAnd(said, isError),
    ...(note === null ? [] : [note]),
  ]
  return { output: lines.join('\n'), isError, files }
}

function statusAnd(said: string, isError: boolean): string {
  if (isError) return said === '' ? FAILED_EMPTY : `${FAILED}\n${said}`
  return said.trim() === '' || said.trim() === 'Tool output is empty.' ? EMPTY : said
}

/** What a request used, or null when nothing is known of it. */
export function kimiFinish(usage: JsonObject, model: string | null): NewPart | null {
  const [other, read, written, output] = ['inputOther', 'inputCacheRead', 'inputCacheCreation', 'output'].map((key) =>
    countAt(usage, key),
  )
  if (other == null) return null
  return {
    type: 'step_finish',
    stepTokensIn: other + (read ?? 0) + (written ?? 0),
    stepTokensOut: output ?? null,
    metadata: JSON.stringify({
      model: model ?? undefined,
      cacheReadTokens: read ?? undefined,
      cacheWriteTokens: written ?? undefined,
    }),
  }
}
