import type { FactTrace, Rung } from '../../../core/contract/trace.ts'
import { classNames } from '../../ui/class-names.ts'
import { nodeColor } from '../../ui/depth-color.ts'
import { formatCount, formatTokens, plural, shortenId } from '../../ui/format.ts'
import { Highlighted } from '../../ui/highlighted.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import { StateMark } from '../../ui/state-mark.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './ladder-cards.module.css'
import { type ShaftBar, shaftOf } from './shaft.ts'
import { layerOf } from './trace-wording.ts'

type Props = {
  readonly trace: FactTrace
  readonly selection: string | null
  readonly onSelect: (id: string) => void
}

const MOST_GRAINS = 12

/** A card for each layer from the window down to the message, beside a slice of the strata. */
export function LadderCards({ trace, selection, onSelect }: Props) {
  const { ladder, lostAt, toldAgain } = trace
  const { bars, foot } = shaftOf(ladder)
  const rungs = ladder.toReversed()
  const fell = rungs.findIndex(({ id }) => id !== null && id === lostAt?.id)
  return (
    <ol className={styles.ladder} aria-label="From the window down to the message">
      {rungs.map((rung, index) => (
        <li key={rung.id ?? 'window'} className={styles.rung}>
          <span className={styles.layer}>{layerOf(rung)}</span>
          <Slice
            rung={rung}
            bar={bars[index] ?? foot}
            foot={foot}
            isLit={fell < 0 ? rung.kept > 0 : index > fell}
            grains={index === fell ? Math.min(MOST_GRAINS, rung.lost.length) : 0}
            isLast={index === rungs.length - 1}
          />
          <RungCard
            rung={rung}
            toldAgain={rung.kind === 'window' ? toldAgain : []}
            isFall={index === fell}
            isSelected={rung.id !== null && rung.id === selection}
            onSelect={onSelect}
          />
        </li>
      ))}
    </ol>
  )
}

type SliceProps = {
  readonly rung: Rung
  readonly bar: ShaftBar
  readonly foot: ShaftBar
  /** True where what is traced still stands. */
  readonly isLit: boolean
  /** Details that fell here. */
  readonly grains: number
  readonly isLast: boolean
}

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`

/** One layer of the shaft. A screen reader reads the card. */
function Slice({ rung, bar, foot, isLit, grains, isLast }: SliceProps) {
  const color =
    rung.kind === 'window' ? 'var(--lit)' : nodeColor({ kind: rung.kind, depth: rung.depth, role: rung.role })
  return (
    <span className={styles.slice} aria-hidden="true">
      <span
        className={classNames(styles.beam, isLit && styles.lit, isLast && styles.ends)}
        style={{ left: percent(foot.from), width: percent(foot.to - foot.from) }}
      />
      <span
        className={styles.bar}
        data-layer={rung.kind}
        style={{ left: percent(bar.from), width: percent(bar.to - bar.from), background: color }}
      />
      {Array.from({ length: grains }, (_, grain) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: grains are alike
          key={grain}
          className={styles.grain}
          style={{
            left: `calc(${percent((foot.from + foot.to) / 2)} + ${((grain * 37) % 19) - 9}px)`,
            top: `${62 + ((grain * 53) % 34)}%`,
          }}
        />
      ))}
    </span>
  )
}

type CardProps = {
  readonly rung: Rung
  readonly toldAgain: FactTrace['toldAgain']
  readonly isFall: boolean
  readonly isSelected: boolean
  readonly onSelect: (id: string) => void
}

function RungCard({ rung, toldAgain, isFall, isSelected, onSelect }: CardProps) {
  const { id, kind, title, state, kept, details, excerpt, marks, lost } = rung
  const share = `${formatCount(kept)} of ${formatCount(details)}`
  return (
    <article className={classNames(styles.card, isFall && styles.fall, isSelected && styles.selected)}>
      <header className={styles.head}>
        {id === null ? (
          <strong>What the model sees now</strong>
        ) : (
          <button type="button" className={styles.title} title={`Select ${id}`} onClick={() => onSelect(id)}>
            {title === '' ? id : title}
          </button>
        )}
        <StateMark state={state}>
          {isFall
            ? `${state === 'changed' ? 'changed' : 'dropped'} here · ${share}`
            : kind === 'window'
              ? `${share} this way`
              : share}
        </StateMark>
      </header>
      <p className={styles.facts}>{factsOf(rung)}</p>
      {excerpt !== '' && (
        <p className={classNames('clamped', styles.excerpt)} dir="auto" data-lit={kept > 0 || undefined}>
          <Highlighted text={excerpt} matches={marks} />
        </p>
      )}
      {lost.length > 0 && (
        <p className={styles.lost}>
          <span className={styles.hidden}>Lost here: </span>
          {lost.slice(0, 8).map((text, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the details of a rung never change places
            <del key={index}>{text}</del>
          ))}
          {lost.length > 8 && <span>{formatCount(lost.length - 8)} more</span>}
        </p>
      )}
      {toldAgain.slice(0, 3).map(({ id: again, atMs }) => (
        <p key={again} className={styles.again}>
          <StateMark state="kept">{''}</StateMark> told again by <NodeLink id={again} />
          {atMs !== null && <TimeText atMs={atMs} form="short" />}
        </p>
      ))}
    </article>
  )
}

function factsOf({ id, kind, role, seq, tokens, messages, run, sources }: Rung): string {
  if (kind === 'window') return `${formatTokens(tokens)} in ${plural(sources, 'item')}`
  if (kind === 'message')
    return [id, role, seq === null ? null : `seq ${formatCount(seq)}`, formatTokens(tokens)].filter(Boolean).join(' · ')
  const made = run === null ? '' : ` · run ${formatCount(run)}`
  return `${shortenId(id ?? '', 16)} · ${formatTokens(tokens)} for ${plural(messages, 'message')}${made}`
}
