import type { NewPart } from '#core/ingest/new-message.ts'
import { type BlockPart, fileBlock, unknownBlock } from '#core/ingest/transcripts/content-blocks.ts'
import { countAt, isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { callBlock, finishPart, jsonText, reasoningBlock, textBlock } from '#core/ingest/transcripts/parts.ts'
import { isMasked } from '#core/ingest/transcripts/placeholders.ts'

export const recordTypes: ReadonlySet<string> = new Set(['user', 'gemini', 'info', 'error', 'warning'])

/** Converts parts as the API has them. A text is one part. https://ai.google.dev/api/caching#Part */
export function geminiBlocks(content: unknown): BlockPart[] {
  if (typeof content === 'string') return content === '' ? [] : [textBlock(content)]
  const parts: readonly unknown[] = Array.isArray(content) ? content : content == null ? [] : [content]
  return parts.map(geminiBlock)
}

function geminiBlock(part: unknown): BlockPart {
  if (typeof part === 'string') return textBlock(part)
  if (!isObject(part)) return unknownBlock(part)
  if (typeof part.text === 'string') return part.thought === true ? reasoningBlock(part.text) : textBlock(part.text)
  if (isObject(part.functionCall)) {
    const { functionCall } = part
    return callBlock({
      id: textAt(functionCall, 'id'),
      name: textAt(functionCall, 'name'),
      input: jsonText(functionCall.args),
    })
  }
  if (isObject(part.inlineData)) {
    const { inlineData } = part
    return fileBlock({ kind: 'file', mime: textAt(inlineData, 'mimeType'), base64: textAt(inlineData, 'data') })
  }
  if (isObject(part.fileData)) {
    return fileBlock({ kind: 'file', mime: textAt(part.fileData, 'mimeType'), url: textAt(part.fileData, 'fileUri') })
  }
  return unknownBlock(part)
}

/** Converts what the model said, thought and called in one record. */
export function answerBlocks(record: JsonObject): BlockPart[] {
  const thoughts = listAt(record, 'thoughts').filter(isObject)
  const said = (thought: JsonObject): string =>
    [textAt(thought, 'subject'), textAt(thought, 'description')].filter((text) => text !== null).join('\n')
  return [
    ...thoughts.map((thought) => reasoningBlock(said(thought))),
    ...geminiBlocks(record.content),
    ...callsOf(record).map((call) =>
      callBlock({
        id: textAt(call, 'id'),
        name: textAt(call, 'name'),
        input: jsonText(call.args),
        title: textAt(call, 'displayName'),
      }),
    ),
  ]
}

export const callsOf = (record: JsonObject): JsonObject[] => listAt(record, 'toolCalls').filter(isObject)

/** Context that the program wrote in the name of the user at the beginning of a session. */
export const isSessionContext = (text: string): boolean => /^\s*<session_context>/.test(text)

/** Returns the results in a record of the user that has nothing else. They repeat those of the calls before them. */
export function responsesOf(record: JsonObject): JsonObject[] {
  const parts = record.type === 'user' && Array.isArray(record.content) ? record.content.filter(isObject) : []
  const responses = parts.map(({ functionResponse }) => functionResponse).filter(isObject)
  return responses.length === listAt(record, 'content').length ? responses : []
}

/** Returns what the model was given for a call, or null while there is no result. */
export function callResult(call: JsonObject): { output: string; isError: boolean } | null {
  const { result } = call
  if (result === null || result === undefined) return null
  const parts: readonly unknown[] = Array.isArray(result) ? result : [result]
  const output = parts.map(resultText).join('\n')
  return { output, isError: call.status === 'error' || call.status === 'cancelled' }
}

/** True when some results of a record are masked, so that it says less than the records before it. */
export const hasMasked = (record: JsonObject): boolean =>
  callsOf(record).some((call) => isMasked(callResult(call)?.output ?? ''))

function resultText(part: unknown): string {
  if (typeof part === 'string') return part
  if (!isObject(part)) return JSON.stringify(part) ?? ''
  if (typeof part.text === 'string') return part.text
  const response = objectAt(objectAt(part, 'functionResponse'), 'response')
  for (const key of ['output', 'error', 'content']) if (typeof response[key] === 'string') return response[key]
  return geminiBlock(part).text ?? JSON.stringify(isObject(part.functionResponse) ? response : part)
}

export function answerFinish(record: JsonObject): NewPart | null {
  const tokens = objectAt(record, 'tokens')
  const model = textAt(record, 'model')
  const input = countAt(tokens, 'input')
  if (model === null && input === null) return null
  const [stepTokensOut, cacheRead] = [countAt(tokens, 'output'), countAt(tokens, 'cached')]
  return finishPart({ model, stepTokensIn: input, stepTokensOut, cacheRead })
}
