import type { ClaimSpecific, Provenance, ProvenanceClaim, Support } from '#core/contract/provenance.ts'
import { formatCompact, formatCount, formatDuration, plural } from '#renderer/ui/texts/format.ts'

/** The meaning of each mark. */
export const SUPPORT_TEXTS: Readonly<Record<Support, string>> = {
  supported: 'supported',
  weak: 'weakly supported',
  none: 'no source found',
}

/** Says why a name or number is underlined. */
export function specificText({ text, standing, instead }: ClaimSpecific): string {
  const other = instead === null ? '' : ` The nearest passage says “${instead}”.`
  switch (standing) {
    case 'nowhere':
      return `“${text}” is in none of the sources.${other}`
    case 'source_only':
      return `“${text}” is in a source summary, but in no message that it covers.${other}`
    case 'elsewhere':
      return `“${text}” is in the sources, but about something else.${other}`
    case 'matched':
      return `“${text}” is in the passage.`
  }
}

/** `78 messages and 9 summaries, 93.5 k characters, in 16 ms` */
export function searchedText({ searched, tookMs }: Pick<Provenance, 'searched' | 'tookMs'>): string {
  const read = searched.isComplete
    ? plural(searched.messages, 'message')
    : `${formatCount(searched.messagesRead)} of ${plural(searched.messages, 'message')}`
  const summaries = searched.summaries === 0 ? '' : ` and ${plural(searched.summaries, 'summary', 'summaries')}`
  return `${read}${summaries}, ${formatCompact(searched.chars)} characters, in ${formatDuration(tookMs)}`
}

/** Returns the indexes of doubtful claims, worst first: inventions, then claims without a source, then weak ones. */
export function doubtfulClaims(claims: readonly ProvenanceClaim[]): readonly number[] {
  const weight = ({ invented, support }: ProvenanceClaim): number =>
    support === 'supported' ? 0 : (invented.length > 0 ? 4 : 0) + (support === 'none' ? 2 : 1)
  return claims
    .map((claim, index) => ({ index, weight: weight(claim) }))
    .filter((one) => one.weight > 0)
    .sort((a, b) => b.weight - a.weight || a.index - b.index)
    .map(({ index }) => index)
}
