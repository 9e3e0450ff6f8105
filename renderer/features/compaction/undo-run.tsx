import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { CompactionUndo, UndoneCompaction } from '#core/contract/compaction.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/button.tsx'
import { Dialog } from '#renderer/ui/dialog.tsx'
import { ErrorLine, ErrorState } from '#renderer/ui/error-state.tsx'
import { Fact, Facts } from '#renderer/ui/facts.tsx'
import { formatCount, plural } from '#renderer/ui/format.ts'
import { Loading } from '#renderer/ui/loading.tsx'
import { Notice } from '#renderer/ui/notice.tsx'
import { useJob } from '#renderer/ui/use-job.ts'
import styles from './compaction-view.module.css'

type Props = {
  readonly conversationId: number
  readonly runId: string
  /** Whether a click undoes it, or first says what that will do. */
  readonly click: 'undoes' | 'asks'
}

/** The button that takes a run back, at once or after a question that says what it will do. */
export function UndoRun(props: Props) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button onClick={() => setAsking(true)}>
        {props.click === 'asks' ? 'Undo this compaction…' : 'Undo this compaction'}
      </Button>
      {isAsking && <UndoRunDialog {...props} onClose={() => setAsking(false)} />}
    </>
  )
}

function UndoRunDialog({ conversationId, runId, click, onClose }: Props & { readonly onClose: () => void }) {
  const undo = useJob()
  const result = undo.job?.result?.kind === 'undo_compaction' ? undo.job.result.value : null
  const plan = useQuery(api.compaction.undoPlan.queryOptions({ input: { conversationId, runId }, retry: false }))
  const isPossible = plan.data !== undefined && plan.data.refusal === null
  const start = () => undo.start({ kind: 'undo_compaction', conversationId, runId })
  // biome-ignore lint/correctness/useExhaustiveDependencies: begun once, when it is known to be possible
  useEffect(() => {
    if (click === 'undoes' && isPossible) start()
  }, [click, isPossible])
  return (
    <Dialog
      title={result === null ? 'Undo this compaction?' : 'Compaction taken back'}
      onClose={onClose}
      actions={
        result === null ? (
          <>
            <Button data-autofocus="" onClick={onClose}>
              Leave it as it is
            </Button>
            <Button look="danger" disabled={!isPossible || undo.isRunning} onClick={start}>
              {undo.isRunning ? 'Undoing…' : 'Undo the compaction'}
            </Button>
          </>
        ) : (
          <Button data-autofocus="" onClick={onClose}>
            Close
          </Button>
        )
      }
    >
      <div className={styles.body}>
        {result !== null ? (
          <div role="status">
            <UndoFacts undo={result} />
          </div>
        ) : plan.error ? (
          <ErrorState error={plan.error} onRetry={() => void plan.refetch()} />
        ) : plan.data === undefined ? (
          <Loading what="what it would do" />
        ) : plan.data.refusal !== null ? (
          <Notice title="It cannot be undone now.">{plan.data.refusal}</Notice>
        ) : (
          <>
            <UndoFacts undo={plan.data} />
            <p className={styles.promise}>
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

function UndoFacts({ undo }: { readonly undo: Omit<CompactionUndo, 'refusal'> | UndoneCompaction }) {
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
