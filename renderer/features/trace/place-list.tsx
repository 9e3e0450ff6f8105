import type { FactPlace, FactState, LostAt } from '#core/contract/trace.ts'
import { useShownChoice } from '#renderer/routes.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Kbd } from '#renderer/ui/controls/kbd.tsx'
import { useKeys } from '#renderer/ui/controls/use-keys.ts'
import { nodeColor, nodeLabel, nodeTextColor } from '#renderer/ui/nodes/depth-color.ts'
import { MessageName } from '#renderer/ui/nodes/message-name.tsx'
import { useName } from '#renderer/ui/nodes/use-names.ts'
import { STATE_NAMES, StateMark } from '#renderer/ui/parts/state-mark.tsx'
import filterButtons from '#renderer/ui/styles/filter-buttons.module.css'
import { formatCount, plural, shortenId } from '#renderer/ui/texts/format.ts'
import { Highlighted } from '#renderer/ui/texts/highlighted.tsx'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import styles from './trace-view.module.css'
import { beforeMark, shownExcerpt } from './trace-wording.ts'

type Props = {
  readonly places: readonly FactPlace[]
  /** True when none of them says it, so that these are only the nearest. */
  readonly areNearest: boolean
  readonly chosen: string | null
  readonly onChoose: (place: FactPlace) => void
  readonly onOpen: (place: FactPlace) => void
}

const STATES = ['kept', 'partly', 'dropped', 'changed', 'left_out', 'unknown'] as const
const FILTERS = ['all', ...STATES] as const

/** The messages and summaries that say what is traced, each with what became of it there. */
export function PlaceList({ places, areNearest, chosen, onChoose, onOpen }: Props) {
  const [filter, setFilter] = useShownChoice('find.places', FILTERS)
  const shown = filter === 'all' ? places : places.filter(({ state }) => state === filter)
  const at = shown.findIndex(({ id }) => id === chosen)
  const step = (by: 1 | -1) => {
    const next = shown[(at + by + shown.length) % Math.max(1, shown.length)]
    if (next) onChoose(next)
  }
  useKeys({
    n: () => step(1),
    p: () => step(-1),
    x: () => setFilter(filter === 'dropped' ? 'all' : 'dropped'),
  })
  const count = (state: FactState): number => places.filter((place) => place.state === state).length
  return (
    <div className={styles.list}>
      <div className={styles.head}>
        <p>
          {areNearest ? (
            `Nothing says this; the nearest ${formatCount(places.length)}`
          ) : (
            <strong>
              {plural(places.length, 'place')} {places.length === 1 ? 'says' : 'say'} it
            </strong>
          )}
        </p>
        <fieldset className={filterButtons.buttons} aria-label="State of the places">
          <button type="button" aria-pressed={filter === 'all'} onClick={() => setFilter('all')}>
            all
          </button>
          {STATES.filter((state) => count(state) > 0).map((state) => (
            <button key={state} type="button" aria-pressed={filter === state} onClick={() => setFilter(state)}>
              <StateMark state={state}>{`${STATE_NAMES[state]} ${formatCount(count(state))}`}</StateMark>
            </button>
          ))}
        </fieldset>
      </div>
      <ul className={styles.places} aria-label="Places that say it">
        {shown.map((place) => (
          <li key={place.id}>
            <PlaceRow place={place} isChosen={place.id === chosen} onChoose={onChoose} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      <p className={styles.keys}>
        <Kbd>n</Kbd> <Kbd>p</Kbd> next <Kbd>↵</Kbd> open <Kbd>x</Kbd> only lost
      </p>
    </div>
  )
}

type RowProps = Pick<Props, 'onChoose' | 'onOpen'> & { readonly place: FactPlace; readonly isChosen: boolean }

function PlaceRow({ place, isChosen, onChoose, onOpen }: RowProps) {
  const look = { kind: place.kind, role: place.role, depth: place.depth } as const
  return (
    <button
      type="button"
      className={classNames(styles.place, isChosen && styles.chosen)}
      aria-pressed={isChosen}
      onClick={() => onChoose(place)}
      onDoubleClick={() => onOpen(place)}
    >
      <span className={styles.placeLine}>
        <StateMark state={place.state}>{''}</StateMark>
        <span className={styles.swatch} style={{ background: nodeColor(look) }} />
        <span className={styles.kind} style={{ color: nodeTextColor(look) }}>
          {nodeLabel(look)}
        </span>
        <span className={styles.id} title={place.id}>
          {place.kind === 'message' && <MessageName id={place.id} />}
        </span>
        <span className={styles.time}>
          <TimeText atMs={place.createdAtMs} form="short" />
        </span>
      </span>
      <span className="clamped" dir="auto">
        <Highlighted {...beforeMark(shownExcerpt(place))} />
      </span>
      <span className={styles.fate}>
        <StateMark state={place.state} /> <Fate place={place} />
      </span>
    </button>
  )
}

function Fate({ place: { state, inWindow, lostAt, kept, details } }: { readonly place: FactPlace }) {
  if (inWindow) return 'in the window itself'
  if (state === 'partly') return `${formatCount(kept)} of ${plural(details, 'detail')} stand in the window`
  return lostAt === null ? null : <LostAtText lostAt={lostAt} />
}

function LostAtText({ lostAt: { id, run } }: { readonly lostAt: LostAt }) {
  const name = useName(id)
  return (
    <span className={styles.lostAt}>
      {run !== null && `by compaction ${formatCount(run)}, `}
      at <span title={id}>{name === null ? shortenId(id, 14) : <MarkedText text={name} />}</span>
    </span>
  )
}
