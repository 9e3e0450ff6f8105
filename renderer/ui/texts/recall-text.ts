import type { ProbeSum } from '#core/contract/probe.ts'
import { formatPercent } from './format.ts'

type Sum = Pick<ProbeSum, 'questions' | 'inWindow' | 'bySearch' | 'byExpanding' | 'changed' | 'dropped'>

const shareOf = (count: number, { questions }: Sum): number => (questions === 0 ? 0 : count / questions)

/** The share of the questions whose answer the model sees. A search finds nearly everything, so it counts apart. */
export const knownShare = (sum: Sum): number => shareOf(sum.inWindow, sum)

/** `32 % by one search` and `0 % lost` (or changed), with what only expanding leads to between them where there is any. */
export function recoverableParts(sum: Sum): readonly string[] {
  const { bySearch, byExpanding, changed, dropped } = sum
  return [
    `${formatPercent(shareOf(bySearch, sum))} by one search`,
    ...(byExpanding > 0 ? [`${formatPercent(shareOf(byExpanding, sum))} by expanding`] : []),
    `${formatPercent(shareOf(changed + dropped, sum))} ${changed > 0 ? 'lost or changed' : 'lost'}`,
  ]
}

/** `68 % known without looking · 32 % by one search · 0 % lost`. No single number says what an agent still knows. */
export const recallText = (sum: Sum): string =>
  [`${formatPercent(knownShare(sum))} known without looking`, ...recoverableParts(sum)].join(' · ')
