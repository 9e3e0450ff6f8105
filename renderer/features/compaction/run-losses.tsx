import { skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type LostInState, lostByKind } from '#core/contract/lists.ts'
import type { LossReport, LostDetail } from '#core/contract/loss.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { KeepButton } from '#renderer/ui/nodes/keep-button.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { StateMark } from '#renderer/ui/parts/state-mark.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { LostText } from '#renderer/ui/texts/lost-text.tsx'
import { lossText } from './compaction-wording.ts'
import styles from './run-panel.module.css'

/** More than these are listed only on request. */
const FIRST = 12

type Props = {
  readonly report: LossReport
  readonly label: string
  /** The figures in a sentence. */
  readonly head: string
  /** How many are listed unasked. */
  readonly first?: number
  /** The command that lists more of them, where there is one. */
  readonly command: string | null
}

/** What a run drops from the window or changes: decisions first, then constraints, numbers, paths and the rest. */
export function RunLosses({ report, label, head, first = FIRST, command }: Props) {
  const [isWhole, setWhole] = useState(false)
  const lost = lostByKind(report)
  const all = report.counts.dropped + report.counts.changed
  const shown = isWhole ? lost : lost.slice(0, first)
  return (
    <section className={styles.losses} aria-label={label}>
      <p className={styles.lossHead}>{head}</p>
      {report.notes.map((note) => (
        <p key={note} className="dim">
          {note}
        </p>
      ))}
      <ul>
        {shown.map(({ state, detail }) => (
          <Loss key={`${state} ${detail.kind} ${detail.text} ${detail.messageId}`} state={state} detail={detail} />
        ))}
      </ul>
      {shown.length < lost.length && (
        <button type="button" className={styles.more} onClick={() => setWhole(true)}>
          {formatCount(all - shown.length)} more
        </button>
      )}
      {isWhole && all > lost.length && (
        <p className="dim">
          {plural(all - lost.length, 'further detail')}
          {command !== null && (
            <>
              : <code>{command}</code> lists more of them
            </>
          )}
          .
        </p>
      )}
    </section>
  )
}

/** What an earlier run lost. It is compared when somebody asks for it, which may take a while. */
export function PastRunLosses({ conversationId, runId }: { readonly conversationId: number; readonly runId: string }) {
  const [isAsked, setAsked] = useState(false)
  const losses = useQuery(
    api.trace.loss.queryOptions({ input: isAsked ? { conversationId, runId } : skipToken, retry: false }),
  )
  if (!isAsked) return <Button onClick={() => setAsked(true)}>Show what it lost</Button>
  if (losses.error) return <ErrorState error={losses.error} onRetry={() => void losses.refetch()} />
  if (losses.data === undefined) return <Loading what="what the compaction lost" />
  return <LossesOfRun report={losses.data} runId={runId} />
}

/** What a compaction lost that has been made. */
export const LossesOfRun = ({ report, runId }: { readonly report: LossReport; readonly runId: string | null }) => (
  <RunLosses
    report={report}
    label="What the compaction lost"
    head={lossText(report.counts, 'left')}
    command={`lcm loss --conversation ${report.conversationId}${runId === null ? '' : ` --run ${runId}`} --limit 2000`}
  />
)

export function Loss({ state, detail }: LostInState<LostDetail>) {
  const { kind, text, sentence, instead, messageId } = detail
  return (
    <li className={styles.loss}>
      <StateMark state={state} />
      <span className="dim">{kind}</span>
      <LostText detail={detail}>
        <del>{text}</del>
        {instead !== null && <ins>{instead}</ins>}
      </LostText>
      <NodeLink id={messageId} />
      <KeepButton id={messageId} sentence={sentence} />
    </li>
  )
}
