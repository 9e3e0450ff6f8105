import type { Provenance } from '../../../core/contract/provenance.ts'
import { Button } from '../../ui/button.tsx'
import { plural } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { ClaimPassages } from './claim-passages.tsx'
import { DoubtfulList } from './doubtful-list.tsx'
import styles from './provenance-pane.module.css'

type Props = {
  readonly provenance: Provenance
  /** The passages of the selected words, or null until they are known. */
  readonly selected: Provenance | null
  readonly isSelecting: boolean
  /** True while the passages shown belong to an earlier selection. */
  readonly isStale: boolean
  /** The index of the selected claim. */
  readonly current: number | null
  readonly pointed: number
  readonly onPoint: (passage: number) => void
  readonly onPick: (index: number | null) => void
}

/** Shows the passages on which the selected sentence or words most likely rest, beside the text. */
export function PassagePane(props: Props) {
  const { provenance, selected, isSelecting, isStale, current, pointed, onPoint, onPick } = props
  const claim = current === null ? undefined : provenance.claims[current]
  const back = (
    <Button look="quiet" className={styles.back} title="Esc" onClick={() => onPick(null)}>
      all sentences
    </Button>
  )
  if (isSelecting)
    return (
      <>
        <SectionHeading aside={back}>Where the selected words come from</SectionHeading>
        {selected === null ? (
          <Loading what="source passages" lines={4} />
        ) : selected.claims.length === 0 ? (
          <p className={styles.dim}>These words claim nothing that could be looked for.</p>
        ) : (
          <div className={styles.several} data-stale={isStale}>
            {selected.claims.length > 1 && (
              <p className={styles.dim}>The selection touches {plural(selected.claims.length, 'sentence')}.</p>
            )}
            {selected.claims.map((one) => (
              <ClaimPassages key={one.start} claim={one} isQuoted active={-1} onPoint={() => undefined} />
            ))}
          </div>
        )}
      </>
    )
  if (claim !== undefined)
    return (
      <>
        <SectionHeading aside={back}>Where the sentence comes from</SectionHeading>
        <ClaimPassages claim={claim} isQuoted={false} active={pointed} onPoint={onPoint} />
      </>
    )
  return (
    <>
      <SectionHeading>Sources</SectionHeading>
      <DoubtfulList provenance={provenance} onPick={onPick} />
    </>
  )
}
