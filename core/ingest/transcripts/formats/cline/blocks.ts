import { isObject, type JsonObject, listAt, textAt } from '#core/ingest/transcripts/json-value.ts'

const INPUT = /^<user_input mode="\w+">([\s\S]*)<\/user_input>$/

/** Returns a message as the model is sent it: the file has marks and blocks of its own. */
export function sentMessage(message: JsonObject): JsonObject {
  const { content } = message
  if (typeof content === 'string') return { ...message, content: sentText(content) }
  return Array.isArray(content) ? { ...message, content: content.map(sentBlock) } : message
}

/** All texts of a message, as the model is sent them. */
export const sentTexts = (message: JsonObject): string =>
  listAt(sentMessage(message), 'content')
    .flatMap((block) => (isObject(block) ? (textAt(block, 'text') ?? []) : []))
    .join('\n\n')

const sentText = (text: string): string => INPUT.exec(text)?.[1] ?? text

function sentBlock(block: unknown): unknown {
  if (!isObject(block)) return block
  if (block.type === 'text') return { ...block, text: sentText(textAt(block, 'text') ?? '') }
  if (block.type === 'image') return picture(block)
  if (block.type === 'file' && typeof block.content === 'string') {
    const text = `<file_content path="${textAt(block, 'path') ?? ''}">\n${block.content}\n</file_content>`
    return { type: 'text', text }
  }
  return block.type === 'tool_result' ? { ...block, content: sentResult(block.content) } : block
}

/** The results of a call are sent as JSON, and their pictures behind it. */
function sentResult(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  const results = content.filter(isObject).filter((one) => textAt(one, 'type') === null)
  if (results.length < content.length) return content.map(sentBlock)
  const told = results.map((one) => {
    if (!Array.isArray(one.result)) return one
    return {
      ...one,
      result: listAt(one, 'result')
        .filter(isText)
        .map(({ text }) => text),
    }
  })
  const pictures = results.flatMap((one) => listAt(one, 'result').filter(isPicture).map(picture))
  return [{ type: 'text', text: JSON.stringify(told) }, ...pictures]
}

const isText = (one: unknown): one is JsonObject => isObject(one) && one.type === 'text'
const isPicture = (one: unknown): one is JsonObject => isObject(one) && one.type === 'image'

const picture = ({ data, mediaType, ...block }: JsonObject): JsonObject =>
  data === undefined ? block : { ...block, source: { type: 'base64', media_type: mediaType, data } }
