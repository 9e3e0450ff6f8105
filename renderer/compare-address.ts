/** One side of a comparison, as the address names it. */
export type SideAddress = {
  /** Another memory file. Null for the one of this window. */
  readonly file: string | null
  /** Null for the conversation of the address, or, in another file, the one with the same session. */
  readonly conversation: number | null
  /** `event-17`, `message-240`, `after`, `preset:…`, `summarizer:…` or {@link LAST_RUN}. Null for now. */
  readonly window: string | null
}

export const DIFFERENCE_FILTERS = ['all', 'a', 'b', 'differently'] as const
export type DifferenceFilter = (typeof DIFFERENCE_FILTERS)[number]

export type CompareAddress = {
  readonly a: SideAddress
  readonly b: SideAddress
  /** The selected difference, counted from 1. */
  readonly difference: number | null
  readonly only: DifferenceFilter
}

const HERE_AND_NOW: SideAddress = { file: null, conversation: null, window: null }

/** In a link: the moment before the last compaction, which becomes the address once it is known. */
export const LAST_RUN = 'last'

/** A side that changes to another history has no moment of the one before, and neither has the side beside it. */
export function withSide(compare: CompareAddress, name: 'a' | 'b', side: SideAddress): CompareAddress {
  const was = compare[name]
  const beside = name === 'a' ? 'b' : 'a'
  const isOther = side.file !== was.file || side.conversation !== was.conversation
  const isMoment = /^(event|message)-\d+$/.test(compare[beside].window ?? '')
  const other = isOther && isMoment ? { ...compare[beside], window: null } : compare[beside]
  return { ...compare, [beside]: other, [name]: side, difference: null }
}

/** Nothing is chosen on either side. */
export const isNoComparison = ({ a, b }: CompareAddress): boolean =>
  [a, b].every(({ file, conversation, window }) => file === null && conversation === null && window === null)

export const NO_COMPARISON: CompareAddress = { a: HERE_AND_NOW, b: HERE_AND_NOW, difference: null, only: 'all' }

const number = (text: string | null): number | null => (text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null)

/** Parts that do not parse get their defaults. */
export function parseCompare(params: URLSearchParams): CompareAddress {
  const side = (name: 'a' | 'b'): SideAddress => ({
    file: params.get(`${name}-file`) || null,
    conversation: number(params.get(`${name}-conversation`)),
    window: params.get(name) || null,
  })
  const only = params.get('only')
  return {
    a: side('a'),
    b: side('b'),
    difference: number(params.get('difference')) || null,
    only: DIFFERENCE_FILTERS.find((known) => known === only) ?? 'all',
  }
}

/** The inverse of {@link parseCompare}. */
export function writeCompare({ a, b, difference, only }: CompareAddress, params: URLSearchParams): void {
  for (const [name, side] of [
    ['a', a],
    ['b', b],
  ] as const) {
    if (side.window !== null) params.set(name, side.window)
    if (side.file !== null) params.set(`${name}-file`, side.file)
    if (side.conversation !== null) params.set(`${name}-conversation`, String(side.conversation))
  }
  if (difference !== null) params.set('difference', String(difference))
  if (only !== 'all') params.set('only', only)
}
