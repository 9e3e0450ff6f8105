import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it, vi } from 'vitest'
import type { ExpandCitation, ExpandQueryResult } from '#core/contract/expand-query.ts'
import { AskAnswer } from '#renderer/features/search/ask-answer.tsx'

const SHOWN = 1
const KNOWN = 4

vi.mock('#renderer/api.ts', () => ({ api: {}, client: {} }))
vi.mock('#renderer/routes.ts', () => ({ navigate: () => undefined, useRoutePart: () => SHOWN }))
vi.mock('#renderer/ui/nodes/message-name.tsx', () => ({ MessageName: ({ id }: { readonly id: string }) => id }))
vi.mock('#renderer/ui/data/use-conversations.ts', () => ({
  useConversation: (id: number) =>
    id === KNOWN ? { data: { conversationId: id, title: 'Nightly reconciliation', sessionId: 's' } } : {},
}))

const citation = (conversationId: number): ExpandCitation => ({
  ...{ id: `msg_${conversationId}`, kind: 'message', conversationId, seq: 0, role: 'user', createdAtMs: null },
  ...{ field: 'content', part: null, start: 0, end: 5, excerpt: 'Quay 12', matches: [] },
})

const result = (citations: ExpandCitation[]): ExpandQueryResult => ({
  ...{ answer: '', citations, droppedIds: [], tokensUsed: 9, provider: null, model: null, fallback: null },
  ...{ candidates: [], truncated: false, notes: [], tookMs: 1 },
  grant: {
    id: 'g',
    rootIds: [],
    readIds: [],
    refusals: 0,
    tokenCap: 100,
    calls: 1,
  } as unknown as ExpandQueryResult['grant'],
})

const shown = (...conversations: number[]): string =>
  renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <AskAnswer result={result(conversations.map(citation))} />
    </QueryClientProvider>,
  )

it('names the conversation of a passage only where it is another one than that on screen', () => {
  expect(shown(SHOWN, KNOWN)).toContain('in <bdi>Nightly reconciliation</bdi>')
  expect(shown(SHOWN)).not.toContain('in <bdi>')
  // Until its name is there.
  expect(shown(SHOWN, 9)).toContain('in another conversation')
})
