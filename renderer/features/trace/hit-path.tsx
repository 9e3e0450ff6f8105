import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { Rungs, Verdict } from './followed-trace.tsx'
import styles from './hit-path.module.css'
import { LostWithIt, Recoveries } from './recovery-panel.tsx'
import { type TraceAsked, useLadder } from './use-trace.ts'

/** Where the words of a hit are now, which summary lost them, and how to get them back. */
export function HitPath({ asked }: { readonly asked: TraceAsked }) {
  const found = useLadder(asked)
  if (found.error) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />
  if (!found.data) return <Loading what="path" lines={7} doing="Following it to the window…" />
  const trace = found.data
  return (
    <div className={styles.path}>
      <Verdict trace={trace} />
      <div className={styles.back}>
        <Recoveries trace={trace} query={asked.query} />
      </div>
      <Rungs trace={trace} />
      <div className={styles.back}>
        <LostWithIt trace={trace} />
      </div>
    </div>
  )
}
