import { type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import type { ConversationRow } from '#core/contract/memory.ts'
import type { Pruning } from '#core/contract/time-travel.ts'
import { api } from '#renderer/api.ts'
import { useShownChoice } from '#renderer/routes.ts'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { timelineOf } from '#renderer/ui/data/timeline-query.ts'
import { depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { DepthSwatch } from '#renderer/ui/nodes/depth-swatch.tsx'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatCompact, formatCount, plural } from '#renderer/ui/texts/format.ts'
import { usageOf } from './cache-ribbon.tsx'
import { AXES, axisOf, type ChartAxis, endOf, pointsFrom, TIME_RANGE_OPTIONS, TIME_RANGES } from './chart-axis.ts'
import { BUCKETS, type OtherCurve } from './other-curves.ts'
import styles from './pressure-chart.module.css'
import { PressureChart } from './pressure-chart.tsx'
import { depthsOn, endsAt, peakOf, pressureCurve, stepsOn } from './pressure-curve.ts'

type Props = {
  /** Active tokens are null until they are measured. */
  readonly conversation: Pick<ConversationRow, 'conversationId'> & { readonly activeTokens: number | null }
  readonly budgetTokens: number
  /** The name of the conversation, where more than one is shown. */
  readonly title?: string
  /** Other conversations, which are drawn in grey on an axis of time. */
  readonly others?: readonly OtherCurve[]
  readonly onChoose?: (conversationId: number) => void
}

const NONE: readonly Pruning[] = []
const NO_OTHERS: readonly OtherCurve[] = []
/** The columns of the messages on an axis. Until they are there, those of the conversation's other axis are kept. */
export function columnOptions(queries: QueryClient, conversationId: number, axis: ChartAxis, isAsked: boolean) {
  const on = (one: ChartAxis) => ({ conversationId, axis: one, x0: 0, buckets: BUCKETS })
  return api.strata.messages.queryOptions({
    input: isAsked ? on(axis) : skipToken,
    placeholderData: () =>
      queries.getQueryData(api.strata.messages.queryKey({ input: on(axis === 'time' ? 'messages' : 'time') })),
  })
}

/** The size of the window over the history: messages fill it, and compactions empty it. */
export function PressureHistory({ conversation, budgetTokens, title, others = NO_OTHERS, onChoose }: Props) {
  const { conversationId, activeTokens } = conversation
  const settings = useQuery(api.memory.settings.queryOptions())
  const asked = useQuery(timelineOf(conversationId))
  // What arrives is drawn in short tasks: there may be many thousand events.
  const timeline = useDeferredValue(asked.data)
  const [axis, setAxis] = useShownChoice('start.axis', AXES)
  const messages = asked.data?.messages ?? 0
  const askedColumns = useQuery(columnOptions(useQueryClient(), conversationId, axis, messages > 0))
  const columns = useDeferredValue(askedColumns.data)
  const usage = useQuery({ ...usageOf(conversationId), enabled: messages > 0 })
  const points = timeline && columns && pressureCurve(columns, timeline.events, timeline.prunings)
  const [range, setRange] = useShownChoice('start.range', TIME_RANGES)
  const originMs = columns?.originMs ?? null
  const drawn = originMs === null ? NO_OTHERS : others
  const part = useMemo(() => {
    const whole = axisOf(points?.at(-1)?.x || 1, originMs, drawn)
    return originMs === null ? whole : endOf(whole, range)
  }, [points, originMs, drawn, range])
  const shown = points && pointsFrom(points, part.from)
  const error = asked.error ?? askedColumns.error
  if (asked.data !== undefined && messages === 0) return null
  return (
    <section className={styles.section} aria-label="Tokens in the window over time">
      <SectionHeading
        aside={
          <span className={styles.aside}>
            {shown && (
              <span className={styles.fullest}>fullest {formatCompact(peakOf(shown)?.tokens ?? 0)} tokens</span>
            )}
            {originMs !== null && (
              <Segmented label="Time shown" options={TIME_RANGE_OPTIONS} value={range} onChange={setRange} />
            )}
            <Segmented
              label="What the axis shows"
              options={AXES.map((value) => ({ value, label: value }))}
              value={axis}
              onChange={setAxis}
            />
          </span>
        }
      >
        {title === undefined ? 'Tokens in the window over time' : <bdi className={styles.title}>{title}</bdi>}
      </SectionHeading>
      {error !== null ? (
        <ErrorLine error={error} />
      ) : !points || !shown || !timeline || !settings.data ? (
        <Loading what="the history of the window" lines={4} />
      ) : (
        <>
          <PressureChart
            conversationId={conversationId}
            curve={points}
            axis={part}
            events={timeline.events}
            prunings={timeline.prunings ?? NONE}
            usage={usage.data}
            originMs={originMs}
            name={title ?? null}
            others={drawn}
            onChoose={onChoose}
            budgetTokens={budgetTokens}
            softTokens={settings.data.softThreshold * budgetTokens}
            hardTokens={settings.data.hardThreshold * budgetTokens}
          />
          <p className={styles.scale}>
            <span>
              {plural(stepsOn(shown), 'compaction step')}
              {stepsOn(shown) > 0 && (
                <>
                  :
                  {depthsOn(shown, timeline.events).map((depth) => (
                    <span key={depth} className={styles.key}>
                      <DepthSwatch node={{ kind: 'condensed', depth }} />
                      {depthLabel(depth)}
                    </span>
                  ))}
                </>
              )}
              {timeline.prunings && `; pruned ${times(timeline.prunings.length)} without a summary`}
            </span>
            {axis === 'time' && columns?.originMs === undefined && <span>No message has a time.</span>}
          </p>
          {timeline.beside !== undefined && (
            <p className={styles.note}>
              The window holds every message: {plural(timeline.beside, 'summary', 'summaries')} replaced none.
            </p>
          )}
          {!timeline.isExact && timeline.events.length > 0 && (
            <p className={styles.note}>
              Reconstructed: the file keeps no log of its window, so creation times say when each summary came in.
            </p>
          )}
          {activeTokens !== null && !endsAt(points, activeTokens) && (
            <p className={styles.note}>
              Messages and summaries add up to {formatCount(Math.round(points.at(-1)?.tokens ?? 0))} tokens; the window
              holds {formatCount(activeTokens)}. A fork begins with messages of another conversation, and agents change
              windows, too.
            </p>
          )}
        </>
      )}
    </section>
  )
}

const times = (count: number): string => (count === 1 ? 'once' : `${formatCount(count)} times`)
