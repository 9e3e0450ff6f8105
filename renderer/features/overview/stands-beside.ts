import type { ConversationRow } from '../../../core/contract/memory.ts'
import type { Timeline } from '../../../core/contract/time-travel.ts'

type Row = Pick<ConversationRow, 'messages' | 'contextItems' | 'storedTokens' | 'contextTokens'>

/**
 * Whether the summaries of a conversation stand beside its messages and took nobody's place: where no log says otherwise
 * and the window still holds all messages, as by the rule of decapod.
 */
export const standsBeside = (row: Row, timeline: Pick<Timeline, 'isExact' | 'events'>): boolean =>
  !timeline.isExact &&
  timeline.events.length > 0 &&
  row.contextItems === row.messages &&
  row.contextTokens === row.storedTokens
