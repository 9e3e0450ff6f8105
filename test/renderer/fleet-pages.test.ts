import { environmentManager, InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { FleetReport } from '#core/contract/fleet.ts'
import { firstPageIn, fleetPages } from '#renderer/features/fleet/fleet-pages.ts'

/** The cursors of the pages that were read, in order. */
const read = vi.hoisted((): (string | null)[] => [])

vi.mock('#renderer/api.ts', async () => {
  const { createTanstackQueryUtils } = await import('@orpc/tanstack-query')
  const fleet = async ({ cursor }: { cursor?: string }) => {
    read.push(cursor ?? null)
    return { conversations: [], nextCursor: `after ${cursor ?? 'the first'}` }
  }
  return { api: createTanstackQueryUtils({ servers: { fleet } } as never) }
})

beforeEach(() => {
  read.length = 0
  vi.useFakeTimers()
  // Nothing is read again on a server.
  environmentManager.setIsServer(() => false)
})
afterEach(() => {
  vi.useRealTimers()
  environmentManager.setIsServer(() => true)
})

it('reads the first page of a fleet again, and none while somebody reads on', async () => {
  const queries = new QueryClient()
  const options = fleetPages({ address: 'postgres://db' })
  const observer = new InfiniteQueryObserver(queries, options)
  const stop = observer.subscribe(() => undefined)
  await vi.advanceTimersByTimeAsync(25_000)
  expect(read).toEqual([null, null, null])

  await observer.fetchNextPage()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(read).toEqual([null, null, null, 'after the first'])

  const forget = (endIndex: number) => queries.setQueryData(options.queryKey, (data) => firstPageIn(data, endIndex))
  forget(99)
  expect(observer.getCurrentResult().data?.pages).toHaveLength(2)
  forget(20)
  expect(observer.getCurrentResult().data?.pages).toHaveLength(1)
  read.length = 0
  await vi.advanceTimersByTimeAsync(25_000)
  expect(read).toEqual([null, null])
  stop()
  queries.clear()
})

it('leaves a fleet alone whose first page is the only one', () => {
  const pages = [{ nextCursor: null } as FleetReport]
  expect(firstPageIn({ pages, pageParams: [undefined] }, 0)).toBeUndefined()
})
