import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { FactPlace, FactTrace } from '../../../core/contract/trace.ts'
import { navigate, useRoute } from '../../routes.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { formatCount } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { Loading } from '../../ui/loading.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import { SEARCH_FIELD } from '../../ui/search-field-id.ts'
import { StateMark } from '../../ui/state-mark.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { useKeys } from '../../ui/use-keys.ts'
import { useNow } from '../../ui/use-now.ts'
import { LadderCards } from './ladder-cards.tsx'
import { PlaceList } from './place-list.tsx'
import { StoodBar } from './stood-bar.tsx'
import styles from './trace-view.module.css'
import { verdictNote, verdictOf } from './trace-wording.ts'
import { useLadder, usePlaces, useTraceAsked } from './use-trace.ts'

type Props = {
  /** Switches to finding texts or asking a question. */
  readonly kinds: ReactNode
}

const SETTLE_MS = 250
const REFRESH_MS = 60_000

/** Follows what was said through the summaries up to the window. */
export function TraceView({ kinds }: Props) {
  const asked = useTraceAsked()
  const { selection } = useRoute()
  const places = usePlaces(asked)
  const ladder = useLadder(asked)
  const found = places.data?.places ?? []
  const chosen = asked.tracedId ?? places.data?.id ?? null
  const isAsked = asked.tracedId !== null || (asked.query ?? '').trim() !== ''
  const open = ({ id, kind, conversationId }: FactPlace) =>
    navigate({ selection: id, conversationId, view: kind === 'message' ? 'transcript' : 'lineage' }, 'push')
  const rungs = ladder.data?.ladder.flatMap(({ id }) => id ?? []) ?? []
  const step = (by: 1 | -1) => {
    const at = rungs.indexOf(selection ?? '')
    const next = rungs[at < 0 ? 0 : Math.min(rungs.length - 1, Math.max(0, at + by))]
    if (next !== undefined) navigate({ selection: next }, 'replace')
  }
  useKeys({ ArrowUp: () => step(1), ArrowDown: () => step(-1) })
  return (
    <section className={styles.view} aria-label="Trace">
      <TraceField kinds={kinds} />
      {!isAsked ? (
        <EmptyState title="What became of it?">
          Enter words, a number, a path or a name; or select a message or summary anywhere and press T. The way of it
          through every summary up to the window is shown, and where it was lost.
        </EmptyState>
      ) : (
        <div className={styles.columns} data-alone={found.length === 0 || undefined}>
          {found.length > 0 && (
            <PlaceList
              places={found}
              areNearest={places.data?.id === null}
              chosen={chosen}
              onChoose={({ id }) => navigate({ tracedId: id, selection: id }, 'replace')}
              onOpen={open}
            />
          )}
          <div className={styles.ladder} aria-busy={ladder.isFetching}>
            {ladder.error ? (
              <ErrorState error={ladder.error} onRetry={() => void ladder.refetch()} />
            ) : ladder.data === undefined ? (
              <Loading what="trace" lines={7} doing="Following it to the window…" />
            ) : ladder.data.ladder.length === 0 ? (
              <EmptyState title="Nothing says this">
                {found.length > 0
                  ? 'The nearest texts are listed: choose one to see its way.'
                  : 'No message and no summary has these words. Try fewer of them, or a name or number alone.'}
              </EmptyState>
            ) : (
              <Followed
                trace={ladder.data}
                selection={selection}
                onSelect={(id) => navigate({ selection: id }, 'replace')}
              />
            )}
          </div>
        </div>
      )}
    </section>
  )
}

type FollowedProps = {
  readonly trace: FactTrace
  readonly selection: string | null
  readonly onSelect: (id: string) => void
}

function Followed({ trace, selection, onSelect }: FollowedProps) {
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
      <LadderCards trace={trace} selection={selection} onSelect={onSelect} />
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

/** The words that are traced. The address follows the typing. */
function TraceField({ kinds }: Props) {
  const { query, tracedId } = useRoute()
  const [text, setText] = useState(query ?? '')
  const settled = useDebounced(text, SETTLE_MS)
  const sent = useRef(query ?? '')
  useEffect(() => {
    if (settled === sent.current) return
    sent.current = settled
    // Other words may stand somewhere else.
    navigate({ query: settled === '' ? null : settled, tracedId: null }, 'replace')
  }, [settled])
  useEffect(() => {
    if ((query ?? '') === sent.current) return
    sent.current = query ?? ''
    setText(sent.current)
  }, [query])
  return (
    <div className={styles.line}>
      {kinds}
      <label className={styles.field}>
        <Icon name="search" />
        {tracedId !== null && query === null && <span className={styles.of}>all of {tracedId}</span>}
        <input
          id={SEARCH_FIELD}
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder={
            tracedId === null ? 'A number, a path, a name, or what was decided' : 'or only these words of it'
          }
          aria-label="What to trace"
          autoComplete="off"
          spellCheck={false}
        />
      </label>
    </div>
  )
}
