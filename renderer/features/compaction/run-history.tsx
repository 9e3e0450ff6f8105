import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { CompactionRunRecord } from '../../../core/contract/time-travel.ts'
import { useShown } from '../../routes.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { formatCount, formatDuration, plural } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { stopReasonText } from '../../ui/job-text.ts'
import { Loading } from '../../ui/loading.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { beforeAfterText, levelsText, spentText } from './compaction-wording.ts'
import { PastRunLosses } from './run-losses.tsx'
import { RunNodes } from './run-nodes.tsx'
import styles from './run-panel.module.css'

type Props = { readonly conversationId: number; readonly runs: UseQueryResult<CompactionRunRecord[]> }

/** The runs that the file records, newest first. */
export function RunHistory({ conversationId, runs }: Props) {
  const [addressed] = useShown('compaction.run')
  if (runs.error) return <ErrorState error={runs.error} onRetry={() => void runs.refetch()} />
  if (runs.data === undefined) return <Loading what="the history of runs" />
  const isMissing = addressed !== null && !runs.data.some(({ runId }) => runId === addressed)
  if (runs.data.length === 0)
    return (
      <p className={styles.none}>
        The file records no run. Other systems keep no such record; here each run is written down with its nodes.
      </p>
    )
  return (
    <>
      {isMissing && (
        <p className={styles.none} role="status">
          This conversation has no run <code>{addressed}</code>: the address is of another conversation or file.
        </p>
      )}
      <ul>
        {runs.data.map((run) => (
          <Run key={run.runId} conversationId={conversationId} run={run} isAddressed={run.runId === addressed} />
        ))}
      </ul>
    </>
  )
}

type RunProps = { readonly conversationId: number; readonly run: CompactionRunRecord }

function Run({ conversationId, run, isAddressed }: RunProps & { readonly isAddressed: boolean }) {
  const [isOpen, setOpen] = useState(isAddressed)
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (!isAddressed) return
    setOpen(true)
    item.current?.scrollIntoView({ block: 'nearest' })
  }, [isAddressed])
  return (
    <li className={styles.run} ref={item}>
      <button type="button" className={styles.row} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} />
        <span>
          <TimeText atMs={run.startedAtMs} form="short" />
        </span>
        <span className={styles.dim}>
          {run.mode}, {run.reason}
        </span>
        <span className={styles.dim}>{run.summarizer}</span>
        <span>{run.pruned ? plural(run.pruned.outputs, 'output') : plural(run.created.length, 'node')}</span>
        <span className={styles.tokens}>
          {run.tokensAfter === null ? 'not finished' : beforeAfterText(run.tokensBefore, run.tokensAfter)}
        </span>
      </button>
      {isOpen && <RunDetail conversationId={conversationId} run={run} />}
    </li>
  )
}

function RunDetail({ conversationId, run }: RunProps) {
  const { startedAtMs, finishedAtMs, stopReason } = run
  return (
    <div className={styles.detail}>
      <Facts>
        <Fact name="ended">
          {stopReason === null ? 'not yet, or cut off' : `because ${stopReasonText(stopReason)}`}
        </Fact>
        <Fact name="took">{finishedAtMs === null ? null : formatDuration(finishedAtMs - startedAtMs)}</Fact>
        <Fact name="levels">{run.created.length === 0 ? null : levelsText(run.created)}</Fact>
        <Fact name="model tokens">{spentText(run) ?? 'none: no model was asked'}</Fact>
        <Fact name="pruned">
          {run.pruned ? `${formatCount(run.pruned.tokens)} tokens, without a summary (${run.pruned.by})` : null}
        </Fact>
        <Fact name="by">{run.owner}</Fact>
        <Fact name="run">
          <code>{run.runId}</code>
        </Fact>
      </Facts>
      <RunNodes created={run.created} />
      {run.created.length > 0 && (
        <div>
          <PastRunLosses conversationId={conversationId} runId={run.runId} />
        </div>
      )}
    </div>
  )
}
