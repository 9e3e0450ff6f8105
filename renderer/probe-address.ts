import { PROBE_STATES } from '../core/contract/lists.ts'
import type { ProbeState } from '../core/contract/probe.ts'

export const PROBE_SORTS = ['order', 'state', 'question', 'kind', 'answer', 'steps', 'place'] as const
export type ProbeSort = (typeof PROBE_SORTS)[number]

/** What the address says about a probe: what was asked for, and what of its answers is shown. */
export type ProbeAddress = {
  /** The selected question, counted from 1. */
  readonly question: number | null
  /** Only answers in these states. All of them when it is empty. */
  readonly states: readonly ProbeState[]
  readonly kind: string | null
  /** Only questions for which something of this depth stands in the window: `leaf`, `d1`, `window`, `none`. */
  readonly depth: string | null
  /** Only questions whose state differs between the compared windows. */
  readonly isChangedOnly: boolean
  readonly sort: ProbeSort
  readonly isDescending: boolean
  /** The moment: `event-17` or `message-240`. Null for now. */
  readonly at: string | null
  /** What is compared: a moment, `now`, `after`, `preset:…` or `summarizer:…`. */
  readonly compare: string | null
  /** Questions to make. */
  readonly limit: number
}

const FIRST_LIMIT = 60

export const NO_PROBE: ProbeAddress = {
  question: null,
  states: [],
  kind: null,
  depth: null,
  isChangedOnly: false,
  sort: 'order',
  isDescending: false,
  at: null,
  compare: null,
  limit: FIRST_LIMIT,
}

const isState = (text: string): text is ProbeState => PROBE_STATES.some((state) => state === text)
const isSort = (text: string): text is ProbeSort => PROBE_SORTS.some((sort) => sort === text)

/** The parameter that says that the address is one of a probe. */
export const PROBE = 'probe'

/** Parts that do not parse get their defaults. */
export function parseProbe(params: URLSearchParams): ProbeAddress {
  const sort = params.get('sort') ?? ''
  const name = sort.replace(/^-/, '')
  const limit = count(params.get('limit'))
  return {
    question: count(params.get(PROBE)),
    states: [...new Set((params.get('state') ?? '').split('.').filter(isState))],
    kind: params.get('kind') || null,
    depth: params.get('depth') || null,
    isChangedOnly: params.has('changed'),
    sort: isSort(name) ? name : 'order',
    isDescending: isSort(name) && sort.startsWith('-'),
    at: params.get('at') || null,
    compare: params.get('compare') || null,
    limit: limit === null ? FIRST_LIMIT : Math.min(500, limit),
  }
}

/** The inverse of {@link parseProbe}. */
export function writeProbe(probe: ProbeAddress, params: URLSearchParams): void {
  params.set(PROBE, String(probe.question ?? 0))
  if (probe.states.length > 0) params.set('state', probe.states.join('.'))
  if (probe.kind !== null) params.set('kind', probe.kind)
  if (probe.depth !== null) params.set('depth', probe.depth)
  if (probe.isChangedOnly) params.set('changed', '1')
  if (probe.sort !== 'order' || probe.isDescending) params.set('sort', `${probe.isDescending ? '-' : ''}${probe.sort}`)
  if (probe.at !== null) params.set('at', probe.at)
  if (probe.compare !== null) params.set('compare', probe.compare)
  if (probe.limit !== FIRST_LIMIT) params.set('limit', String(probe.limit))
}

const count = (text: string | null): number | null =>
  text !== null && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : null
