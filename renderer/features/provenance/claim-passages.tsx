import type { Passage, ProvenanceClaim } from '../../../core/contract/provenance.ts'
import { SourcePassage } from '../../ui/source-passage.tsx'
import styles from './claim-passages.module.css'
import { SupportMark } from './support-mark.tsx'

type Props = {
  readonly claim: ProvenanceClaim
  /** True when the claim is quoted above the passages, because several are selected. */
  readonly isQuoted: boolean
  /** The index of the passage whose matches are marked in the text. */
  readonly active: number
  readonly onPoint: (passage: number) => void
}

const LONGEST_QUOTE = 140

/** The support of a claim: the verdict with its reason, then the passages, best first. */
export function ClaimPassages({ claim, isQuoted, active, onPoint }: Props) {
  const { support, why, passages, text } = claim
  return (
    <section className={styles.claim}>
      {isQuoted && (
        <p className={styles.quote} dir="auto">
          {text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text}
        </p>
      )}
      <p className={styles.verdict}>
        <SupportMark support={support} /> <span>· {why}</span>
      </p>
      {passages.map((passage, index) => (
        <SourcePassage
          key={`${passage.id} ${passage.field} ${passage.part} ${passage.start}`}
          id={passage.id}
          node={{ ...passage, kind: kindOf(passage) }}
          conversationId={passage.conversationId}
          seq={passage.seq}
          atMs={passage.createdAtMs}
          field={passage.field}
          excerpt={passage.excerpt}
          matches={passage.matches.map(({ start, end }) => [start - passage.start, end - passage.start] as const)}
          score={passage.score}
          why={passage.why}
          isActive={index === active}
          onPoint={() => onPoint(index)}
        />
      ))}
    </section>
  )
}

function kindOf({ kind, depth }: Passage): 'message' | 'leaf' | 'condensed' {
  if (kind === 'message') return 'message'
  return depth === 0 ? 'leaf' : 'condensed'
}
