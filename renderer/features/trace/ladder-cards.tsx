import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { FactTrace, Rung } from '#core/contract/trace.ts'
import { api } from '#renderer/api.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { nodeColor } from '#renderer/ui/nodes/depth-color.ts'
import { MessageName } from '#renderer/ui/nodes/message-name.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { StateMark } from '#renderer/ui/parts/state-mark.tsx'
import { formatCount, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { Highlighted } from '#renderer/ui/texts/highlighted.tsx'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import styles from './ladder-cards.module.css'
import { type Shaft, type ShaftBar, shaftOf, sliceOf } from './shaft.ts'
import { layerOf, shownExcerpt } from './trace-wording.ts'

type Props = {
  readonly trace: FactTrace
  readonly selection: string | null
  readonly onSelect: (id: string) => void
}

const MOST_GRAINS = 12
/** The shaft is as wide as so many columns of messages. */
const COLUMNS = 46

/** The ladder among its neighbours, as far as they are known. */
function useShaft({ ladder, conversationId }: FactTrace): Shaft {
  const strata = useQuery(
    api.strata.get.queryOptions({ input: conversationId === null ? skipToken : { conversationId, axis: 'messages' } }),
  ).data
  const slice = useMemo(() => sliceOf(ladder, strata), [ladder, strata])
  const isAsked = slice !== null && conversationId !== null
  const range = isAsked
    ? { conversationId, axis: 'messages' as const, x0: slice.x0, x1: slice.x1, buckets: COLUMNS }
    : skipToken
  const messages = useQuery(api.strata.messages.queryOptions({ input: range })).data
  return useMemo(() => shaftOf(ladder, slice, messages), [ladder, slice, messages])
}

/** A card for each layer from the window down to the message, beside a slice of the strata. */
export function LadderCards({ trace, selection, onSelect }: Props) {
  const { ladder, lostAt, toldAgain } = trace
  const { bars, foot, neighbours, columns, ends } = useShaft(trace)
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
            beside={neighbours[index] ?? []}
            columns={rung.kind === 'message' ? columns : []}
            isLit={fell < 0 ? rung.kept > 0 : index > fell}
            isFall={index === fell}
            grains={index === fell ? Math.min(MOST_GRAINS, rung.lost.length) : 0}
            isLast={index === rungs.length - 1}
            ends={index === rungs.length - 1 ? ends : null}
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
  /** Other summaries of this layer. */
  readonly beside: readonly ShaftBar[]
  readonly columns: Shaft['columns']
  /** True where what is traced still stands. */
  readonly isLit: boolean
  readonly isFall: boolean
  /** Details that fell here. */
  readonly grains: number
  readonly isLast: boolean
  readonly ends: Shaft['ends']
}

/** The height of a message in the shaft. The root lets small messages be seen beside large ones. */
const columnPx = (share: number): number => 2 + Math.sqrt(share) * 30

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`

/** One layer of the shaft. A screen reader reads the card. */
function Slice({ rung, bar, foot, beside, columns, isLit, isFall, grains, isLast, ends }: SliceProps) {
  const color =
    rung.kind === 'window' ? 'var(--lit)' : nodeColor({ kind: rung.kind, depth: rung.depth, role: rung.role })
  const across = ({ from, to }: ShaftBar) => ({ left: percent(from), width: percent(to - from) })
  const isAmong = columns.length > 0
  const own = isAmong ? columns.find(({ from, to }) => bar.from >= from - 1e-9 && bar.from < to) : undefined
  return (
    <span className={styles.slice} aria-hidden="true">
      <span className={classNames(styles.beam, isLit && styles.lit, isLast && styles.ends)} style={across(foot)} />
      <span
        className={classNames(styles.link, isLit && styles.litLink, isFall && styles.fallLink)}
        style={{ left: percent(bar.to) }}
      />
      {beside.map((one) => (
        <span
          key={one.from}
          className={classNames(styles.bar, styles.beside)}
          data-layer={rung.kind}
          style={{ ...across(one), background: color }}
        />
      ))}
      {columns.map((one) => (
        <span key={one.from} className={styles.column} style={{ ...across(one), height: columnPx(one.height) }} />
      ))}
      <span
        className={isAmong ? styles.column : styles.bar}
        data-layer={rung.kind}
        style={{
          ...across(bar),
          background: isAmong && isLit ? 'var(--lit)' : color,
          ...(isAmong && { height: columnPx(own?.height ?? 0) }),
        }}
      />
      {ends !== null && (
        <span className={styles.scale}>
          <span>{formatCount(ends[0])}</span>
          <span>{formatCount(ends[1])}</span>
        </span>
      )}
      {Array.from({ length: grains }, (_, grain) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: grains are alike
          key={grain}
          className={styles.grain}
          style={{
            left: `calc(${percent((foot.from + foot.to) / 2)} + ${((grain * 37 + 9) % 19) - 9}px)`,
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
  const { id, kind, title, state, kept, details, lost } = rung
  const excerpt = shownExcerpt(rung)
  const share = `${formatCount(kept)} of ${formatCount(details)}`
  return (
    <article className={classNames(styles.card, isFall && styles.fall, isSelected && styles.selected)}>
      <header className={styles.head}>
        {id === null ? (
          <strong>What the model sees now</strong>
        ) : (
          <button type="button" className={styles.title} title={`Select ${id}`} onClick={() => onSelect(id)}>
            <MarkedText text={title === '' ? id : title} />
          </button>
        )}
        <StateMark state={state}>
          {isFall
            ? `${state === 'changed' ? 'changed' : 'lost'} here · ${share}`
            : kind === 'window'
              ? `${share} this way`
              : share}
        </StateMark>
      </header>
      <p className={styles.facts} title={id ?? undefined}>
        {kind === 'message' && id !== null && (
          <>
            <MessageName id={id} /> ·{' '}
          </>
        )}
        {factsOf(rung)}
      </p>
      {excerpt.text !== '' && (
        <p className={classNames('clamped', styles.excerpt)} dir="auto" data-lit={kept > 0 || undefined}>
          <Highlighted {...excerpt} />
        </p>
      )}
      {lost.length > 0 && (
        <p className={styles.lost}>
          <span className="unseen">Lost here: </span>
          {lost.slice(0, 8).map((text, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the details of a rung never change places
            <del key={index}>
              <MarkedText text={text} />
            </del>
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

function factsOf({ kind, role, tokens, messages, run, sources }: Rung): string {
  if (kind === 'window') return `${formatTokens(tokens)} in ${plural(sources, 'item')}`
  if (kind === 'message') return [role, formatTokens(tokens)].filter(Boolean).join(' · ')
  const made = run === null ? '' : ` · compaction ${formatCount(run)}`
  return `${formatTokens(tokens)} for ${plural(messages, 'message')}${made}`
}
