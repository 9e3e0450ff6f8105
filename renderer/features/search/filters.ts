import type { Role } from '../../../core/contract/ids.ts'
import type { GrepRequest } from '../../../core/contract/retrieval.ts'

export type SearchMode = 'full_text' | 'regex' | 'literal'
export type SearchScope = 'both' | 'messages' | 'summaries'
export type SearchSort = 'newest' | 'oldest' | 'relevance'

/** What narrows a search besides its words. */
export type Filters = {
  readonly mode: SearchMode
  readonly scope: SearchScope
  readonly sort: SearchSort
  readonly where: 'conversation' | 'everywhere'
  /** None chosen: all of them. */
  readonly roles: readonly Role[]
  /** None chosen: all of them. 3 stands for 3 and deeper. */
  readonly depths: readonly number[]
  readonly window: 'any' | 'in' | 'out'
  /** Local calendar days as `YYYY-MM-DD`; empty for no bound. Both days belong to the range. */
  readonly fromDay: string
  readonly toDay: string
}

export const NO_FILTERS: Filters = {
  mode: 'full_text',
  scope: 'both',
  sort: 'newest',
  where: 'conversation',
  roles: [],
  depths: [],
  window: 'any',
  fromDay: '',
  toDay: '',
}

/** Depths are offered up to this one, which stands for all that are deeper too. */
export const DEEPEST_CHOICE = 3
const DEEPEST_DEPTH = 31
const PAGE_HITS = 60

/** The request for the first page. Roles narrow messages only and depths summaries only, so each is sent where it applies. */
export function grepRequest(query: string, filters: Filters, conversationId: number | null): GrepRequest {
  const { roles, depths, scope, window } = filters
  const after = dayStartMs(filters.fromDay)
  const before = nextDayStartMs(filters.toDay)
  return {
    query,
    mode: filters.mode,
    scope,
    sort: filters.sort,
    limit: PAGE_HITS,
    ...(filters.where === 'conversation' && conversationId !== null ? { conversationIds: [conversationId] } : {}),
    ...(roles.length > 0 && scope !== 'summaries' ? { roles: [...roles] } : {}),
    ...(depths.length > 0 && scope !== 'messages' ? { depths: depths.flatMap(depthsMeant) } : {}),
    ...(window === 'any' ? {} : { inContext: window === 'in' }),
    ...(after === null ? {} : { afterMs: after }),
    ...(before === null ? {} : { beforeMs: before }),
  }
}

/** How many of the filters that hide hits are set, for the button that clears them. */
export function activeFilters(filters: Filters): number {
  const { roles, depths, window, fromDay, toDay } = filters
  return [roles.length > 0, depths.length > 0, window !== 'any', fromDay !== '', toDay !== ''].filter(Boolean).length
}

/** The list with the item put in, or taken out when it was there. */
export function toggled<T>(list: readonly T[], item: T): readonly T[] {
  return list.includes(item) ? list.filter((other) => other !== item) : [...list, item]
}

/** Local midnight at which a day begins; null when it is no day. */
export function dayStartMs(day: string): number | null {
  return localMidnightMs(day, 0)
}

/** Local midnight at which a day ends, also where the clock is put forward or back in it. */
export function nextDayStartMs(day: string): number | null {
  return localMidnightMs(day, 1)
}

function localMidnightMs(day: string, daysLater: number): number | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day)
  if (match === null) return null
  return new Date(Number(match[1]), Number(match[2]) - 1, Number(match[3]) + daysLater).getTime()
}

function depthsMeant(depth: number): readonly number[] {
  if (depth < DEEPEST_CHOICE) return [depth]
  return Array.from({ length: DEEPEST_DEPTH - DEEPEST_CHOICE + 1 }, (_, index) => DEEPEST_CHOICE + index)
}
