import type { InfiniteData } from '@tanstack/react-query'
import type { FleetQuery, FleetReport } from '#core/contract/fleet.ts'
import { api } from '#renderer/api.ts'

const PAGE = 100
/** Sums of a fleet change all the time; the list follows at a readable pace. */
const REFRESH_MS = 10_000

type FleetRequest = Partial<FleetQuery> & { readonly address: string }
type Pages = InfiniteData<FleetReport, string | undefined>

/** A fleet page by page. The first page is read again and again; who reads on keeps what is read, as it was then. */
export const fleetPages = (asked: FleetRequest) =>
  api.servers.fleet.infiniteOptions({
    input: (cursor: string | undefined) => ({ ...asked, limit: PAGE, ...(cursor !== undefined && { cursor }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }: FleetReport) => nextCursor ?? undefined,
    refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 0) < 2 ? REFRESH_MS : false),
    placeholderData: (before: Pages | undefined) => before,
  })

/**
 * Returns the first page alone where it is in sight again, so that it is read again; else undefined.
 * @param endIndex of the last row in sight
 */
export function firstPageIn(pages: Pages | undefined, endIndex: number): Pages | undefined {
  // The end of the page brings the next one into sight.
  if (pages === undefined || pages.pages.length < 2 || endIndex > PAGE - 10) return undefined
  return { pages: pages.pages.slice(0, 1), pageParams: pages.pageParams.slice(0, 1) }
}
