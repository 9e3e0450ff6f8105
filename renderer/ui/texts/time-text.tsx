import { formatAbsolute, formatRelative, formatShort } from './format-time.ts'
import { useNow } from './use-now.ts'

type Props = {
  readonly atMs: number | null
  /** `relative` in lists, `short` when the time itself matters. */
  readonly form?: 'relative' | 'short'
}

const REFRESH_MS = 10_000

/** A time. Its title is exact to the millisecond. */
export function TimeText({ atMs, form = 'relative' }: Props) {
  const now = useNow(REFRESH_MS)
  if (atMs === null) return <span title="The file does not say when">no time</span>
  const isKnown = Math.abs(atMs) <= 8.64e15
  return (
    <time dateTime={isKnown ? new Date(atMs).toISOString() : undefined} title={formatAbsolute(atMs)}>
      {form === 'relative' ? formatRelative(atMs, now) : formatShort(atMs, now)}
    </time>
  )
}
