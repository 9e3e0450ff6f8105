import type { ClaimSpecific, PassageMatch, ProvenanceClaim } from '#core/contract/provenance.ts'

/** A part of a claim with the same marks throughout. */
export type ClaimRun = {
  readonly start: number
  readonly text: string
  /** True when the active passage contains it as well. */
  readonly isMatch: boolean
  /** A name or number that no source confirms. */
  readonly specific: ClaimSpecific | null
}

/** A part of a summary's text, either a claim or not. Joined, the parts are the text. */
export type TextPart =
  | { readonly kind: 'plain'; readonly start: number; readonly text: string }
  | { readonly kind: 'claim'; readonly index: number; readonly start: number; readonly runs: readonly ClaimRun[] }

/** True for names and numbers that are marked: they occur in no source, or only in another connection. */
const isDoubtful = ({ standing }: ClaimSpecific): boolean => standing !== 'matched'

/**
 * Divides a text at its claims. A claim that begins before the end of the one before it, or after the end of the text,
 * is left out.
 * @param matches the matches of the active passage, with the index of its claim
 */
export function textParts(
  content: string,
  claims: readonly ProvenanceClaim[],
  inHand: { readonly index: number; readonly matches: readonly PassageMatch[] } | null,
): readonly TextPart[] {
  const parts: TextPart[] = []
  let done = 0
  const say = (end: number) => {
    if (end > done) parts.push({ kind: 'plain', start: done, text: content.slice(done, end) })
  }
  claims.forEach((claim, index) => {
    const end = Math.min(claim.end, content.length)
    if (claim.start < done || claim.start >= end) return
    say(claim.start)
    const matches = inHand?.index === index ? inHand.matches : []
    parts.push({ kind: 'claim', index, start: claim.start, runs: runsOf(content, { ...claim, end }, matches) })
    done = end
  })
  say(content.length)
  return parts
}

function runsOf(content: string, claim: ProvenanceClaim, matches: readonly PassageMatch[]): readonly ClaimRun[] {
  const doubtful = claim.specifics.filter(isDoubtful)
  const within = (at: number): boolean => at > claim.start && at < claim.end
  const cuts = new Set([claim.start, claim.end])
  for (const { start, end } of doubtful) for (const at of [start, end]) if (within(at)) cuts.add(at)
  for (const { claimStart, claimEnd } of matches) for (const at of [claimStart, claimEnd]) if (within(at)) cuts.add(at)
  const offsets = [...cuts].sort((a, b) => a - b)
  return offsets.slice(0, -1).map((start, index) => {
    const end = offsets[index + 1] ?? claim.end
    return {
      start,
      text: content.slice(start, end),
      isMatch: matches.some(({ claimStart, claimEnd }) => claimStart <= start && claimEnd >= end),
      specific: doubtful.find((one) => one.start <= start && one.end >= end) ?? null,
    }
  })
}
