import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ComparedWindow, Comparison, ComparisonInput } from '#core/contract/comparison.ts'
import { api } from '#renderer/api.ts'
import {
  type CompareAddress,
  type DifferenceFilter,
  isNoComparison,
  LAST_RUN,
  type SideAddress,
  withSide,
} from '#renderer/compare-address.ts'
import { navigate, useRoute } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { Kbd } from '#renderer/ui/controls/kbd.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { useKeys } from '#renderer/ui/controls/use-keys.ts'
import type { Browse } from '#renderer/ui/data/browse.ts'
import { AFTER, type MomentChoice, windowOf, windowOptions } from '#renderer/ui/data/window-choice.ts'
import { JobProgress } from '#renderer/ui/parts/job-progress.tsx'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { later } from '#renderer/ui/states/later.tsx'
import view from '#renderer/ui/styles/view.module.css'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { givenText } from '#renderer/ui/texts/room-text.ts'
import { TextWithNames } from '#renderer/ui/texts/text-with-names.tsx'
import formStyles from './compare-form.module.css'
import { CompareLegend, DIFFERENCES, DifferenceTable, type NumberedDifference } from './difference-table.tsx'
import { Mirror } from './mirror.tsx'
import { revealing, type Sight, zoomed } from './mirror-layout.ts'
import { SideForm } from './side-form.tsx'
import { TwoTexts } from './two-texts.tsx'
import { useComparison } from './use-comparison.ts'

// It loads schemas, with which the details of an error are read.
const NotCompared = later(() => import('./not-compared.tsx').then((code) => code.NotCompared))

type Props = {
  readonly conversationId: number
  readonly a: MomentChoice
  readonly b: MomentChoice
  /** The moment before the last compaction, or null without one. */
  readonly firstMoment: string | null
  /** Whether anything was ever compacted; null until it is known. */
  readonly hasRuns: boolean | null
  readonly browse: Browse
}

/** Two conversations, or one at two moments, beside each other. */
export function CompareView({ conversationId, a, b, firstMoment, hasRuns, browse }: Props) {
  const { compare } = useRoute()
  const presets = useQuery(api.compaction.presets.queryOptions())
  const report = useQuery(api.settings.report.queryOptions())
  const options = windowOptions(presets.data ?? [], report.data ?? { providers: [] })
  const set = (patch: Partial<CompareAddress>) => navigate({ compare: { ...compare, ...patch } }, 'replace')
  const windowFor = (side: SideAddress, { moment }: MomentChoice): ComparedWindow | null => {
    const window = windowOf(side.window ?? 'now', moment, presets.data ?? [])
    if (window === null) return null
    const own = side.file === null ? (side.conversation ?? conversationId) : side.conversation
    return {
      ...(side.file !== null && { path: side.file }),
      ...(own !== null && { conversationId: own }),
      ...window,
    }
  }
  useLastRun(compare, hasRuns === null ? undefined : firstMoment)
  const [choosing, setChoosing] = useState<'A' | 'B' | null>(null)
  const isAsking = isNoComparison(compare)
  const [left, right] =
    compare.a.window === LAST_RUN ? [null, null] : [windowFor(compare.a, a), windowFor(compare.b, b)]
  const isItself = left !== null && right !== null && JSON.stringify(left) === JSON.stringify(right)
  const input: ComparisonInput | null =
    left === null || right === null || isItself || hasRuns === null ? null : { a: left, b: right, limit: 2000 }
  // Nothing is copied and compacted, and no model is asked, before somebody says so.
  const isTrial = left?.after !== undefined || right?.after !== undefined
  const { job, found, isRunning, error, start } = useComparison(input, isTrial)
  const swap = () => set({ a: compare.b, b: compare.a, difference: null })
  useKeys({ s: swap })
  return (
    <section className={view.view} aria-label="Compare">
      <div className={formStyles.form}>
        <SideForm
          name="A"
          side={compare.a}
          moment={a}
          {...{ conversationId, options, firstMoment, browse }}
          isChoosing={choosing === 'A'}
          onChoosing={(isOpen) => setChoosing(isOpen ? 'A' : null)}
          onChange={(side) => set(withSide(compare, 'a', side))}
        />
        <IconButton icon="swap" label="Swap the sides (s)" onClick={swap} />
        <SideForm
          name="B"
          side={compare.b}
          moment={b}
          {...{ conversationId, options, firstMoment, browse }}
          isChoosing={choosing === 'B'}
          onChoosing={(isOpen) => setChoosing(isOpen ? 'B' : null)}
          onChange={(side) => set(withSide(compare, 'b', side))}
        />
        <span className={formStyles.end}>
          <Button look={found === null ? 'primary' : 'plain'} disabled={input === null || isRunning} onClick={start}>
            {found === null ? 'Compare' : 'Compare again'}
          </Button>
        </span>
      </div>
      {isRunning && (
        <div className={view.running}>
          <JobProgress job={job?.state === 'running' ? job : null} title="Comparing…" />
        </div>
      )}
      {!isRunning && error ? (
        <NotCompared error={error} address={compare} onSet={set} onRetry={start} />
      ) : found !== null ? (
        <Found found={found} address={compare} onSet={set} />
      ) : isAsking ? (
        <EmptyState
          title="What do you want to compare?"
          isChoice
          actions={
            <>
              {hasRuns && firstMoment !== null && (
                <Button look="primary" onClick={() => set({ a: { ...compare.a, window: firstMoment } })}>
                  Before and after the last compaction
                </Button>
              )}
              <Button onClick={() => setChoosing('B')}>Another conversation or memory…</Button>
              <Button onClick={() => set({ b: { ...compare.b, window: AFTER } })}>What a compaction would leave</Button>
            </>
          }
        >
          Two moments of this conversation, two conversations, or two memory files of any system. Nothing is changed: a
          compaction is tried on a copy that is removed afterwards.
        </EmptyState>
      ) : (
        !isRunning && (
          <EmptyState title={isItself ? 'Both sides are the same' : 'Two memories, beside each other'}>
            {isItself
              ? 'Choose another moment, conversation or memory on one side.'
              : job?.state === 'cancelled'
                ? 'The last comparison was cancelled.'
                : 'Choose a moment, another conversation, another memory of any system, or what a compaction would leave, and press Compare. Nothing is changed: a compaction is tried on a copy that is removed afterwards.'}
          </EmptyState>
        )
      )}
    </section>
  )
}

/**
 * Puts the moment before the last compaction in the place of the word for it.
 * @param moment null without a compaction, undefined until it is known
 */
function useLastRun(compare: CompareAddress, moment: string | null | undefined): void {
  const { a } = compare
  useEffect(() => {
    if (a.window === LAST_RUN && moment !== undefined)
      navigate({ compare: { ...compare, a: { ...a, window: moment } } }, 'replace')
  })
}

/** Two histories without a message that both have. One without any message has nothing to be laid beside, either. */
const hasNothingInCommon = ({ a, b, same }: Pick<Comparison, 'a' | 'b' | 'same'>): boolean =>
  same.messages === 0 && (a.messages > 0 || b.messages > 0)

type FoundProps = {
  readonly found: Comparison
  readonly address: CompareAddress
  readonly onSet: (patch: Partial<CompareAddress>) => void
}

function Found({ found, address, onSet }: FoundProps) {
  const info = useQuery(api.memory.info.queryOptions())
  const [sight, setSight] = useState<Sight>({ from: 0, to: found.places })
  const [width, setWidth] = useState(0)
  const [isLinked, setLinked] = useState(true)
  const all = found.differences.map((difference, index): NumberedDifference => ({ number: index + 1, difference }))
  const rows = all.filter(({ difference: { kind } }) => address.only === 'all' || kind === KIND_OF[address.only])
  const selected = all.find(({ number }) => number === address.difference)?.difference ?? null
  const select = (number: number) => {
    const difference = all[number - 1]?.difference
    onSet({ difference: number })
    if (difference && width > 0) setSight(revealing(sight, difference.first, difference.last, found.places, width))
    document.getElementById(DIFFERENCES)?.focus({ preventScroll: true })
  }
  const move = (steps: 1 | -1) => {
    const at = rows.findIndex(({ number }) => number === address.difference)
    const next = rows[at < 0 ? (steps > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + steps))]
    if (next) select(next.number)
  }
  const zoom = (factor: number) => setSight(zoomed(sight, factor, (sight.from + sight.to) / 2, found.places))
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    l: () => setLinked(!isLinked),
    '+': () => zoom(0.5),
    '-': () => zoom(2),
    '0': () => setSight({ from: 0, to: found.places }),
    ...Object.fromEntries(FILTERS.map(({ value }, index) => [String(index + 1), () => onSet({ only: value })])),
  })
  const onBar = (name: 'a' | 'b', index: number) => {
    const id = found[name].layers.id[index]
    const at = all.find(({ difference }) => difference.what !== 'messages' && difference[name]?.id === id)
    if (at) select(at.number)
  }
  const { counts, same } = found
  const total = counts.onlyA + counts.onlyB + counts.differently
  const figures: Readonly<Record<DifferenceFilter, number>> = {
    all: total,
    a: counts.onlyA,
    b: counts.onlyB,
    differently: counts.differently,
  }
  return (
    <>
      {hasNothingInCommon(found) ? (
        <div className={formStyles.apart}>
          <EmptyState title="Nothing in common">
            No message stands on both sides, so there is no history along which to lay them. The list says what each
            side has.
          </EmptyState>
        </div>
      ) : (
        <Mirror {...{ found, sight, selected, onBar }} onSight={setSight} onWidth={setWidth} />
      )}
      <div className={formStyles.bar}>
        <b role="status">{total === 0 ? 'No difference' : plural(total, 'difference')}</b>
        <Segmented
          label="Differences"
          options={FILTERS.map(({ value, label }) => ({ value, label: `${label} ${formatCount(figures[value])}` }))}
          value={address.only}
          onChange={(only) => onSet({ only, difference: null })}
        />
        <CompareLegend />
        <span className={formStyles.keys}>
          <Kbd>j</Kbd> <Kbd>k</Kbd> difference <Kbd>s</Kbd> swap
        </span>
      </div>
      {[
        ...found.notes,
        ...(total > found.differences.length
          ? [`The first ${formatCount(found.differences.length)} differences are listed.`]
          : []),
      ].map((note) => (
        <p key={note} className={formStyles.note}>
          {note}
        </p>
      ))}
      {total === 0 ? (
        <EmptyState title="No difference">
          Both have the same {plural(same.messages, 'message')} and {plural(same.summaries, 'summary', 'summaries')},
          and the same window.
        </EmptyState>
      ) : (
        <DifferenceTable rows={rows} selected={address.difference} onSelect={select} />
      )}
      {selected && (
        <TwoTexts
          key={address.difference}
          difference={selected}
          {...{ a: found.a, b: found.b, isLinked }}
          ownPath={info.data?.path}
          onLink={() => setLinked(!isLinked)}
        />
      )}
      <p className={formStyles.foot}>
        {(['a', 'b'] as const).map((name) => (
          <span key={name}>
            {name.toUpperCase()} <TextWithNames text={found[name].name} />: {plural(found[name].messages, 'message')} ·{' '}
            {plural(found[name].summaries, 'summary', 'summaries')} · {givenText(found[name])}
            {found[name].reconstructed && ' (inferred)'}
          </span>
        ))}
        <span>
          {formatCount(same.messages)} of {plural(found.places, 'message')} on both sides
        </span>
      </p>
    </>
  )
}

const KIND_OF = { a: 'only_a', b: 'only_b', differently: 'differently' } as const
const FILTERS: readonly { readonly value: DifferenceFilter; readonly label: string }[] = [
  { value: 'all', label: 'all' },
  { value: 'a', label: 'only A' },
  { value: 'b', label: 'only B' },
  { value: 'differently', label: 'differently' },
]
