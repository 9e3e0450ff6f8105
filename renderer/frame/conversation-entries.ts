import type { ListedConversation } from '../../core/contract/memory.ts'
import { navigate } from '../routes.ts'
import { arrangeConversations, conversationName } from '../ui/conversation-order.ts'
import { plural } from '../ui/format.ts'
import type { PaletteEntry } from './palette-entries.ts'

/** The conversations for the palette, last changed first. */
export function conversationEntries(rows: readonly ListedConversation[]): readonly PaletteEntry[] {
  return arrangeConversations(rows, '', 'change').map((row) => ({
    key: `conversation ${row.conversationId}`,
    group: 'Conversations',
    label: conversationName(row),
    words: `${row.sessionId} ${row.conversationId}`,
    hint: plural(row.messages, 'message'),
    run: () => navigate({ conversationId: row.conversationId }, 'push'),
  }))
}
