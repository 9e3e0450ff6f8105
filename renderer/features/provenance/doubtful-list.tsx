import type { Provenance } from '../../../core/contract/provenance.ts'
import styles from './doubtful-list.module.css'
import { SupportMark } from './support-mark.tsx'
import { doubtfulClaims } from './wording.ts'

type Props = { readonly provenance: Provenance; readonly onPick: (index: number) => void }

const MOST = 60

/** The doubtful sentences, worst first, shown while no sentence is selected. */
export function DoubtfulList({ provenance: { claims }, onPick }: Props) {
  const doubtful = doubtfulClaims(claims)
  if (claims.length === 0) return <p className={styles.none}>It says nothing that could be looked for.</p>
  if (doubtful.length === 0)
    return <p className={styles.none}>Every sentence has a passage that carries it. Select one to see which.</p>
  return (
    <>
      <p className={styles.none}>Worth a look. Or select any sentence, or any words of the text.</p>
      <ul className={styles.list}>
        {doubtful.slice(0, MOST).map((index) => {
          const claim = claims[index]
          if (claim === undefined) return null
          return (
            <li key={index}>
              <button type="button" className={styles.claim} onClick={() => onPick(index)}>
                <SupportMark support={claim.support}>{''}</SupportMark>
                <span className={styles.text} dir="auto">
                  {claim.text}
                </span>
                {claim.invented.length > 0 && (
                  <span className={styles.invented}>
                    in no source: {claim.invented.map(({ text }) => `“${text}”`).join(', ')}
                  </span>
                )}
              </button>
            </li>
          )
        })}
      </ul>
    </>
  )
}
