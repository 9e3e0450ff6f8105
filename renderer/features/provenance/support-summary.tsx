import type { Provenance } from '../../../core/contract/provenance.ts'
import { formatCount, plural } from '../../ui/format.ts'
import { SupportMark } from './support-mark.tsx'
import styles from './support-summary.module.css'
import { searchedText } from './wording.ts'

/** How many sentences have which mark, and what the marks can tell and what they cannot. */
export function SupportSummary({ provenance }: { readonly provenance: Provenance }) {
  const { counts, notes } = provenance
  return (
    <div className={styles.summary}>
      <p className={styles.counts}>
        <SupportMark support="supported">{`${formatCount(counts.supported)} supported`}</SupportMark>
        <SupportMark support="weak">{`${formatCount(counts.weak)} weak`}</SupportMark>
        <SupportMark support="none">{`${formatCount(counts.none)} without a source`}</SupportMark>
        {counts.invented > 0 && (
          <span>
            <span className={styles.wavy}>{plural(counts.invented, 'detail')}</span> in no message
          </span>
        )}
      </p>
      <p className={styles.quiet} title={`Compared with ${searchedText(provenance)}. No model, no network.`}>
        Words, names and numbers are compared with the sources: this tells what the text rests on, not whether it is
        true. What was put in other words may count as weak.
      </p>
      {notes.map((note) => (
        <p key={note} className={styles.note}>
          {note}
        </p>
      ))}
    </div>
  )
}
