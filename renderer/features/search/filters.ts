import type { Role } from '#core/contract/ids.ts'
import { ROLES } from '#core/contract/lists.ts'
import type { GrepRequest } from '#core/contract/retrieval.ts'
import { formatDate } from '#renderer/ui/texts/format-time.ts'
import type { Grouping } from './hit-rows.ts'

type SearchMode = 'full_text' | 'regex' | 'literal'
export type SearchMatch = 'auto' | 'all' | 'any' | 'question'
type SearchScope = 'both' | 'messages' | 'summaries' | 'files'
/** `auto`: the newest first, and the best first for a question. */
export type SearchSort = 'auto' | 'newest' | 'oldest' | 'relevance'

/** What limits a search besides its words, and how its hits are arranged. */
export type Filters = {
  readonly mode: SearchMode
  /** Used by full-text search only. */
  readonly match: SearchMatch
  /** Used by the other modes only. */
  readonly caseSensitive: boolean
  readonly scope: SearchScope
  readonly sort: SearchSort
  readonly group: Grouping
  readonly where: 'conversation' | 'everywhere'
  /** The summary to whose messages and sources the search is limited, or null. */
  readonly within: string | null
  /** The chosen roles; an empty list stands for all. */
  readonly roles: readonly Role[]
  /** The chosen depths; an empty list stands for all. 3 stands for 3 and deeper. */
  readonly depths: readonly number[]
  readonly window: 'any' | 'in' | 'out'
  /** Local calendar days as `YYYY-MM-DD`; empty for no bound. Both days belong to the range. */
  readonly fromDay: string
  readonly toDay: string
}

export const NO_FILTERS: Filters = {
  mode: 'full_text',
  match: 'auto',
  caseSensitive: false,
  scope: 'both',
  sort: 'auto',
  group: 'conversation',
  where: 'everywhere',
  within: null,
  roles: [],
  depths: [],
  window: 'any',
  fromDay: '',
  toDay: '',
}

/** The deepest depth that can be chosen. It includes all deeper ones. */
export const DEEPEST_CHOICE = 3
const DEEPEST_DEPTH = 31
const PAGE_HITS = 60

/**
 * Returns the request for the first page. `between` limits it to marked messages and what covers them. Roles apply to messages and depths to summaries, so each is sent only where
 * it applies.
 */
export function grepRequest(
  query: string,
  filters: Filters,
  conversationId: number | null,
  between: { readonly fromMessage: string; readonly toMessage: string } | null = null,
): GrepRequest {
  const { mode, roles, depths, scope, window, within } = filters
  const after = dayStartMs(filters.fromDay)
  const before = nextDayStartMs(filters.toDay)
  const isOfFiles = scope === 'files'
  return {
    query,
    mode,
    scope,
    limit: PAGE_HITS,
    ...(filters.sort === 'auto' ? {} : { sort: filters.sort }),
    ...(mode === 'full_text' ? { explain: true } : {}),
    ...(mode === 'full_text' && filters.match !== 'auto' ? { match: filters.match } : {}),
    ...(mode !== 'full_text' && filters.caseSensitive ? { caseSensitive: true } : {}),
    ...(filters.where === 'conversation' && conversationId !== null ? { conversationIds: [conversationId] } : {}),
    ...(within === null || isOfFiles ? {} : { within }),
    ...(between === null || isOfFiles ? {} : between),
    ...(roles.length > 0 && (scope === 'both' || scope === 'messages') ? { roles: [...roles] } : {}),
    ...(depths.length > 0 && (scope === 'both' || scope === 'summaries')
      ? { depths: depths.flatMap(depthsMeant) }
      : {}),
    ...(window === 'any' || isOfFiles ? {} : { inContext: window === 'in' }),
    ...(after === null ? {} : { afterMs: after }),
    ...(before === null ? {} : { beforeMs: before }),
  }
}

/** Counts the filters that hide hits, for the button that clears them. */
export function activeFilters(filters: Filters): number {
  const { roles, depths, window, within, fromDay, toDay } = filters
  return [roles.length > 0, depths.length > 0, window !== 'any', within !== null, fromDay !== '', toDay !== ''].filter(
    Boolean,
  ).length
}

/** Returns the same filters without those that hide hits. */
export function withoutFilters({ mode, match, caseSensitive, scope, sort, group, where }: Filters): Filters {
  return { ...NO_FILTERS, mode, match, caseSensitive, scope, sort, group, where }
}

/** Adds an item to a list, or removes it when it is there. */
export function toggled<T>(list: readonly T[], item: T): readonly T[] {
  return list.includes(item) ? list.filter((other) => other !== item) : [...list, item]
}

/** Returns the local midnight at which a day begins, or null for an invalid day. */
export function dayStartMs(day: string): number | null {
  return localMidnightMs(day, 0)
}

/** `Mar 6`, as days are written everywhere, instead of the order and the blanks of the browser. */
export function dayText(day: string): string {
  const startMs = dayStartMs(day)
  return startMs === null ? 'any day' : formatDate(startMs)
}

/** Returns the local midnight at which a day ends, also on days with a change of the clock. */
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

const CHOICES = {
  mode: ['full_text', 'regex', 'literal'],
  match: ['auto', 'all', 'any', 'question'],
  scope: ['both', 'messages', 'summaries', 'files'],
  sort: ['auto', 'newest', 'oldest', 'relevance'],
  group: ['conversation', 'cover'],
  where: ['everywhere', 'conversation'],
  window: ['any', 'in', 'out'],
} as const

const CHOSEN = ['mode', 'match', 'scope', 'sort', 'group', 'where', 'window'] as const

/** Reads the filters of an address. Missing and unknown values get their defaults. */
export function parseFilters(params: URLSearchParams): Filters {
  const text = (name: string): string => params.get(`find.${name}`) ?? ''
  const one = <K extends (typeof CHOSEN)[number]>(name: K) =>
    CHOICES[name].find((choice) => choice === text(name)) ?? NO_FILTERS[name]
  const many = (name: string): readonly string[] => text(name).split('.')
  return {
    mode: one('mode'),
    match: one('match'),
    scope: one('scope'),
    sort: one('sort'),
    group: one('group'),
    where: one('where'),
    window: one('window'),
    caseSensitive: text('case') === '1',
    within: text('within') || null,
    roles: ROLES.filter((role) => many('roles').includes(role)),
    depths: many('depths')
      .filter((depth) => /^\d$/.test(depth))
      .map(Number),
    fromDay: text('from'),
    toDay: text('to'),
  } as Filters
}

/** The inverse of {@link parseFilters}: what the address says of each filter, null for its default. */
export function filterTexts(filters: Filters): Readonly<Record<string, string | null>> {
  const chosen = CHOSEN.map((name) => [name, filters[name] === NO_FILTERS[name] ? null : filters[name]] as const)
  const texts = {
    ...Object.fromEntries(chosen),
    case: filters.caseSensitive ? '1' : null,
    within: filters.within,
    roles: filters.roles.join('.'),
    depths: filters.depths.join('.'),
    from: filters.fromDay,
    to: filters.toDay,
  }
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [`find.${name}`, text]))
}
