import type { WatchFinding } from '#core/contract/watch.ts'
import { CommandText } from '#renderer/ui/controls/command-text.tsx'
import { useWatch } from '#renderer/ui/data/use-watch.ts'
import { TextWithNames } from '#renderer/ui/texts/text-with-names.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import styles from './live-findings.module.css'

/** What is wrong now, while the agent of the memory works, and what to do about it. Nothing is shown when all is well. */
export function LiveFindings() {
  const { data } = useWatch(true)
  if (data === undefined || data.findings.length === 0) return null
  return (
    <section className={styles.live} aria-label="Wrong now">
      <ul>
        {data.findings.map((finding) => (
          <Finding key={`${finding.kind} ${finding.conversationId} ${finding.text}`} finding={finding} />
        ))}
      </ul>
    </section>
  )
}

function Finding({ finding }: { readonly finding: WatchFinding }) {
  const { severity, conversationId, text, mend, command, sinceMs } = finding
  return (
    <li className={styles.finding} data-severity={severity}>
      <strong>
        <span aria-hidden="true">{severity === 'error' ? '●' : '◆'}</span> <TextWithNames text={text} />
      </strong>
      <span className="dim">
        {conversationId !== null && `conversation ${conversationId}`}
        {conversationId !== null && sinceMs !== null && ', '}
        {sinceMs !== null && (
          <>
            since <TimeText atMs={sinceMs} form="short" />
          </>
        )}
      </span>
      <span>
        {mend} {command !== null && <CommandText command={command} />}
      </span>
    </li>
  )
}
