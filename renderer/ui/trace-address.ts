import type { LostDetail } from '../../core/contract/loss.ts'
import type { RoutePatch } from '../routes.ts'

/** Where a lost detail is followed from its message up to the window. */
export const traceAddress = ({ messageId, text }: LostDetail): RoutePatch => ({
  view: 'search',
  searchKind: 'trace',
  tracedId: messageId,
  query: text,
  selection: messageId,
})
