import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, expect, it, vi } from 'vitest'
import { api, type Client } from '#renderer/api.ts'
import { RangeLine } from '#renderer/frame/range-line.tsx'
import { useMarkedMessages } from '#renderer/ui/data/message-range.ts'

/** What the address says. */
const route = vi.hoisted(() => ({ view: 'find', searchKind: 'find', shown: {} as Record<string, string> }))

vi.mock('#renderer/api.ts', () => {
  const client = { transcript: { page: async () => undefined } } as unknown as Client
  return { api: createTanstackQueryUtils(client) }
})
vi.mock('#renderer/routes.ts', () => ({
  useRoutePart: (part: 'view' | 'searchKind') => route[part],
  useShown: (name: string) => [route.shown[name] ?? null, () => undefined],
}))

beforeEach(() => {
  Object.assign(route, { view: 'find', searchKind: 'find', shown: { 'layers.range': '11-21' } })
})

const LIMITED = 'Only these messages, and the summaries that cover them, are searched.'
const MISSING = 'This conversation ends before the marked messages do.'

/** What is said of the marked messages 11 to 21 of a conversation of so many, and whether requests wait for them. */
function shownOf(messages: number, known: readonly number[] = [10, 20]): { line: string; isWaiting: boolean } {
  const queries = new QueryClient()
  for (const offset of known) {
    const { queryKey } = api.transcript.page.queryOptions({
      input: { conversationId: 1, offset, limit: 1, contentChars: 0 },
    })
    const found = offset < messages ? [{ id: `msg_${offset}`, createdAtMs: null }] : []
    queries.setQueryData(queryKey, { messages: found } as never)
  }
  let isWaiting = false
  function Asking() {
    isWaiting = useMarkedMessages(1).isWaiting
    return null
  }
  const line = renderToStaticMarkup(
    <QueryClientProvider client={queries}>
      <RangeLine conversationId={1} />
      <Asking />
    </QueryClientProvider>,
  )
  return { line, isWaiting }
}

it('says what a view makes of marked messages, before they are known, too', () => {
  expect(shownOf(100)).toMatchObject({ line: expect.stringContaining(LIMITED), isWaiting: false })
  expect(shownOf(100, [])).toMatchObject({ line: expect.stringContaining(LIMITED), isWaiting: true })
})

it('says that the conversation ends before the marked messages do, and lets nothing be asked without their limit', () => {
  for (const messages of [15, 5]) {
    const { line, isWaiting } = shownOf(messages)
    expect(line).toContain(MISSING)
    expect(line).not.toContain(LIMITED)
    expect(isWaiting).toBe(true)
  }
})

it('says nothing on the page of all conversations, where no message is marked', () => {
  route.view = 'start'
  expect(shownOf(100).line).toContain('This view shows the whole conversation.')
  route.view = 'conversations'
  expect(shownOf(100).line).toBe('')
})
