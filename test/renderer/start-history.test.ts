import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, it, vi } from 'vitest'
import type { Client } from '#renderer/api.ts'
import { fullestOptions } from '#renderer/features/start/other-curves.ts'
import { columnOptions } from '#renderer/features/start/pressure-history.tsx'
import { messageColumns } from './strata-builder.ts'

vi.mock('#renderer/api.ts', () => {
  const client = {
    strata: { messages: async () => messageColumns(0, 10) },
    conversations: { list: async () => ({ conversations: [], found: 0, total: 0, nextCursor: null }) },
  } as unknown as Client
  return { api: createTanstackQueryUtils(client), client, onConnectionChange: () => () => undefined }
})

it('keeps the columns of the other axis until new ones are there, and never those of another conversation', async () => {
  const queries = new QueryClient()
  const observer = new QueryObserver(queries, columnOptions(queries, 1, 'time', true))
  observer.subscribe(() => undefined)
  const isAnswered = () =>
    expect.poll(() => observer.getCurrentResult().isSuccess && !observer.getCurrentResult().isFetching)
  await isAnswered().toBe(true)
  observer.setOptions(columnOptions(queries, 1, 'messages', true))
  expect(observer.getCurrentResult()).toMatchObject({ isPlaceholderData: true, data: messageColumns(0, 10) })
  await isAnswered().toBe(true)
  // Whether it holds messages is not known at once.
  observer.setOptions(columnOptions(queries, 2, 'messages', false))
  expect(observer.getCurrentResult().data).toBeUndefined()
  observer.setOptions(columnOptions(queries, 2, 'messages', true))
  expect(observer.getCurrentResult().data).toBeUndefined()
})

it('asks for other conversations on an axis of time only', () => {
  const queries = new QueryClient()
  const isAsked = (axis: 'time' | 'messages') => {
    const observer = new QueryObserver(queries, fullestOptions(axis, { query: '' }))
    const leave = observer.subscribe(() => undefined)
    const { fetchStatus } = observer.getCurrentResult()
    leave()
    return fetchStatus === 'fetching'
  }
  expect(isAsked('messages')).toBe(false)
  expect(isAsked('time')).toBe(true)
})
