import type { Sample } from '../../contract/integrity.ts'
import { messageNumber } from '../../systems/node-id.ts'
import type { MemoryModel } from './memory-model.ts'

const queries = {
  halves: /* sql */ `
    SELECT DISTINCT o.message_id
    FROM message_parts AS p
    JOIN message_parts AS o ON o.tool_call_id = p.tool_call_id AND o.message_id <> p.message_id
    JOIN messages AS m ON m.message_id = o.message_id AND m.conversation_id = :conversationId
    WHERE p.message_id = :messageId AND p.tool_call_id IS NOT NULL`,
}

/** Checks that speak of one half of a tool call in a window without the other. */
export const PAIR_CHECKS: readonly string[] = ['tool_pair_split', 'tool_call_unanswered']

/** Whether in this state of the windows the half that was found alone stands there with its other half, or not at all. */
export function isPaired(model: MemoryModel, { id, conversationId }: Sample): boolean {
  const messageId = messageNumber(id ?? '')
  if (messageId === null || conversationId === null) return false
  const shown = new Set(model.window(conversationId).map((entry) => entry.messageId))
  const halves = model.db.column<number>(queries.halves, { messageId, conversationId })
  return !shown.has(messageId) || halves.some((half) => shown.has(half))
}
