import type { Strata } from '../../../core/contract/strata.ts'
import type { Limits } from './viewport.ts'

/** The smallest width of a view: a few messages, or what they would take. */
const MIN_WIDTH: Readonly<Record<Strata['axis'], number>> = { messages: 6, tokens: 200, time: 5000 }

export const limitsOf = ({ axis, extent }: Pick<Strata, 'axis' | 'extent'>): Limits => ({
  extent,
  minWidth: MIN_WIDTH[axis],
})
