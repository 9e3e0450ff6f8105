import { Icon } from '../controls/icon.tsx'
import { useMessageRange, useRangeEnds } from '../data/message-range.ts'
import { formatCount, plural } from '../texts/format.ts'
import { formatRange } from '../texts/format-time.ts'
import styles from './range-chip.module.css'

/** The marked messages, and a button that lifts the limit. Nothing when none are marked. */
export function RangeChip({ conversationId }: { readonly conversationId: number }) {
  const [range, setRange] = useMessageRange()
  const ends = useRangeEnds(conversationId, range)
  if (range === null) return null
  const { first, last } = range
  const [from, to] = [ends?.first.createdAtMs ?? null, ends?.last.createdAtMs ?? null]
  return (
    <span
      className={styles.chip}
      title={`Messages ${formatCount(first + 1)} to ${formatCount(last + 1)} of this conversation`}
    >
      <span className={styles.text}>
        {from !== null && to !== null && `${formatRange(Math.min(from, to), Math.max(from, to))} · `}
        {plural(last - first + 1, 'message')}
      </span>
      <button
        type="button"
        className={styles.remove}
        aria-label="Remove the range"
        title="Remove the range (Esc)"
        onClick={() => setRange(null)}
      >
        <Icon name="close" />
      </button>
    </span>
  )
}
