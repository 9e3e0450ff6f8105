import type { FactState } from '../../../core/contract/trace.ts'
import styles from './state-mark.module.css'
import { SIGNS, STATE_HINTS } from './trace-wording.ts'

/** The sign of a state, with its name or another text. */
export function StateMark({ state, children }: { readonly state: FactState; readonly children?: string }) {
  return (
    <span className={styles.mark} data-state={state} title={STATE_HINTS[state]}>
      <span aria-hidden="true">{SIGNS[state]}</span>
      {children === '' ? <span className={styles.name}>{state}</span> : <span>{children ?? state}</span>}
    </span>
  )
}
