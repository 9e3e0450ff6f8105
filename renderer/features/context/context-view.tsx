import { useEffect, useMemo, useState } from 'react'
import { navigate, useRoutePart, useShown, useShownChoice } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { useConversation } from '#renderer/ui/data/use-conversations.ts'
import { useDebounced } from '#renderer/ui/data/use-debounced.ts'
import { useWindowRule } from '#renderer/ui/data/use-window-rule.ts'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorLine, ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatBytes, formatCount } from '#renderer/ui/texts/format.ts'
import { CategoryTable } from './category-table.tsx'
import styles from './context-view.module.css'
import { DifferenceView } from './difference-view.tsx'
import { ItemTable } from './item-table.tsx'
import { normalised } from './moments.ts'
import { PayloadView } from './payload-view.tsx'
import { ResumeNote } from './resume-note.tsx'
import { TimeBar, WaitingTimeBar } from './time-bar.tsx'
import { isMomentAddressed, useAddressedPoint, useTried, useWhatIf } from './use-addressed.ts'
import { useMoment, useTime } from './use-time.ts'
import { type SeenWindow, useAskedPoint, usePrefetch, useWindow } from './use-window.ts'
import { AS_CONFIGURED, assembleInput, changesSettings, type WhatIf } from './what-if.ts'
import { WhatIfPanel } from './what-if-panel.tsx'
import { WindowHead } from './window-head.tsx'

/** A larger window is listed only on request, because that takes seconds and gigabytes of memory. */
const MAX_ITEMS_UNASKED = 250_000

/** Long enough for a slider to pass by, and short enough to feel immediate. */
const SETTLE_MS = 60

type Props = { readonly conversationId: number }

/**
 * What the model sees next turn, or saw at an earlier moment: to scale, item by item, as the payload, and under other
 * settings.
 */
export function ContextView(props: Props) {
  const { data: conversation } = useConversation(props.conversationId)
  const items = conversation?.contextItems ?? 0
  // Decided once, so that a list does not disappear when the window grows.
  const [isListed, setListed] = useState(items <= MAX_ITEMS_UNASKED)
  return isListed ? <WholeWindow {...props} /> : <LargeWindow items={items} onList={() => setListed(true)} />
}

function WholeWindow({ conversationId }: Props) {
  const [whatIf, setWhatIf] = useWhatIf()
  const [form, setForm] = useShownChoice('window.form', FORM_NAMES)
  const { time, error: timeError } = useTime(conversationId)
  const [point, setPoint] = useAddressedPoint(time)
  const tried = useTried(conversationId, whatIf)
  const settings = useDebounced(tried.settings, SETTLE_MS)
  const query = useDebounced(whatIf.query, SETTLE_MS)
  const [resumed, setResumed] = useShown('window.resumed')
  const isResumed = resumed === '1'
  const input = useMemo(
    () => ({ ...assembleInput(conversationId, settings, query), ...(isResumed ? { resumed: true } : {}) }),
    [conversationId, settings, query, isResumed],
  )
  const [askedPoint, setBusy] = useAskedPoint(point, time)
  // The addressed moment may not exist any more.
  const there = time === null ? askedPoint : normalised(askedPoint, time.course)
  const moment = useMoment(conversationId, there, time)
  const isUnplaced = time === null && timeError === null && isMomentAddressed()
  const rule = useWindowRule()
  const answer = useWindow(input, isUnplaced ? null : moment)
  useEffect(() => setBusy(answer.isFetching), [setBusy, answer.isFetching])
  usePrefetch(input, there, time)
  const isStale =
    answer.isPlaceholderData || settings !== tried.settings || query !== whatIf.query || askedPoint !== point

  const window = useMemo(
    () => answer.data && { ...answer.data, ...thresholdsOf(tried.effective) },
    [answer.data, tried.effective],
  )
  return (
    <section className={styles.view} aria-label="Window of the conversation">
      <ContextToolbar whatIf={whatIf} onChange={setWhatIf} form={form} onForm={setForm} />
      <div className={styles.main}>
        {answer.isError && window === undefined ? (
          <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />
        ) : window === undefined || (form === 'difference' && time === null && timeError === null) ? (
          <Loading what="the window" lines={9} />
        ) : form === 'difference' && time !== null ? (
          <DifferenceView input={input} time={time} />
        ) : (
          <>
            {window.resume && (
              <ResumeNote
                conversationId={conversationId}
                resume={window.resume}
                isResumed={isResumed}
                onResumed={(next) => setResumed(next ? '1' : null)}
              />
            )}
            {form !== 'payload' && <WindowHead {...{ window, isStale, rule, isResumed }} />}
            {timeError !== null ? (
              <ErrorLine error={timeError} />
            ) : time === null ? (
              <WaitingTimeBar />
            ) : (
              <TimeBar time={time} point={point} onChange={setPoint} atMs={isStale ? null : (window.atMs ?? null)} />
            )}
            {form === 'list' && <WindowList window={window} isStale={isStale} />}
            {form === 'what-if' && (
              <div className={styles.tried}>
                <WhatIfPanel
                  conversationId={conversationId}
                  whatIf={whatIf}
                  tried={tried}
                  onChange={setWhatIf}
                  isPast={window.atMs !== undefined}
                />
                <WindowList window={window} isStale={isStale} />
              </div>
            )}
            {form === 'category' && <CategoryTable window={window} />}
            {form === 'payload' && <PayloadView input={input} moment={moment} />}
          </>
        )}
      </div>
    </section>
  )
}

/** Thresholds can be tried out, too, but do not change the window. */
const thresholdsOf = (settings: { softThreshold: number; hardThreshold: number } | null) =>
  settings && { softThreshold: settings.softThreshold, hardThreshold: settings.hardThreshold }

/** How much memory of the core one listed item takes, as measured with 2.4 million of them. */
const BYTES_PER_ITEM = 1_500

type LargeWindowProps = {
  readonly items: number
  readonly onList: () => void
}

/** Shown instead of a list that would keep core and page busy for a long time. */
function LargeWindow({ items, onList }: LargeWindowProps) {
  return (
    <EmptyState
      title={`${formatCount(items)} items stand in this window`}
      actions={
        <>
          <Button look="primary" onClick={() => navigate({ view: 'compact' }, 'push')}>
            Plan a compaction
          </Button>
          <Button onClick={onList}>List them all the same</Button>
        </>
      }
    >
      A list of so many takes long, and about {formatBytes(items * BYTES_PER_ITEM)} of memory. Start and Layers show the
      same window at once.
    </EmptyState>
  )
}

type WindowListProps = {
  readonly window: SeenWindow
  /** True while the answer to the last change is on its way. */
  readonly isStale: boolean
}

/** The window item by item. */
function WindowList({ window, isStale }: WindowListProps) {
  const selection = useRoutePart('selection')
  if (window.items.length === 0)
    return (
      <EmptyState title={window.atMs === undefined ? 'The window is empty' : 'The window was empty'}>
        {window.atMs === undefined
          ? 'The window of this conversation is empty, so the model would see nothing of it.'
          : 'Nothing of this conversation stood in the window at that moment.'}
      </EmptyState>
    )
  return (
    <div className={styles.list} aria-busy={isStale}>
      <ItemTable window={window} selection={selection} />
    </div>
  )
}

const FORMS = [
  { value: 'list', label: 'list', hint: 'The items in the order in which the model sees them' },
  { value: 'category', label: 'by category', hint: 'The items summed up' },
  { value: 'what-if', label: 'what if', hint: 'The items under another budget, threshold or system' },
  { value: 'payload', label: 'payload', hint: 'The request as it is sent' },
  { value: 'difference', label: 'difference', hint: 'What changed between two moments' },
] as const
const FORM_NAMES = ['list', 'category', 'what-if', 'payload', 'difference'] as const
type Form = (typeof FORM_NAMES)[number]

type ContextToolbarProps = {
  readonly whatIf: WhatIf
  readonly onChange: (whatIf: WhatIf) => void
  readonly form: Form
  readonly onForm: (form: Form) => void
}

/** Chooses the form in which the window is shown, and the query that ranks its older items. */
function ContextToolbar({ whatIf, onChange, form, onForm }: ContextToolbarProps) {
  return (
    <div className={styles.bar} role="toolbar" aria-label="Shown">
      <input
        type="search"
        className={styles.query}
        value={whatIf.query}
        aria-label="Rank older items by relevance to"
        placeholder="Rank by relevance to…"
        spellCheck={false}
        onChange={(event) => onChange({ ...whatIf, query: event.target.value })}
      />
      {form !== 'what-if' && changesSettings(whatIf) && (
        <Button
          title="Show the window as configured"
          onClick={() => onChange({ ...AS_CONFIGURED, query: whatIf.query })}
        >
          Other settings tried: reset
        </Button>
      )}
      <span className={styles.space} />
      <Segmented label="Shown as" options={FORMS} value={form} onChange={onForm} />
    </div>
  )
}
