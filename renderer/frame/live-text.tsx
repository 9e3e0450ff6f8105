import { useConnection } from '../api.ts'
import { useLive } from '../live.ts'
import { formatRelative } from '../ui/format-time.ts'
import { Icon } from '../ui/icon.tsx'
import { useNow } from '../ui/use-now.ts'
import styles from './live-text.module.css'

/** Whether the window follows the file. One click holds it still, another catches up. */
export function LiveText() {
  const { changedAtMs, paused, behind, togglePause } = useLive()
  const isLost = useConnection() === 'lost'
  const now = useNow(1000)
  const when = changedAtMs === null ? '' : ` · ${formatRelative(changedAtMs, now)}`
  return (
    <button
      type="button"
      className={styles.live}
      aria-pressed={paused}
      title={paused ? 'Follow the file again' : 'Hold the window still; the file is not touched either way'}
      onClick={togglePause}
    >
      {isLost ? 'not live' : paused ? `paused${behind ? ' · changes wait' : ''}` : `live${when}`}
      <Icon name={paused ? 'play' : 'pause'} />
    </button>
  )
}
