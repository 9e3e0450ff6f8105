import type { Passage, Provenance, ProvenanceClaim, Support } from '#core/contract/provenance.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { plural } from '#renderer/ui/texts/format.ts'
import { SourcePassage } from '#renderer/ui/texts/source-passage.tsx'
import styles from './provenance-pane.module.css'
import { doubtfulClaims, SUPPORT_TEXTS } from './wording.ts'

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
          <p className="dim">These words claim nothing that could be looked for.</p>
        ) : (
          <div className={styles.several} data-stale={isStale}>
            {selected.claims.length > 1 && (
              <p className="dim">The selection touches {plural(selected.claims.length, 'sentence')}.</p>
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

type DoubtfulListProps = { readonly provenance: Provenance; readonly onPick: (index: number) => void }

const MOST = 60

/** The doubtful sentences, worst first, shown while no sentence is selected. */
function DoubtfulList({ provenance: { claims }, onPick }: DoubtfulListProps) {
  const doubtful = doubtfulClaims(claims)
  if (claims.length === 0) return <p className="dim">It says nothing that could be looked for.</p>
  if (doubtful.length === 0)
    return <p className="dim">Every sentence has a passage that carries it. Select one to see which.</p>
  return (
    <>
      <p className="dim">Worth a look. Or select any sentence, or any words of the text.</p>
      <ul className={styles.list}>
        {doubtful.slice(0, MOST).map((index) => {
          const claim = claims[index]
          if (claim === undefined) return null
          return (
            <li key={index}>
              <button type="button" className={styles.claim} onClick={() => onPick(index)}>
                <SupportMark support={claim.support}>{''}</SupportMark>
                <span className="clamped" dir="auto">
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

type ClaimPassagesProps = {
  readonly claim: ProvenanceClaim
  /** True when the claim is quoted above the passages, because several are selected. */
  readonly isQuoted: boolean
  /** The index of the passage whose matches are marked in the text. */
  readonly active: number
  readonly onPoint: (passage: number) => void
}

const LONGEST_QUOTE = 140

/** The support of a claim: the verdict with its reason, then the passages, best first. */
function ClaimPassages({ claim, isQuoted, active, onPoint }: ClaimPassagesProps) {
  const { support, why, passages, text } = claim
  return (
    <section className={styles.claimPassagesClaim}>
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

const DISCS: Readonly<Record<Support, string>> = { supported: '●', weak: '◐', none: '○' }

/** The disc of a degree of support, with its name or another text. */
export function SupportMark({ support, children }: { readonly support: Support; readonly children?: string }) {
  return (
    <span className={styles.mark} data-support={support}>
      <span className={styles.disc} aria-hidden="true">
        {DISCS[support]}
      </span>
      {children ?? SUPPORT_TEXTS[support]}
    </span>
  )
}
