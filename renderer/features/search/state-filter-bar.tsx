import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { GrepHit } from '#core/contract/retrieval.ts'
import type { FactState, FactStates } from '#core/contract/trace.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Kbd } from '#renderer/ui/controls/kbd.tsx'
import { useKeys } from '#renderer/ui/controls/use-keys.ts'
import { tracedStates } from '#renderer/ui/data/traced-states.ts'
import { STATE_HINTS, STATE_NAMES, StateMark } from '#renderer/ui/parts/state-mark.tsx'
import filterButtons from '#renderer/ui/styles/filter-buttons.module.css'
import { formatCount } from '#renderer/ui/texts/format.ts'
import { batchesOf, type HitState, type HitStates, type StateFilter } from './hit-states.ts'
import styles from './search-view.module.css'

type Props = {
  readonly filter: StateFilter
  readonly onFilter: (filter: StateFilter) => void
  readonly counts: ReadonlyMap<FactState, number>
  /** True while hits are still being traced, so that the numbers grow. */
  readonly isPending: boolean
}

const STATES = ['kept', 'partly', 'dropped', 'changed', 'left_out', 'unknown'] as const

/** Limits the hits by what became of them in the window. */
export function StateFilterBar({ filter, onFilter, counts, isPending }: Props) {
  // The model is given most of what a window holds, so this state is seldom there.
  const shown = STATES.filter((state) => state !== 'left_out' || filter === state || (counts.get(state) ?? 0) > 0)
  const toggle = (state: StateFilter) => onFilter(filter === state ? 'all' : state)
  useKeys({ x: () => toggle('lost') })
  return (
    <fieldset
      className={classNames(filterButtons.buttons, styles.stateBar)}
      aria-label="What became of the hits in the window"
      aria-busy={isPending}
    >
      <button type="button" aria-pressed={filter === 'all'} onClick={() => onFilter('all')}>
        all
      </button>
      {shown.map((state) => (
        <button
          key={state}
          type="button"
          aria-pressed={filter === state || (filter === 'lost' && (state === 'dropped' || state === 'changed'))}
          title={STATE_HINTS[state]}
          onClick={() => toggle(state)}
        >
          <StateMark state={state}>{`${STATE_NAMES[state]} ${formatCount(counts.get(state) ?? 0)}`}</StateMark>
        </button>
      ))}
      {isPending && (
        <span className={styles.pending} role="status">
          tracing…
        </span>
      )}
      <span className={styles.keys}>
        <Kbd>x</Kbd> only lost
      </span>
    </fieldset>
  )
}

/** Traces the hits of the loaded pages for the searched words in the background, one batch after the other. */
export function useHitStates(
  pages: readonly (readonly GrepHit[])[],
  words: string | null,
): { states: HitStates; isPending: boolean } {
  const batches = useMemo(() => batchesOf(pages), [pages])
  const { traced, isPending } = useQueries({
    queries: batches.map((ids) => tracedStates(ids, words)),
    combine: combined,
  })
  const states = useMemo(() => new Map<string, HitState>(traced.map((one) => [one.id, one])), [traced])
  return { states, isPending }
}

type Traced = FactStates['states']

const combined = (results: readonly { readonly data: Traced | undefined; readonly isPending: boolean }[]) => ({
  traced: results.flatMap(({ data }) => data ?? []),
  isPending: results.some(({ isPending }) => isPending),
})
