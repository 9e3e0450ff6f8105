import type { FactPlace } from '#core/contract/trace.ts'
import { overallVerdict } from './overall-verdict.ts'
import styles from './overall-verdict-line.module.css'
import { StateMark } from './state-mark.tsx'
import { useNow } from './use-now.ts'

type Props = {
  readonly places: readonly Pick<FactPlace, 'state' | 'inWindow' | 'createdAtMs'>[]
  /** Which places these are, where they are not all that are listed. */
  readonly scope?: string | null
}

const REFRESH_MS = 60_000

/** What became of it, whichever place is looked at. The way of one place stands below. */
export function OverallVerdict({ places, scope = null }: Props) {
  const nowMs = useNow(REFRESH_MS)
  const { state, text } = overallVerdict(places, nowMs)
  return (
    <header className={styles.overall} data-state={state}>
      <StateMark state={state}>{''}</StateMark>
      <h2>{text}</h2>
      {scope !== null && <p>{scope}</p>}
    </header>
  )
}
