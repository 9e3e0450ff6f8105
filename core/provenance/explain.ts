import { THRESHOLDS } from './thresholds.ts'
import type { Verdict } from './verdict.ts'
import type { Claim } from './vocabulary.ts'
import type { Candidate } from './window-comparison.ts'

/** Returns a sentence for people that says why a claim has its verdict. */
export function whyClaim(claim: Claim, verdict: Verdict, best: string | null): string {
  const { support, score, sourceScore, specifics, flip, isSaid, isDenialMissing, objection } = verdict
  const sentences: string[] = []
  const highest = Math.max(score, sourceScore ?? 0)
  if (best === null || highest === 0) sentences.push('Nothing in its sources shares words with it.')
  else if (support === 'supported') sentences.push(`${best} carries it (${percent(highest)}).`)
  else if (highest >= THRESHOLDS.supported) sentences.push(`${best} carries its words (${percent(highest)}).`)
  else if (highest >= THRESHOLDS.weak) sentences.push(`${best} carries part of it (${percent(highest)}).`)
  else sentences.push(`The nearest passage, in ${best}, shares too little with it (${percent(highest)}).`)
  if (flip !== null) sentences.push(`The passage denies what the claim says, or says the contrary (${flip}).`)
  else if (isDenialMissing && support !== 'none') sentences.push('No passage denies what the claim denies.')
  if (objection !== null && support !== 'none') sentences.push(objection)
  if (!isSaid && support === 'weak' && highest >= THRESHOLDS.supported) {
    sentences.push('They share names and numbers, but not what is said of them.')
  }
  for (const { text, standing, instead } of specifics) {
    const other = instead === null ? '' : `; the passage says ${quoted(instead)}`
    if (standing === 'nowhere') sentences.push(`${quoted(text)} stands in none of its sources${other}.`)
    if (standing === 'source_only') {
      sentences.push(`${quoted(text)} stands in a source summary, but in no message below it${other}.`)
    }
    if (standing === 'elsewhere')
      sentences.push(`${quoted(text)} stands in the sources, but about something else${other}.`)
  }
  if (sourceScore !== null && sourceScore >= THRESHOLDS.supported && score < THRESHOLDS.weak) {
    sentences.push('A source summary says it; the messages below it do not.')
  }
  if (claim.terms.length === 0 && specifics.length === 0) return 'It says nothing that could be looked for.'
  return sentences.join(' ')
}

/** Returns a sentence for people that says why a passage was chosen. */
export function whyPassage(claim: Claim, { coverage, matches, specifics, flip }: Candidate): string {
  const words = new Set(matches.map(({ term }) => term)).size
  const all = new Set(claim.terms.map(({ term }) => term)).size
  const parts = [`${words} of ${all} telling words (${percent(coverage)} by weight)`]
  if (claim.specifics.length > 0) parts.push(`${specifics.size} of ${claim.specifics.length} names and numbers`)
  if (flip !== null) parts.push(`it denies or contradicts: ${flip}`)
  return `${parts.join(', ')}.`
}

const percent = (share: number): string => `${Math.round(share * 100)} %`
const quoted = (text: string): string => `“${text.length > 80 ? `${text.slice(0, 79)}…` : text}”`
