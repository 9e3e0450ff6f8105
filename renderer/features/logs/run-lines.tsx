import type { LogLine } from '../../../core/contract/activity.ts'
import { formatCount, formatDuration, plural } from '../../ui/format.ts'
import { SectionHeading } from '../../ui/section-heading.tsx'
import styles from './line-drawer.module.css'
import { LEVEL_MARKS } from './line-text.ts'
import { useRunLines } from './use-logs.ts'

/** The lines of a compaction run, with the seconds since it began. */
export function RunLines({ line, onChoose }: { readonly line: LogLine; readonly onChoose: (line: LogLine) => void }) {
  const lines = useRunLines(line).data ?? []
  const [first] = lines
  const last = lines.at(-1)
  if (first === undefined || last === undefined) return null
  const beganMs = Date.parse(first.time)
  const tookMs = Date.parse(last.time) - beganMs
  return (
    <section className={styles.run}>
      <SectionHeading aside={`${plural(lines.length, 'line')} · ${formatDuration(tookMs)}`}>In this run</SectionHeading>
      <ol>
        {lines.map((one) => (
          <li key={`${one.time} ${one.event} ${one.summary_id ?? ''}`}>
            <button
              type="button"
              className={styles.step}
              aria-current={one.time === line.time && one.summary_id === line.summary_id}
              onClick={() => onChoose(one)}
            >
              <span className={styles.offset}>{((Date.parse(one.time) - beganMs) / 1000).toFixed(1)}</span>
              <span className={styles.mark} data-level={one.level} aria-hidden="true">
                {LEVEL_MARKS[one.level].mark}
              </span>
              <span className={styles.name}>
                {one.event}
                {one.kind !== undefined && ` · ${one.kind}`}
              </span>
              <span className={styles.figure}>{one.token_after !== undefined && formatCount(one.token_after)}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}
