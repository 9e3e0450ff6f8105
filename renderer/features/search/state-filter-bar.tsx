import type { FactState } from '../../../core/contract/trace.ts'
import { formatCount } from '../../ui/format.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { STATE_HINTS, StateMark } from '../../ui/state-mark.tsx'
import { useKeys } from '../../ui/use-keys.ts'
import type { StateFilter } from './hit-states.ts'
import styles from './search-view.module.css'

type Props = {
  readonly filter: StateFilter
  readonly onFilter: (filter: StateFilter) => void
  readonly counts: ReadonlyMap<FactState, number>
  /** True while hits are still being traced, so that the numbers grow. */
  readonly isPending: boolean
}

const STATES = ['kept', 'partly', 'dropped', 'changed', 'unknown'] as const

/** Limits the hits by what became of them in the window. */
export function StateFilterBar({ filter, onFilter, counts, isPending }: Props) {
  const toggle = (state: StateFilter) => onFilter(filter === state ? 'all' : state)
  useKeys({ x: () => toggle('lost') })
  return (
    <fieldset className={styles.stateBar} aria-label="What became of the hits in the window" aria-busy={isPending}>
      <button type="button" aria-pressed={filter === 'all'} onClick={() => onFilter('all')}>
        all
      </button>
      {STATES.map((state) => (
        <button
          key={state}
          type="button"
          aria-pressed={filter === state || (filter === 'lost' && (state === 'dropped' || state === 'changed'))}
          title={STATE_HINTS[state]}
          onClick={() => toggle(state)}
        >
          <StateMark state={state}>{`${state} ${formatCount(counts.get(state) ?? 0)}`}</StateMark>
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
