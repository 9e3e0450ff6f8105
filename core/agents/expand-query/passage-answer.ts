import type { ExpandCitation } from '../../contract/expand-query.ts'
import type { TokenEstimator } from '../../models/token-estimator.ts'
import type { ScoredPassage } from './best-passages.ts'

export type PassageAnswer = {
  readonly text: string
  readonly tokens: number
  readonly citations: readonly ExpandCitation[]
  /** Passages were left out for want of tokens. */
  readonly truncated: boolean
}

/** Passages shown even when more would fit. */
const MOST_PASSAGES = 20
/** Passages that score less than this share of the best one add noise. */
const LEAST_SHARE = 0.35

/** The best passages as a text of at most `cap` tokens, each with its id; in the order of their worth. */
export function passageAnswer(
  passages: readonly ScoredPassage[],
  cap: number,
  estimator: TokenEstimator,
): PassageAnswer {
  const least = (passages[0]?.score ?? 0) * LEAST_SHARE
  const worthy = passages.filter(({ score }) => score >= least).slice(0, MOST_PASSAGES)
  const chosen: ExpandCitation[] = []
  let text = ''
  for (const { citation } of worthy) {
    const longer = `${text}${text === '' ? '' : '\n\n'}[${citation.id}] ${citation.excerpt}`
    if (estimator.count(longer) > cap) continue
    text = longer
    chosen.push(citation)
  }
  return { text, tokens: estimator.count(text), citations: chosen, truncated: chosen.length < worthy.length }
}
