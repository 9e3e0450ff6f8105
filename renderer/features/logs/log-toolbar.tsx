import type { LineLevel } from '../../../core/contract/activity.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import search from '../../ui/search-input.module.css'
import { Segmented } from '../../ui/segmented.tsx'
import { LEVEL_MARKS } from './line-text.ts'
import styles from './logs-view.module.css'
import type { Logs } from './use-logs.ts'

export const LIST_NAMES = ['log', 'slow', 'jobs'] as const
type ShownList = (typeof LIST_NAMES)[number]

type Props = { readonly logs: Logs; readonly list: ShownList; readonly onList: (list: ShownList) => void }

const LISTS = [
  { value: 'log', label: 'Log' },
  { value: 'slow', label: 'Slow calls', hint: 'Calls of the window that took 200 ms or more' },
  { value: 'jobs', label: 'Jobs', hint: 'Jobs of this and of earlier sessions' },
] as const
const LEVELS: readonly LineLevel[] = ['error', 'warn', 'info', 'debug']

/** Which list is shown, and which lines of the log. */
export function LogToolbar({ logs: { filter, change, log }, list, onList }: Props) {
  const counts = log.data?.pages.at(-1)?.counts
  const toggle = (level: LineLevel) => {
    const levels = filter.levels.includes(level)
      ? filter.levels.filter((one) => one !== level)
      : [...filter.levels, level]
    if (levels.length > 0) change({ levels })
  }
  return (
    <div className={styles.bar}>
      <Segmented label="List" options={LISTS} value={list} onChange={onList} />
      {list === 'log' && (
        <>
          <label className={classNames(search.field, styles.field)}>
            <Icon name="search" />
            <input
              type="search"
              value={filter.query}
              onChange={(event) => change({ query: event.target.value })}
              placeholder="event, id or word; -word leaves out"
              aria-label="Filter the log"
              autoComplete="off"
              spellCheck={false}
            />
          </label>
          {LEVELS.map((level) => (
            <button
              key={level}
              type="button"
              className={styles.level}
              data-level={level}
              aria-pressed={filter.levels.includes(level)}
              onClick={() => toggle(level)}
            >
              <span aria-hidden="true">{LEVEL_MARKS[level].mark}</span> {LEVEL_MARKS[level].name}
              {counts !== undefined && <span className={styles.count}>{formatCount(counts[level])}</span>}
            </button>
          ))}
          <button
            type="button"
            className={styles.level}
            data-level="follow"
            aria-pressed={filter.isFollowing}
            title="Show new lines as they come ( f )"
            onClick={() => change({ isFollowing: !filter.isFollowing })}
          >
            <span aria-hidden="true">●</span> Follow
          </button>
        </>
      )}
    </div>
  )
}
