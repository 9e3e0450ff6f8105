import { PROBE_STATES } from '../../../core/contract/lists.ts'
import type { ProbeState, ProbeSum } from '../../../core/contract/probe.ts'
import { formatCount } from '../../ui/format.ts'
import { STATE_WORDS } from './probe-wording.ts'
import styles from './state-bar.module.css'

type Props = { readonly sum: ProbeSum; readonly label: string }

/** How many questions are in each state, to scale. */
export function StateBar({ sum, label }: Props) {
  const words = PROBE_STATES.map((state) => `${formatCount(countOf(sum, state))} ${STATE_WORDS[state]}`).join(', ')
  return (
    <div className={styles.bar} role="img" aria-label={`${label}: ${words}`}>
      {PROBE_STATES.map((state) => {
        const count = countOf(sum, state)
        return count === 0 ? null : (
          <span
            key={state}
            data-state={state}
            style={{ flexGrow: count }}
            title={`${formatCount(count)} ${STATE_WORDS[state]}`}
          />
        )
      })}
    </div>
  )
}

export function countOf(sum: ProbeSum, state: ProbeState): number {
  const { inWindow, bySearch, byExpanding, changed, dropped } = sum
  return { in_window: inWindow, by_search: bySearch, by_expanding: byExpanding, changed, dropped }[state]
}
