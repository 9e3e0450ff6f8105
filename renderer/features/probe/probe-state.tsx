import type { ProbeState } from '../../../core/contract/probe.ts'
import styles from './probe-state.module.css'
import { PROBE_SIGNS, STATE_HINTS, STATE_WORDS } from './probe-wording.ts'

/** The sign of a state and its word. */
export function ProbeStateMark({ state }: { readonly state: ProbeState }) {
  return (
    <span className={styles.mark} data-state={state} title={STATE_HINTS[state]}>
      <span className={styles.sign} aria-hidden="true">
        {PROBE_SIGNS[state]}
      </span>
      <span data-word="">{STATE_WORDS[state]}</span>
    </span>
  )
}
