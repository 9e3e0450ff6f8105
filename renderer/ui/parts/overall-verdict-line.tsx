import type { FactPlace, FactState } from '#core/contract/trace.ts'
import { formatCount } from '../texts/format.ts'
import { formatShort } from '../texts/format-time.ts'
import { useNow } from '../texts/use-now.ts'
import styles from './overall-verdict-line.module.css'
import { StateMark } from './state-mark.tsx'

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

/** What became of something in all the places that say it, and the state whose sign stands before it. */
export function overallVerdict(
  places: readonly Pick<FactPlace, 'state' | 'inWindow' | 'createdAtMs'>[],
  nowMs: number,
): { readonly state: FactState; readonly text: string } {
  const isLost = ({ state }: Pick<FactPlace, 'state'>): boolean => state === 'dropped' || state === 'changed'
  const known = places.filter(({ state, inWindow }) => inWindow || state === 'kept')
  const lost = places.filter((place) => isLost(place) && !place.inWindow)
  const times = (count: number): string => (count === 1 ? 'once' : `${formatCount(count)} times`)
  if (known.length > 0) {
    if (lost.length === 0) return { state: 'kept', text: 'Known: what the model sees says it.' }
    const newest = Math.max(...known.map(({ createdAtMs }) => createdAtMs ?? 0))
    const again = newest > 0 ? `, said again ${formatShort(newest, nowMs)}` : ''
    return { state: 'kept', text: `Known. Lost ${times(lost.length)}${again}.` }
  }
  if (places.some(({ state }) => state === 'partly'))
    return { state: 'partly', text: 'Partly known: the model sees some of it.' }
  if (places.some(({ state }) => state === 'left_out'))
    return { state: 'left_out', text: 'Left out: it stands in the window, but the model is not given it.' }
  if (lost.length === 0) return { state: 'unknown', text: 'It may be known in other words.' }
  const where = places.length === 1 ? 'the one place that said it' : `all ${formatCount(places.length)} places`
  return lost.every(({ state }) => state === 'changed')
    ? { state: 'changed', text: `Changed: the model sees another value than ${where}.` }
    : { state: 'dropped', text: `Lost in ${where}: the model no longer sees it.` }
}
