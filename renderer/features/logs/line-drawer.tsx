import type { LogLine } from '#core/contract/activity.ts'
import { errorText } from '#renderer/error-text.ts'
import { navigate } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { useCopy } from '#renderer/ui/controls/use-copy.ts'
import { formatCount, formatDuration, plural } from '#renderer/ui/texts/format.ts'
import { formatAbsolute } from '#renderer/ui/texts/format-time.ts'
import styles from './line-drawer.module.css'
import { fieldsText, LEVEL_MARKS, lineTitle } from './line-text.ts'
import { useRunLines } from './use-logs.ts'

type Props = {
  readonly line: LogLine
  readonly onClose: () => void
  readonly onChoose: (line: LogLine) => void
  /** Shows only lines with these words. */
  readonly onOnly: (query: string) => void
}

/** One line of the log in plain words, the run that it belongs to, and its fields. */
export function LineDrawer({ line, onClose, onChoose, onOnly }: Props) {
  const [copied, copy] = useCopy()
  const { compaction_id: run } = line
  return (
    <aside className={styles.drawer} aria-label="Line of the log">
      <SectionHeading aside={<IconButton icon="close" label="Close" title="Close ( Esc )" onClick={onClose} />}>
        Line
      </SectionHeading>
      <h2 className={styles.title} data-level={line.level}>
        <span aria-hidden="true">{LEVEL_MARKS[line.level].mark}</span> {lineTitle(line)}
      </h2>
      {line.error_code !== undefined && (
        <p className="dim">
          {errorText(line.error_code).title}. {errorText(line.error_code).next}
        </p>
      )}
      <LineFacts line={line} />
      {run !== undefined && <RunLines line={line} onChoose={onChoose} />}
      <SectionHeading
        aside={
          <Button look="quiet" onClick={() => copy(fieldsText(line))}>
            {copied === 'copied' ? 'Copied' : 'Copy'}
          </Button>
        }
      >
        Fields
      </SectionHeading>
      <pre className={styles.fields}>{fieldsText(line)}</pre>
      <div className={styles.actions}>
        {run !== undefined && <Button onClick={() => onOnly(run)}>Only this compaction</Button>}
        <Button onClick={() => onOnly(line.event)}>Only {line.event}</Button>
      </div>
    </aside>
  )
}

function LineFacts({ line }: { readonly line: LogLine }) {
  const { conversation_id: conversationId, summary_id: id, token_before: before, token_after: after } = line
  return (
    <Facts>
      <Fact name="time">{formatAbsolute(Date.parse(line.time))}</Fact>
      <Fact name="event">
        <code>{line.event}</code>
      </Fact>
      <Fact name="took">{line.duration_ms === undefined ? null : formatDuration(line.duration_ms)}</Fact>
      <Fact name="conversation">
        {conversationId === undefined ? null : (
          <button
            type="button"
            className={styles.link}
            onClick={() => navigate({ conversationId, view: 'start' }, 'push')}
          >
            conversation {conversationId}
          </button>
        )}
      </Fact>
      <Fact name="summary">
        {id === undefined ? null : (
          <button
            type="button"
            className={styles.link}
            onClick={() =>
              navigate(
                { ...(conversationId !== undefined && { conversationId }), view: 'layers', selection: id },
                'push',
              )
            }
          >
            {id}
          </button>
        )}
      </Fact>
      <Fact name="compaction">{line.compaction_id === undefined ? null : <code>{line.compaction_id}</code>}</Fact>
      <Fact name="tokens">
        {before === undefined || after === undefined ? null : `${formatCount(before)} → ${formatCount(after)}`}
      </Fact>
    </Facts>
  )
}

/** The lines of a compaction run, with the seconds since it began. */
function RunLines({ line, onChoose }: { readonly line: LogLine; readonly onChoose: (line: LogLine) => void }) {
  const lines = useRunLines(line).data ?? []
  const [first] = lines
  const last = lines.at(-1)
  if (first === undefined || last === undefined) return null
  const beganMs = Date.parse(first.time)
  const tookMs = Date.parse(last.time) - beganMs
  return (
    <section className={styles.run}>
      <SectionHeading aside={`${plural(lines.length, 'line')} · ${formatDuration(tookMs)}`}>
        In this compaction
      </SectionHeading>
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
              <span className="one-line">
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
