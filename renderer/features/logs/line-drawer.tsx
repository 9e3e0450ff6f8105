import type { LogLine } from '../../../core/contract/activity.ts'
import { errorText } from '../../error-text.ts'
import { navigate } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { formatCount, formatDuration } from '../../ui/format.ts'
import { formatAbsolute } from '../../ui/format-time.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { useCopy } from '../../ui/use-copy.ts'
import styles from './line-drawer.module.css'
import { fieldsText, LEVEL_MARKS, lineTitle } from './line-text.ts'
import { RunLines } from './run-lines.tsx'

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
        <p className={styles.text}>
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
        {run !== undefined && <Button onClick={() => onOnly(run)}>Only this run</Button>}
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
            onClick={() => navigate({ conversationId, view: 'overview' }, 'push')}
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
                { ...(conversationId !== undefined && { conversationId }), view: 'lineage', selection: id },
                'push',
              )
            }
          >
            {id}
          </button>
        )}
      </Fact>
      <Fact name="run">{line.compaction_id === undefined ? null : <code>{line.compaction_id}</code>}</Fact>
      <Fact name="tokens">
        {before === undefined || after === undefined ? null : `${formatCount(before)} → ${formatCount(after)}`}
      </Fact>
    </Facts>
  )
}
