import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { MemoryInfo } from '../../../core/contract/memory.ts'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { ViewHeader } from '../../ui/view-header.tsx'
import { EMPTY_FORM, requestOf } from './compaction-form.ts'
import { CompactionInputs } from './compaction-inputs.tsx'
import styles from './compaction-view.module.css'
import { decisionFigures, decisionTitle } from './compaction-wording.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { PlanTable } from './plan-table.tsx'
import { RunPanel } from './run-panel.tsx'
import { TriggerTable } from './trigger-table.tsx'

type Props = { readonly conversationId: number; readonly info: MemoryInfo }

const SETTLE_MS = 250

/** Whether to compact, what would happen, and doing it. */
export function CompactionView({ conversationId, info }: Props) {
  const [form, setForm] = useState(EMPTY_FORM)
  const [isAsking, setAsking] = useState(false)
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const settled = useDebounced(form, SETTLE_MS)
  const asked = useMemo(() => requestOf(settled, conversationId), [settled, conversationId])
  const request = 'request' in asked ? asked.request : { conversationId }

  const decision = useQuery(api.compaction.evaluate.queryOptions({ input: request, placeholderData: keepPreviousData }))
  const plan = useQuery(api.compaction.plan.queryOptions({ input: request, placeholderData: keepPreviousData }))
  const jobs = useQuery(api.jobs.list.queryOptions())
  const start = useMutation(api.jobs.start.mutationOptions({ onSuccess: () => jobs.refetch() }))
  const job = jobs.data?.find((other) => other.kind === 'compact' && other.conversationId === conversationId) ?? null
  const isRunning = job?.state === 'running'

  if (decision.error) return <ErrorState error={decision.error} onRetry={() => void decision.refetch()} />
  if (!decision.data) return <Loading what="the decision" lines={7} />
  const isPending = plan.isPlaceholderData || settled !== form
  const canRun = !info.readOnly && plan.data !== undefined && plan.data.steps.length > 0 && 'request' in asked
  return (
    <div className={styles.view} ref={setScroller}>
      <ViewHeader
        title={decisionTitle(decision.data)}
        actions={
          !info.readOnly && (
            <Button
              look={decision.data.should ? 'primary' : 'plain'}
              disabled={!canRun || isPending || isRunning}
              onClick={() => setAsking(true)}
            >
              Compact…
            </Button>
          )
        }
      >
        {decisionFigures(decision.data)}
      </ViewHeader>
      {info.readOnly && (
        <div className={styles.notice}>
          <Notice title="Read-only file.">
            {info.readOnlyReason ?? 'This file may not be written.'} The plan shows what compaction would do; running it
            works on a native memory file.
          </Notice>
        </div>
      )}
      <RunPanel job={job} startError={start.error} />
      <div className={styles.columns}>
        <CompactionInputs form={form} onChange={setForm} problem={'problem' in asked ? asked.problem : null} />
        <TriggerTable decision={decision.data} />
      </div>
      {plan.error ? (
        <ErrorState error={plan.error} onRetry={() => void plan.refetch()} />
      ) : plan.data === undefined ? (
        <Loading what="the plan" />
      ) : (
        <PlanTable plan={plan.data} isPending={isPending} scroller={scroller} />
      )}
      {isAsking && plan.data && 'request' in asked && (
        <ConfirmDialog
          plan={plan.data}
          info={info}
          onConfirm={() => {
            setAsking(false)
            start.mutate({ ...asked.request, kind: 'compact' })
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}
