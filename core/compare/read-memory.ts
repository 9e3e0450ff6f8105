import type { ReadDb } from '../sqlite/read-db.ts'
import { type SaidText, saidTexts } from '../systems/reading/texts.ts'
import { type StoredTool, toolParts } from '../systems/records/parts.ts'
import type { ComparedMessage } from './fingerprint.ts'

export type MemoryMessage = { readonly messageId: number; readonly said: ComparedMessage }

const BATCH = 200

/** Returns the messages with these ids in the order of the ids, some hundred at a time. */
export function* readMessages(db: ReadDb, ids: readonly number[]): Generator<MemoryMessage[]> {
  for (let from = 0; from < ids.length; from += BATCH) {
    const batch = ids.slice(from, from + BATCH)
    const texts = new Map(saidTexts(db, batch).map((text) => [text.messageId, text]))
    const tools = Map.groupBy(toolParts(db, batch), ({ messageId }) => messageId)
    yield batch.flatMap((messageId) => {
      const text = texts.get(messageId)
      return text ? { messageId, said: saidIn(text, tools.get(messageId) ?? []) } : []
    })
  }
}

function saidIn({ role, content, reasoning }: SaidText, tools: readonly StoredTool[]): ComparedMessage {
  const outputOf = ({ toolOutput, toolError }: StoredTool): string | null => toolOutput ?? toolError
  const isAnswer = (tool: StoredTool): boolean => outputOf(tool) !== null || tool.isContent === 1 || role === 'tool'
  return {
    role,
    content: content ?? '',
    reasoning: reasoning ?? '',
    output: tools.flatMap((tool) => outputOf(tool) ?? []).join('\n'),
    calls: tools
      .filter((tool) => tool.toolInput !== null || !isAnswer(tool))
      .map(({ callId, toolName, toolInput }) => ({ id: callId, name: toolName, input: toolInput })),
    answers: tools.filter(isAnswer).flatMap(({ callId }) => callId ?? []),
  }
}
