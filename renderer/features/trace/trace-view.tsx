import { type ReactNode, useEffect, useRef } from 'react'
import type { FactPlace } from '#core/contract/trace.ts'
import { currentRoute, navigate, useRoutePart } from '#renderer/routes.ts'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { SEARCH_FIELD } from '#renderer/ui/controls/search-field-id.ts'
import { useKeys } from '#renderer/ui/controls/use-keys.ts'
import { useTypedQuery } from '#renderer/ui/data/use-typed-query.ts'
import { MessageName } from '#renderer/ui/nodes/message-name.tsx'
import { messageNumber } from '#renderer/ui/nodes/message-number.ts'
import { useName } from '#renderer/ui/nodes/use-names.ts'
import { ConversationScope } from '#renderer/ui/parts/conversation-scope.tsx'
import { OverallVerdict } from '#renderer/ui/parts/overall-verdict-line.tsx'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import field from '#renderer/ui/styles/search-input.module.css'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { FollowedTrace } from './followed-trace.tsx'
import { PlaceList } from './place-list.tsx'
import styles from './trace-view.module.css'
import { useLadder, usePlaces, useTraceAsked } from './use-trace.ts'

type Props = {
  /** Switches to finding texts or asking a question. */
  readonly kinds: ReactNode
}

const SETTLE_MS = 250

/** Follows what was said through the summaries up to the window. */
export function TraceView({ kinds }: Props) {
  const asked = useTraceAsked()
  const selection = useRoutePart('selection')
  const places = usePlaces(asked)
  const ladder = useLadder(asked)
  useOwnConversation(asked.tracedId ?? places.data?.id ?? null, ladder.data?.conversationId ?? null)
  const found = places.data?.places ?? []
  const chosen = asked.tracedId ?? places.data?.id ?? null
  const isAsked = asked.tracedId !== null || (asked.query ?? '').trim() !== ''
  const open = ({ id, kind, conversationId }: FactPlace) =>
    navigate({ selection: id, conversationId, view: kind === 'message' ? 'messages' : 'layers' }, 'push')
  const rungs = ladder.data?.ladder.flatMap(({ id }) => id ?? []) ?? []
  const step = (by: 1 | -1) => {
    const at = rungs.indexOf(selection ?? '')
    const next = rungs[at < 0 ? 0 : Math.min(rungs.length - 1, Math.max(0, at + by))]
    if (next !== undefined) navigate({ selection: next }, 'replace')
  }
  /** The rung to which the arrow keys led comes before the place whose way is shown. */
  const openSelected = () => {
    const rung = ladder.data?.ladder.find(({ id }) => id !== null && id === selection)
    const place = found.find(({ id }) => id === chosen)
    if (rung && (rung.id !== chosen || place === undefined))
      navigate({ selection, view: rung.kind === 'message' ? 'messages' : 'layers' }, 'push')
    else if (place) open(place)
    else return false
  }
  useKeys({ ArrowUp: () => step(1), ArrowDown: () => step(-1), Enter: openSelected })
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
            {found.length > 1 && places.data?.id !== null && <OverallVerdict places={found} />}
            <FollowedTrace
              asked={asked}
              nothing={
                found.length > 0
                  ? 'The nearest texts are listed: choose one to see its way.'
                  : 'No message and no summary has these words. Try fewer of them, or a name or number alone.'
              }
            />
          </div>
        </div>
      )}
    </section>
  )
}

/** A hit of another conversation is shown among what belongs to it. Whoever then turns to another one stays there. */
function useOwnConversation(tracedId: string | null, own: number | null): void {
  const conversationId = useRoutePart('conversationId')
  const entered = useRef<string | null>(null)
  useEffect(() => {
    if (tracedId === null || own === null || entered.current === tracedId) return
    entered.current = tracedId
    if (own !== conversationId) navigate({ conversationId: own, selection: currentRoute().selection }, 'replace')
  }, [tracedId, own, conversationId])
}

/** The words that are traced. The address follows the typing. */
function TraceField({ kinds }: Props) {
  const tracedId = useRoutePart('tracedId')
  // Other words may stand somewhere else.
  const { text, type, query } = useTypedQuery(SETTLE_MS, { tracedId: null })
  return (
    <div className={styles.line}>
      {kinds}
      <label className={field.field}>
        <Icon name="search" />
        {tracedId !== null && query === '' && (
          <span className={styles.of}>
            all of <TracedName id={tracedId} />
          </span>
        )}
        <input
          id={SEARCH_FIELD}
          type="search"
          value={text}
          onChange={(event) => type(event.target.value)}
          placeholder={
            tracedId === null ? 'A number, a path, a name, or what was decided' : 'or only these words of it'
          }
          aria-label="What to trace"
          autoComplete="off"
          spellCheck={false}
        />
        {tracedId === null && <ConversationScope />}
      </label>
    </div>
  )
}

/** A message by its number, a summary by its name. */
function TracedName({ id }: { readonly id: string }) {
  const name = useName(id)
  if (messageNumber(id) !== null) return <MessageName id={id} />
  return <span title={id}>{name === null ? id : <MarkedText text={name} />}</span>
}
