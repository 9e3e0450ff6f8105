import type { FactTrace } from '#core/contract/trace.ts'
import { navigate, useRoutePart } from '#renderer/routes.ts'
import { MessageName } from '#renderer/ui/nodes/message-name.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { StateMark } from '#renderer/ui/parts/state-mark.tsx'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatCount, formatDuration } from '#renderer/ui/texts/format.ts'
import { formatShort } from '#renderer/ui/texts/format-time.ts'
import { TextWithNames } from '#renderer/ui/texts/text-with-names.tsx'
import { useNow } from '#renderer/ui/texts/use-now.ts'
import { LadderCards } from './ladder-cards.tsx'
import styles from './trace-view.module.css'
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
  if (ladder.data === undefined && asked.areMissing) return null
  if (ladder.data === undefined) return <Loading what="trace" lines={7} doing="Following it to the window…" />
  if (ladder.data.ladder.length === 0) return <EmptyState title="Nothing says this">{nothing}</EmptyState>
  return <Ladder trace={ladder.data} />
}

function Ladder({ trace }: TraceProps) {
  return (
    <>
      <Verdict trace={trace} />
      <Rungs trace={trace} />
    </>
  )
}

type TraceProps = { readonly trace: FactTrace }

/** What became of it, in a sentence, and when it stood in the window. */
export function Verdict({ trace }: TraceProps) {
  const nowMs = useNow(REFRESH_MS)
  const { before, after } = verdictOf(trace, nowMs)
  const note = verdictNote(trace)
  const { lostAt, state, inWindow, notes } = trace
  const [again] = trace.toldAgain
  return (
    <>
      <header className={styles.verdict}>
        <StateMark state={lostAt !== null && state === 'kept' ? 'dropped' : state}>{''}</StateMark>
        <div>
          <h2>
            {before} {lostAt !== null && <NodeLink id={lostAt.id} maxChars={18} />} {after}
          </h2>
          {note !== '' && <p>{note}</p>}
          {inWindow && lostAt !== null && again && (
            <p>
              <NodeLink id={again.id} /> says it again, so that it is in the window.
            </p>
          )}
          {notes.map((one) => (
            <p key={one}>
              <TextWithNames text={one} />
            </p>
          ))}
        </div>
      </header>
      <StoodBar trace={trace} nowMs={nowMs} />
    </>
  )
}

/** The way from the window down to the message, and the summaries beside it that stand for it, too. */
export function Rungs({ trace }: TraceProps) {
  const selection = useRoutePart('selection')
  const { others } = trace
  return (
    <>
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

type StoodBarProps = { readonly trace: FactTrace; readonly nowMs: number }

/** When what is traced stood in the window: in from its message on, out since the run that dropped it. */
function StoodBar({ trace: { stood, lostAt }, nowMs }: StoodBarProps) {
  const first = stood[0]?.fromAtMs
  if (first === undefined) return null
  const last = Math.max(first, ...stood.flatMap(({ fromAtMs, toAtMs }) => [fromAtMs, toAtMs ?? fromAtMs]))
  // What still stands goes on after the last change, which the file does not say anything about.
  const end = last + Math.max(1, (last - first) * 0.06)
  const at = (ms: number): string => `${(((ms - first) / Math.max(1, end - first)) * 100).toFixed(2)}%`
  const [, again] = stood
  const out = stood[0]?.toAtMs ?? null
  return (
    <div className={styles.stood}>
      <p className={styles.ends}>
        <span>{out === null || out > first ? 'in the window' : 'out'}</span>
        {out !== null && again && <span className="dim">out for {formatDuration(again.fromAtMs - out)}</span>}
        {again && (
          <span>
            back, <MessageName id={again.id} />
          </span>
        )}
      </p>
      <div className={styles.bar} aria-hidden="true">
        {stood.map(({ id, fromAtMs, toAtMs }) => (
          <span
            key={`${id} ${fromAtMs}`}
            style={{ left: at(fromAtMs), right: `calc(100% - ${toAtMs === null ? '100%' : at(toAtMs)})` }}
          />
        ))}
      </div>
      <p className={styles.ends}>
        <span>{formatShort(first, nowMs)}</span>
        {out !== null && (
          <span className={styles.lost}>
            {lostAt?.run ? `compaction ${lostAt.run}, ` : ''}
            {formatShort(out, nowMs)}
          </span>
        )}
        {again && <span>{formatShort(again.fromAtMs, nowMs)}</span>}
      </p>
    </div>
  )
}
