import type { Message, MessagePart } from '#core/contract/message.ts'

/** A message about which only what the test states matters. */
export function messageOf(message: Partial<Message>): Message {
  const content = message.content ?? ''
  return {
    id: 'msg_1',
    conversationId: 1,
    seq: 1,
    position: 0,
    role: 'user',
    content,
    contentChars: content.length,
    isCut: false,
    tokens: 1,
    createdAtMs: 0,
    parts: [],
    coveredBy: [],
    visibility: 'in_window',
    ...message,
  }
}

/** A part about which only what the test states matters. */
export function partOf(part: Partial<MessagePart>): MessagePart {
  return {
    partId: 'part',
    ordinal: 0,
    type: 'text',
    text: null,
    toolCallId: null,
    toolName: null,
    toolStatus: null,
    toolInput: null,
    toolOutput: null,
    toolError: null,
    fileName: null,
    fileMime: null,
    fileUrl: null,
    isSynthetic: false,
    metadata: null,
    ...part,
  }
}
