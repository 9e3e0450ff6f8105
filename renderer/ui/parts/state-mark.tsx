import type { FactState } from '#core/contract/trace.ts'
import styles from './state-mark.module.css'

/** The sign of each state. Colour is never the only one. */
export const STATE_SIGNS: Readonly<Record<FactState, string>> = {
  kept: '●',
  partly: '◐',
  dropped: '⊘',
  changed: '≠',
  unknown: '◌',
  left_out: '○',
}

/** What the window calls each state. */
export const STATE_NAMES: Readonly<Record<FactState, string>> = {
  kept: 'known',
  partly: 'partly',
  dropped: 'lost',
  changed: 'changed',
  unknown: 'unknown',
  left_out: 'left out',
}

export const STATE_HINTS: Readonly<Record<FactState, string>> = {
  kept: 'All of it stands there',
  partly: 'Some of its details stand there',
  dropped: 'Nothing of it stands there',
  changed: 'It stands there with another value, or denied',
  unknown: 'It may stand there in other words',
  left_out: 'It stands in the window, but the model is not given it',
}

/** The sign of a state, with its name or another text. */
export function StateMark({ state, children }: { readonly state: FactState; readonly children?: string }) {
  return (
    <span className={styles.mark} data-state={state} title={STATE_HINTS[state]}>
      <span aria-hidden="true">{STATE_SIGNS[state]}</span>
      {children === '' ? (
        <span className="unseen">{STATE_NAMES[state]}</span>
      ) : (
        <span>{children ?? STATE_NAMES[state]}</span>
      )}
    </span>
  )
}
