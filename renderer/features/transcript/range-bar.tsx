import { Button } from '../../ui/button.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import type { MessageRange } from '../../ui/range-address.ts'
import { CopyRange, MOST_COPIED } from './copy-menu.tsx'
import styles from './range-bar.module.css'

type Props = {
  readonly conversationId: number
  readonly range: MessageRange
  readonly onClear: () => void
}

/** What can be done with the messages that are selected together. */
export function RangeBar({ conversationId, range, onClear }: Props) {
  const count = range.last - range.first + 1
  return (
    <div className={styles.bar} role="toolbar" aria-label="Selected messages">
      <span>
        {plural(count, 'message')} selected, {formatCount(range.first + 1)} to {formatCount(range.last + 1)}
      </span>
      {count > MOST_COPIED && <span className={styles.limit}>the first {formatCount(MOST_COPIED)} are copied</span>}
      <CopyRange conversationId={conversationId} range={range} />
      <Button look="quiet" onClick={onClear} title="Esc">
        Clear
      </Button>
    </div>
  )
}
