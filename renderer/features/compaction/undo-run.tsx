import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { CompactionUndo, UndoneCompaction } from '#core/contract/compaction.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { useJob } from '#renderer/ui/data/use-job.ts'
import { ErrorLine, ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { Notice } from '#renderer/ui/states/notice.tsx'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import styles from './compaction-view.module.css'

type Run = { readonly conversationId: number; readonly runId: string }

/** Taking runs back: the job, and what came of it. */
export type RunUndo = Pick<ReturnType<typeof useJob>, 'start' | 'isRunning' | 'error'> & {
  readonly result: UndoneCompaction | null
}

export function useUndo(): RunUndo {
  const { start, isRunning, error, job } = useJob()
  return { start, isRunning, error, result: job?.result?.kind === 'undo_compaction' ? job.result.value : null }
}

/** Whether a run is taken back without a question: nothing prevents it, and no message came since. */
export const isUndoneAtOnce = ({ refusal, keptMessages }: Pick<CompactionUndo, 'refusal' | 'keptMessages'>): boolean =>
  refusal === null && keptMessages === 0

const planOptions = ({ conversationId, runId }: Run) =>
  api.compaction.undoPlan.queryOptions({ input: { conversationId, runId }, retry: false })

type Props = Run & {
  readonly undo: RunUndo
  /** Whether a click undoes it, or first says what that will do. */
  readonly click: 'undoes' | 'asks'
}

/** The button that takes a run back, at once or after a question that says what it will do. */
export function UndoRun({ conversationId, runId, undo, click }: Props) {
  const queries = useQueryClient()
  const [isPlanning, setPlanning] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const start = () => undo.start({ kind: 'undo_compaction', conversationId, runId })
  const undoOrAsk = async () => {
    setPlanning(true)
    // The question asks for the plan itself, and shows why it cannot be made.
    const plan = await queries.fetchQuery(planOptions({ conversationId, runId })).catch(() => null)
    setPlanning(false)
    if (plan !== null && isUndoneAtOnce(plan)) start()
    else setAsking(true)
  }
  const isBusy = isPlanning || undo.isRunning
  return (
    <>
      <Button disabled={isBusy} onClick={click === 'undoes' ? () => void undoOrAsk() : () => setAsking(true)}>
        {isBusy ? 'Undoing…' : click === 'asks' ? 'Undo this compaction…' : 'Undo this compaction'}
      </Button>
      {isAsking && undo.result === null ? (
        <UndoRunDialog {...{ conversationId, runId, undo }} onStart={start} onClose={() => setAsking(false)} />
      ) : (
        undo.error !== null && <ErrorLine error={undo.error} />
      )}
    </>
  )
}

type DialogProps = Omit<Props, 'click'> & { readonly onStart: () => void; readonly onClose: () => void }

function UndoRunDialog({ conversationId, runId, undo, onStart, onClose }: DialogProps) {
  const plan = useQuery(planOptions({ conversationId, runId }))
  const isPossible = plan.data !== undefined && plan.data.refusal === null
  return (
    <Dialog
      title="Undo this compaction?"
      onClose={onClose}
      actions={
        <>
          <Button data-autofocus="" onClick={onClose}>
            {undo.isRunning ? 'Close' : 'Leave it as it is'}
          </Button>
          <Button look="danger" disabled={!isPossible || undo.isRunning} onClick={onStart}>
            {undo.isRunning ? 'Undoing…' : 'Undo the compaction'}
          </Button>
        </>
      }
    >
      <div className={styles.body}>
        {plan.error ? (
          <ErrorState error={plan.error} onRetry={() => void plan.refetch()} />
        ) : plan.data === undefined ? (
          <Loading what="what it would do" />
        ) : plan.data.refusal !== null ? (
          <Notice title="It cannot be undone now.">{plan.data.refusal}</Notice>
        ) : (
          <>
            <UndoFacts undo={plan.data} />
            <p className="dim">
              No message is changed or deleted. The summaries leave the file; their texts stay in the record of what was
              done. Compacting again makes summaries anew.
            </p>
          </>
        )}
        {undo.error !== null && <ErrorLine error={undo.error} />}
      </div>
    </Dialog>
  )
}

/** What taking a run back does, or did. */
export function UndoFacts({ undo }: { readonly undo: Omit<CompactionUndo, 'refusal'> | UndoneCompaction }) {
  const { summaries, messagesBack, summariesBack, keptMessages, tokensBefore, tokensAfter } = undo
  const back = [
    messagesBack > 0 && plural(messagesBack, 'message'),
    summariesBack > 0 && plural(summariesBack, 'earlier summary', 'earlier summaries'),
  ].filter((part) => part !== false)
  return (
    <Facts>
      <Fact name="removes">{plural(summaries.length, 'summary', 'summaries')}</Fact>
      <Fact name="puts back">{back.length === 0 ? null : `${back.join(' and ')} into the model’s window`}</Fact>
      <Fact name="keeps">{keptMessages === 0 ? null : `${plural(keptMessages, 'message')} that came since`}</Fact>
      <Fact name="window">{`${formatCount(tokensBefore)} → ${plural(tokensAfter, 'token')}`}</Fact>
    </Facts>
  )
}
