import type { QueryClient } from '@tanstack/react-query'
import { STRATA_AXES } from '../../core/contract/lists.ts'
import { api } from '../api.ts'
import { parseRoute } from '../routes.ts'
import { firstConversation } from '../ui/conversation-order.ts'
import { readStored } from '../ui/use-stored.ts'
import { viewCode } from './view-code.ts'

/**
 * Asks for what the window on a file will need before its code is there, all at once: the code itself, the list of
 * conversations, and the strata of the one that will be shown. What fails is asked for again by whoever needs it, and
 * said there.
 */
export function prefetchMemory(queries: QueryClient): void {
  const { view, conversationId } = parseRoute(location.hash)
  void queries.prefetchQuery(api.memory.info.queryOptions())
  const list = queries.prefetchQuery(api.conversations.list.queryOptions())
  void queries.prefetchQuery(api.memory.settings.queryOptions())
  void import('./memory-window.tsx').catch(ignore)
  if (view !== 'strata') return
  void viewCode.strata().catch(ignore)
  if (conversationId !== null) prefetchStrata(queries, conversationId)
  else void list.then(() => prefetchStrata(queries, firstOf(queries)))
}

const ignore = (): void => undefined

const firstOf = (queries: QueryClient): number | null =>
  firstConversation(queries.getQueryData(api.conversations.list.queryKey()) ?? [])

function prefetchStrata(queries: QueryClient, conversationId: number | null): void {
  if (conversationId === null) return
  const stored = readStored<string>('strata.axis', 'messages')
  const axis = STRATA_AXES.find((known) => known === stored) ?? 'messages'
  void queries.prefetchQuery(api.strata.get.queryOptions({ input: { conversationId, axis } }))
}
