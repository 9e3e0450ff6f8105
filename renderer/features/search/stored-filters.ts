import { ROLES } from '../../../core/contract/lists.ts'
import { parseStored } from '../../ui/stored-json.ts'
import { type Filters, NO_FILTERS } from './filters.ts'

const CHOICES = {
  mode: ['full_text', 'regex', 'literal'],
  match: ['auto', 'all', 'any', 'question'],
  scope: ['both', 'messages', 'summaries', 'files'],
  sort: ['auto', 'newest', 'oldest', 'relevance'],
  group: ['conversation', 'cover'],
  where: ['conversation', 'everywhere'],
  window: ['any', 'in', 'out'],
} as const

/** Parses stored filters. Missing and unknown values get their defaults. */
export function parseFilters(text: string | null): Filters {
  const stored = parsed(text)
  const one = <K extends keyof typeof CHOICES>(name: K) =>
    CHOICES[name].find((choice) => choice === stored[name]) ?? NO_FILTERS[name]
  const many = (name: string): readonly unknown[] => (Array.isArray(stored[name]) ? stored[name] : [])
  const words = (name: string): string => (typeof stored[name] === 'string' ? stored[name] : '')
  return {
    mode: one('mode'),
    match: one('match'),
    caseSensitive: stored.caseSensitive === true,
    scope: one('scope'),
    sort: one('sort'),
    group: one('group'),
    where: one('where'),
    window: one('window'),
    within: words('within') || null,
    roles: ROLES.filter((role) => many('roles').includes(role)),
    depths: many('depths').filter((depth) => typeof depth === 'number'),
    fromDay: words('fromDay'),
    toDay: words('toDay'),
  } as Filters
}

function parsed(text: string | null): Readonly<Record<string, unknown>> {
  const value = parseStored(text)
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
