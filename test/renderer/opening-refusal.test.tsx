import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it, vi } from 'vitest'
import type { ListedConversation } from '#core/contract/memory.ts'
import { api, type Client } from '#renderer/api.ts'
import { ConversationDetail } from '#renderer/features/detail/conversation-detail.tsx'

vi.mock('#renderer/api.ts', () => {
  const client = {
    memory: { info: async () => undefined },
    conversations: { family: async () => undefined },
    transcript: { page: async () => undefined },
  } as unknown as Client
  return { api: createTanstackQueryUtils(client), client }
})
vi.mock('#renderer/host.ts', () => ({ host: {} }))
vi.mock('#renderer/ui/data/use-conversations.ts', () => ({ useConversation: () => ({}), useConversations: () => ({}) }))
// The copy of the conversation that spawned the shown one has changes.
vi.mock('#renderer/ui/states/use-opening.ts', () => {
  const row = { tenant: 'acme', conversationId: 3, label: '', messages: 0 }
  const error = { code: 'conflict', message: 'Pull it with --as-stored.', retryable: false }
  return { useOpening: () => ({ row, error }) }
})

it('offers both ways on where the copy of the conversation that spawned this one has changes', () => {
  const queries = new QueryClient()
  const pulledFrom = { address: 'postgres://db', tenant: 'acme', conversationId: 7, parentId: 3 }
  queries.setQueryData(api.memory.info.queryKey(), { pulledFrom } as never)
  const conversation = { conversationId: 7, sessionId: 's', maxDepth: -1, leftOutItems: null } as ListedConversation
  const shown = renderToStaticMarkup(
    <QueryClientProvider client={queries}>
      <ConversationDetail conversation={conversation} />
    </QueryClientProvider>,
  )
  expect(shown).toContain('Its copy here has changes that were not pushed.')
  expect(shown).toContain('Open it with its changes')
  expect(shown).toContain('Open it as it is stored')
  // Advice for the command line is of no use here.
  expect(shown).not.toContain('--as-stored')
})
