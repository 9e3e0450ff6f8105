import type { Role } from '../../contract/ids.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import type { Said } from './fingerprint.ts'

const queries = {
  conversation: /* sql */ `
    SELECT session_id AS sessionId, importer, parent_conversation_id AS parentId
    FROM conversations WHERE conversation_id = :conversationId`,
  ids: /* sql */ `
    SELECT message_id FROM messages
    WHERE conversation_id = :conversationId AND message_id NOT IN (SELECT message_id FROM event_messages)
    ORDER BY seq`,
  texts: /* sql */ `
    SELECT m.message_id AS messageId, m.role AS role, m.content AS content, t.reasoning AS reasoning
    FROM messages AS m LEFT JOIN message_text AS t ON t.message_id = m.message_id
    WHERE m.message_id IN (SELECT CAST(value AS INTEGER) FROM json_each(:ids))`,
  tools: /* sql */ `
    SELECT p.message_id AS messageId, p.tool_call_id AS callId, p.tool_name AS name, p.tool_input AS input,
      coalesce(p.tool_output, p.tool_error) AS output, p.is_content AS isContent
    FROM message_parts AS p
    WHERE p.message_id IN (SELECT CAST(value AS INTEGER) FROM json_each(:ids)) AND p.part_type = 'tool'
    ORDER BY p.message_id, p.ordinal`,
}

export type ConversationRow = {
  readonly sessionId: string
  readonly importer: string
  readonly parentId: number | null
}

export type MemoryMessage = { readonly messageId: number; readonly said: Said }

type TextRow = {
  readonly messageId: number
  readonly role: Role
  readonly content: string | null
  readonly reasoning: string | null
}
type ToolRow = {
  readonly messageId: number
  readonly callId: string | null
  readonly name: string | null
  readonly input: string | null
  readonly output: string | null
  readonly isContent: number | null
}

const BATCH = 200

export const conversationOf = (db: ReadDb, conversationId: number): ConversationRow | undefined =>
  db.get<ConversationRow>(queries.conversation, { conversationId })

/** Ids of the messages of a conversation in their order, without rows that record an event. */
export const messageIdsOf = (db: ReadDb, conversationId: number): number[] =>
  db.column<number>(queries.ids, { conversationId })

/** The messages with these ids, in the order of the ids, some hundred at a time. */
export function* readMessages(db: ReadDb, ids: readonly number[]): Generator<MemoryMessage[]> {
  for (let from = 0; from < ids.length; from += BATCH) {
    const batch = ids.slice(from, from + BATCH)
    const params = { ids: JSON.stringify(batch) }
    const rows = new Map(db.all<TextRow>(queries.texts, params).map((row) => [row.messageId, row]))
    const tools = Map.groupBy(db.all<ToolRow>(queries.tools, params), ({ messageId }) => messageId)
    yield batch.flatMap((messageId) => {
      const row = rows.get(messageId)
      return row ? { messageId, said: saidIn(row, tools.get(messageId) ?? []) } : []
    })
  }
}

function saidIn({ role, content, reasoning }: TextRow, tools: readonly ToolRow[]): Said {
  const isAnswer = (tool: ToolRow): boolean => tool.output !== null || tool.isContent === 1 || role === 'tool'
  return {
    role,
    content: content ?? '',
    reasoning: reasoning ?? '',
    output: tools.flatMap(({ output }) => output ?? []).join('\n'),
    calls: tools
      .filter((tool) => tool.input !== null || !isAnswer(tool))
      .map(({ callId, name, input }) => ({ id: callId, name, input })),
    answers: tools.filter(isAnswer).flatMap(({ callId }) => callId ?? []),
  }
}
