import type { FactTrace } from '../../../core/contract/trace.ts'
import { navigate, useRoutePart } from '../../routes.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { formatCount } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import { StateMark } from '../../ui/state-mark.tsx'
import { useNow } from '../../ui/use-now.ts'
import styles from './followed-trace.module.css'
import { LadderCards } from './ladder-cards.tsx'
import { StoodBar } from './stood-bar.tsx'
import { verdictNote, verdictOf } from './trace-wording.ts'
import { type TraceAsked, useLadder } from './use-trace.ts'

type Props = {
  readonly asked: TraceAsked
  /** What is said when nothing says it. */
  readonly nothing?: string
}

const REFRESH_MS = 60_000

/** What became of something on its way to the window: the verdict, when it stood there, and the ladder. */
export function FollowedTrace({ asked, nothing = 'Its message holds nothing that could be followed.' }: Props) {
  const ladder = useLadder(asked)
  if (ladder.error) return <ErrorState error={ladder.error} onRetry={() => void ladder.refetch()} />
  if (ladder.data === undefined) return <Loading what="trace" lines={7} doing="Following it to the window…" />
  if (ladder.data.ladder.length === 0) return <EmptyState title="Nothing says this">{nothing}</EmptyState>
  return <Ladder trace={ladder.data} />
}

function Ladder({ trace }: { readonly trace: FactTrace }) {
  const selection = useRoutePart('selection')
  const nowMs = useNow(REFRESH_MS)
  const { before, after } = verdictOf(trace, nowMs)
  const note = verdictNote(trace)
  const { lostAt, state, others, notes } = trace
  return (
    <>
      <header className={styles.verdict}>
        <StateMark state={lostAt !== null && state === 'kept' ? 'dropped' : state}>{''}</StateMark>
        <div>
          <h2>
            {before} {lostAt !== null && <NodeLink id={lostAt.id} maxChars={18} />} {after}
          </h2>
          {note !== '' && <p>{note}</p>}
          {notes.map((one) => (
            <p key={one}>{one}</p>
          ))}
        </div>
      </header>
      <StoodBar trace={trace} nowMs={nowMs} />
      <LadderCards trace={trace} selection={selection} onSelect={(id) => navigate({ selection: id }, 'replace')} />
      {others.length > 0 && (
        <p className={styles.others}>
          {formatCount(others.length)} other {others.length === 1 ? 'summary stands' : 'summaries stand'} for it, too:{' '}
          {others.slice(0, 6).map(({ id, state: own }) => (
            <span key={id}>
              <StateMark state={own}>{''}</StateMark> <NodeLink id={id ?? ''} />{' '}
            </span>
          ))}
        </p>
      )}
    </>
  )
}
