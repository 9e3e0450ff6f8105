import type { HostMessage } from '../contract/host.ts'
import { LcmError } from '../errors.ts'
import type { NewMessage } from '../ingest/new-message.ts'
import { withoutRecalled } from '../ingest/recalled-text.ts'
import { MessagesReader } from '../ingest/transcripts/formats/messages/reader.ts'
import { isReadable } from '../ingest/transcripts/formats/messages/shape.ts'
import { oneLine } from '../ingest/transcripts/one-line.ts'
import { partsOf, withParts } from './host-parts.ts'

const NO_DETAILS = { line: 0, details: {} }

/**
 * Turns messages of an agent into what is stored of them, by the reader of transcripts with such messages. Each is read
 * by itself, so that it comes out the same whatever messages it arrives with.
 * @throws LcmError invalid_argument, naming the message
 */
export function readMessages(messages: readonly HostMessage[], nowMs: number): NewMessage[] {
  return messages.flatMap((given, index) => {
    const { createdAtMs, parts: _parts, ...message } = given
    const parts = partsOf(given, index)
    const content = contentOf(message.content)
    const isPartsAlone = content == null && parts.length > 0 && message.tool_calls === undefined
    const said = { ...message, content: isPartsAlone ? [] : content }
    if (!isReadable(said)) {
      throw new LcmError(
        'invalid_argument',
        `messages[${index}] (${given.id}) has neither a text, nor a list of blocks, nor tool calls, nor parts: give it a content.`,
        { index, id: given.id },
      )
    }
    const reader = new MessagesReader({ nowMs }, '', {})
    const records: Parameters<typeof reader.take>[2] = []
    reader.take(said, NO_DETAILS, records)
    const read = records.flatMap((record) =>
      record.kind === 'message' ? [{ ...record.message, createdAtMs: createdAtMs ?? record.message.createdAtMs }] : [],
    )
    return read.map((one, at) => (at === read.length - 1 ? withParts(one, parts) : one))
  })
}

function contentOf(content: HostMessage['content']): HostMessage['content'] {
  if (typeof content === 'string') return withoutRecalled(content)
  return content?.map((block) =>
    typeof block.text === 'string' ? { ...block, text: withoutRecalled(block.text) } : block,
  )
}

/** The beginning of the first thing that a user says, or null. */
export function titleIn(messages: readonly NewMessage[]): string | null {
  const first = messages.find(({ role, content }) => role === 'user' && content.trim() !== '')
  return first === undefined ? null : oneLine(first.content)
}
