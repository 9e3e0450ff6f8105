import type { ExpandCitation } from '../../contract/expand-query.ts'
import type { TokenEstimator } from '../../models/token-estimator.ts'
import type { ScoredPassage } from './best-passages.ts'

export type PassageAnswer = {
  readonly text: string
  readonly tokens: number
  readonly citations: readonly ExpandCitation[]
  /** True when passages were left out because the tokens did not suffice. */
  readonly truncated: boolean
}

/** At most this many passages are shown, even when more would fit. */
const MOST_PASSAGES = 20
/** A passage whose score is a smaller share of the best score is left out. */
const LEAST_SHARE = 0.35

/** Returns the best passages, each with its id, as a text of at most `cap` tokens. The best comes first. */
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
