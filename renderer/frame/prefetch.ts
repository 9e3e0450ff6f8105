import type { QueryClient } from '@tanstack/react-query'
import { STRATA_AXES } from '../../core/contract/lists.ts'
import { api } from '../api.ts'
import { currentRoute } from '../routes.ts'
import { conversationPages, firstQuestion, OPENING, oneConversation } from '../ui/use-conversations.ts'
import { viewCode } from './view-code.ts'

/**
 * Asks for what the window on a file will need before its code is there, all at once: the code itself, the list of
 * conversations, and the strata of the one that will be shown. What fails is asked for again by whoever needs it, and
 * said there.
 */
export function prefetchMemory(queries: QueryClient): void {
  const { view, conversationId } = currentRoute()
  void queries.prefetchQuery(api.memory.info.queryOptions())
  const input = conversationId === null ? OPENING : oneConversation(conversationId)
  const shown = queries.fetchQuery(api.conversations.list.queryOptions({ input })).catch(ignore)
  void queries.prefetchInfiniteQuery(conversationPages(firstQuestion()))
  void queries.prefetchQuery(api.memory.settings.queryOptions())
  void import('./memory-window.tsx').catch(ignore)
  if (view !== 'strata') return
  void viewCode.strata().catch(ignore)
  if (conversationId !== null) prefetchStrata(queries, conversationId)
  else void shown.then((page) => prefetchStrata(queries, page?.conversations[0]?.conversationId ?? null))
}

const ignore = (): undefined => undefined

function prefetchStrata(queries: QueryClient, conversationId: number | null): void {
  if (conversationId === null) return
  const addressed = currentRoute().shown['strata.axis']
  const axis = STRATA_AXES.find((known) => known === addressed) ?? 'messages'
  void queries.prefetchQuery(api.strata.get.queryOptions({ input: { conversationId, axis } }))
}
