import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { expect, it, vi } from 'vitest'
import { stepPages } from '#renderer/features/map/step-list.tsx'

/** The cursors of the pages that were read, in order, and where the journal ends. */
const journal = vi.hoisted(() => ({ read: [] as (string | undefined)[], end: 2 }))

vi.mock('#renderer/api.ts', async () => {
  const { createTanstackQueryUtils } = await import('@orpc/tanstack-query')
  const steps = async ({ cursor }: { cursor?: string }) => {
    journal.read.push(cursor)
    const next = Number(cursor ?? 0) + 1
    return { steps: [{ at: next }], nextCursor: next < journal.end ? String(next) : null }
  }
  return { api: createTanstackQueryUtils({ map: { steps } } as never) }
})

it('reads only the last page of the steps of a running run again', async () => {
  const queries = new QueryClient()
  const pages = new InfiniteQueryObserver(queries, stepPages(queries, { runId: 'run', only: 'all', isRunning: true }))
  await pages.refetch()
  await pages.fetchNextPage()
  expect(journal.read).toEqual([undefined, '1'])

  journal.end = 3
  await pages.refetch()
  expect(journal.read).toEqual([undefined, '1', '1'])
  expect(pages.getCurrentResult().hasNextPage).toBe(true)
  await pages.fetchNextPage()
  await pages.refetch()
  expect(journal.read).toEqual([undefined, '1', '1', '2', '2'])
  queries.clear()
})
