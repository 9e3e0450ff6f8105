import { ROLES } from '../../../core/contract/lists.ts'
import { type Filters, NO_FILTERS } from './filters.ts'

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
  const text = (name: string): string => params.get(`search.${name}`) ?? ''
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
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [`search.${name}`, text]))
}
