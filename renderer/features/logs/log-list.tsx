import { useEffect, useRef } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { LogLine } from '../../../core/contract/activity.ts'
import { formatDuration } from '../../ui/format.ts'
import { formatAbsolute, formatDate } from '../../ui/format-time.ts'
import { clockText, LEVEL_MARKS, lineText } from './line-text.ts'
import styles from './log-list.module.css'

type Props = {
  readonly lines: readonly LogLine[]
  readonly chosen: LogLine | null
  readonly onChoose: (line: LogLine | null) => void
  readonly onEnd: () => void
  readonly keyOf: (line: LogLine) => string
}

/** The lines, newest first. Lines of the same run as the selected one have a rail at their side. */
export function LogList({ lines, chosen, onChoose, onEnd, keyOf }: Props) {
  const list = useRef<VirtuosoHandle>(null)
  const chosenKey = chosen === null ? null : keyOf(chosen)
  const index = chosenKey === null ? -1 : lines.findIndex((line) => keyOf(line) === chosenKey)
  useEffect(() => {
    if (index >= 0) list.current?.scrollIntoView({ index })
  }, [index])
  const firstDay = lines[0] === undefined ? '' : formatDate(Date.parse(lines[0].time))
  return (
    <section className={styles.log} aria-label="Log">
      <div className={styles.head} aria-hidden="true">
        <span>{firstDay}</span>
        <span />
        <span>source</span>
        <span>event</span>
        <span>message</span>
        <span>took</span>
      </div>
      <Virtuoso
        ref={list}
        className={styles.rows}
        data={lines}
        endReached={onEnd}
        fixedItemHeight={26}
        increaseViewportBy={260}
        itemContent={(_, line) => (
          <Row
            line={line}
            isChosen={keyOf(line) === chosenKey}
            isOfRun={chosen?.compaction_id !== undefined && line.compaction_id === chosen.compaction_id}
            onChoose={onChoose}
          />
        )}
      />
    </section>
  )
}

type RowProps = {
  readonly line: LogLine
  readonly isChosen: boolean
  readonly isOfRun: boolean
  readonly onChoose: (line: LogLine | null) => void
}

function Row({ line, isChosen, isOfRun, onChoose }: RowProps) {
  const { mark, name } = LEVEL_MARKS[line.level]
  return (
    <button
      type="button"
      className={styles.row}
      aria-pressed={isChosen}
      data-level={line.level}
      data-run={isOfRun || undefined}
      onClick={() => onChoose(isChosen ? null : line)}
    >
      <span title={formatAbsolute(Date.parse(line.time))}>{clockText(line.time)}</span>
      <span className={styles.mark} title={name}>
        <span aria-hidden="true">{mark}</span>
        <span className={styles.hidden}>{name}</span>
      </span>
      <span className={styles.source}>{line.source}</span>
      <span className={styles.event}>{line.event}</span>
      <span className={styles.text}>{lineText(line)}</span>
      <span className={styles.took}>{line.duration_ms !== undefined && formatDuration(line.duration_ms)}</span>
    </button>
  )
}
