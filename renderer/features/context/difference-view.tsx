import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { AssembleInput } from '#core/contract/context.ts'
import type { ContextDifference } from '#core/contract/time-travel.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { useDebounced } from '#renderer/ui/data/use-debounced.ts'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatCount, formatPercent, formatPressure, plural } from '#renderer/ui/texts/format.ts'
import { formatShort } from '#renderer/ui/texts/format-time.ts'
import windowStyles from './context-view.module.css'
import { DifferenceTable } from './difference-table.tsx'
import { momentText } from './moment-text.ts'
import { normalised, type TimePoint } from './moments.ts'
import { sumTokens } from './replacements.ts'
import styles from './time-bar.module.css'
import { TimeSlider } from './time-slider.tsx'
import { useAddressedBetween } from './use-addressed.ts'
import { type Time, useMoment } from './use-time.ts'

type Props = {
  readonly input: AssembleInput
  readonly time: Time
}

const SETTLE_MS = 40

/** What entered the window and what left it between two moments. */
export function DifferenceView({ input, time }: Props) {
  const [between, onChange] = useAddressedBetween(time)
  const settled = useDebounced(between, SETTLE_MS)
  const from = useMoment(input.conversationId, normalised(settled.from, time.course), time)
  const to = useMoment(input.conversationId, normalised(settled.to, time.course), time)
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const asked = useMemo(() => (from === null || to === null ? skipToken : { ...input, from, to }), [input, from, to])
  const difference = useQuery(
    api.context.difference.queryOptions({
      input: asked,
      placeholderData: (previous: ContextDifference | undefined) =>
        previous?.before.conversationId === input.conversationId ? previous : undefined,
    }),
  )
  const toggle = (key: string) => {
    const next = new Set(opened)
    if (!next.delete(key)) next.add(key)
    setOpened(next)
  }
  const isStale = difference.isPlaceholderData || settled !== between
  return (
    <div className={styles.view} aria-busy={isStale}>
      <header className={styles.head}>
        <Moment
          label="From"
          time={time}
          point={between.from}
          onChange={(point) => onChange({ ...between, from: point })}
        />
        <Moment label="To" time={time} point={between.to} onChange={(point) => onChange({ ...between, to: point })} />
        <Button className={styles.swap} onClick={() => onChange({ from: between.to, to: between.from })}>
          Swap
        </Button>
      </header>
      {difference.isError ? (
        <ErrorState error={difference.error} onRetry={() => void difference.refetch()} />
      ) : difference.data === undefined ? (
        <Loading what="the difference" lines={8} />
      ) : (
        <>
          <DifferenceFigures difference={difference.data} isStale={isStale} />
          {difference.data.left.length + difference.data.entered.length === 0 ? (
            <EmptyState title="Nothing changed">
              The window holds the same items at both moments. Choose moments further apart.
            </EmptyState>
          ) : (
            <DifferenceTable difference={difference.data} time={time} opened={opened} onToggle={toggle} />
          )}
        </>
      )}
    </div>
  )
}

type MomentProps = {
  readonly label: string
  readonly time: Time
  readonly point: TimePoint
  readonly onChange: (point: TimePoint) => void
}

function Moment({ label, time, point, onChange }: MomentProps) {
  const here = normalised(point, time.course)
  return (
    <>
      <span className="dim">{label.toLowerCase()}</span>
      <TimeSlider label={label} time={time} point={here} onChange={onChange} />
      <span className={styles.betweenText}>{momentText(here, time.timeline, time.course, time.runSteps)}</span>
    </>
  )
}

type DifferenceFiguresProps = { readonly difference: ContextDifference; readonly isStale: boolean }

/** The window before and after, in tokens. */
function DifferenceFigures({ difference, isStale }: DifferenceFiguresProps) {
  const { before, after, left, entered, stayed } = difference
  const change = after.activeTokens - before.activeTokens
  return (
    <section className={styles.figures} aria-label="Totals" data-stale={isStale || undefined}>
      <p className={windowStyles.line}>
        <span>
          <strong className={windowStyles.tokens}>
            {formatCount(before.activeTokens)} → {formatCount(after.activeTokens)}
          </strong>{' '}
          <span className="dim">tokens in the window</span>
        </span>
        <span className={styles.change} data-sign={Math.sign(change)}>
          {change > 0 ? '+' : change < 0 ? '−' : '±'}
          {formatCount(Math.abs(change))}
          {before.activeTokens > 0 && ` (${formatPercent(Math.abs(change) / before.activeTokens)})`}
        </span>
      </p>
      <p className="dim">
        {plural(entered.length, 'item')} came in (+{formatCount(sumTokens(entered))}), {plural(left.length, 'item')}{' '}
        left (−{formatCount(sumTokens(left))}), {formatCount(stayed)} stayed · {formatPressure(before.pressure)} →{' '}
        {formatPressure(after.pressure)} of the budget
        {before.atMs !== null && after.atMs !== null && (
          <>
            {' '}
            · {formatShort(before.atMs)} → {formatShort(after.atMs)}
          </>
        )}
      </p>
      {(before.reconstructed || after.reconstructed) && (
        <p className="dim" role="note">
          Reconstructed: the file does not record every change of its window, so creation times were used.
        </p>
      )}
    </section>
  )
}
