import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { PlanStep } from '../../../core/contract/compaction.ts'
import type { MemoryInfo } from '../../../core/contract/memory.ts'
import { Button } from '../../ui/button.tsx'
import { dropCompactionDraft, readCompactionDraft } from '../../ui/compaction-draft.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Loading } from '../../ui/loading.tsx'
import { MakeWorkingCopy } from '../../ui/make-working-copy.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { ViewHeader } from '../../ui/view-header.tsx'
import { EMPTY_FORM, requestOf, withValues } from './compaction-form.ts'
import { CompactionInputs } from './compaction-inputs.tsx'
import styles from './compaction-view.module.css'
import { decisionFigures, decisionTitle } from './compaction-wording.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { PlanAndHistory } from './plan-and-history.tsx'
import { RunPanel, RunProgress } from './run-panel.tsx'
import { TriggerTable } from './trigger-table.tsx'
import { useCompaction } from './use-compaction.ts'
import { useEstimate } from './use-estimate.ts'

type Props = {
  readonly conversationId: number
  readonly info: MemoryInfo
  /** Draws a plan over the strata. */
  readonly renderStrip: (plan: {
    readonly steps: readonly PlanStep[]
    /** Of the plan, where it is not the configured one. */
    readonly freshTailCount: number | undefined
    /** Number of the step in hand, from 0. */
    readonly step: number | null
    readonly onStep: (step: number) => void
  }) => ReactNode
}

const SETTLE_MS = 250
const NO_STEPS: readonly PlanStep[] = []

/** Whether to compact, what would happen, doing it, and what was done before. */
export function CompactionView({ conversationId, info, renderStrip }: Props) {
  const [form, setForm] = useState(() => withValues(EMPTY_FORM, readCompactionDraft(conversationId) ?? {}))
  useEffect(() => dropCompactionDraft(conversationId), [conversationId])
  const [isAsking, setAsking] = useState(false)
  const [step, setStep] = useState<number | null>(null)
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const settled = useDebounced(form, SETTLE_MS)
  const asked = useMemo(() => requestOf(settled, conversationId), [settled, conversationId])
  const request = 'request' in asked ? asked.request : { conversationId }
  const { decision, plan, runs, job, isRunning, start } = useCompaction(conversationId, request)
  const estimate = useEstimate(request, plan.data ?? null)

  if (decision.error && !decision.data)
    return <ErrorState error={decision.error} onRetry={() => void decision.refetch()} />
  if (!decision.data) return <Loading what="the decision" lines={7} />
  const isPending = plan.isPlaceholderData || settled !== form
  const canRun = !info.readOnly && plan.data !== undefined && plan.data.steps.length > 0 && 'request' in asked
  return (
    <div className={styles.view}>
      <ViewHeader
        title={decisionTitle(decision.data, isRunning ? 'running' : 'resting')}
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
      {isRunning && job !== null && <RunProgress job={job} />}
      {renderStrip({
        steps: plan.data?.steps ?? NO_STEPS,
        freshTailCount: request.settings?.freshTailCount,
        step,
        onStep: setStep,
      })}
      <div ref={setScroller} className={styles.scroller}>
        {info.readOnly && (
          <div className={styles.notice}>
            <Notice title="Read-only file." action={<MakeWorkingCopy info={info} />}>
              {info.readOnlyReason ?? 'This file may not be written.'} The plan shows what compaction would do; running
              it works on a native copy.
            </Notice>
          </div>
        )}
        <RunPanel job={job} startError={start.error} runs={runs.data ?? []} />
        <div className={styles.columns}>
          <CompactionInputs
            form={form}
            onChange={setForm}
            problem={'problem' in asked ? asked.problem : null}
            estimate={isRunning ? null : estimate}
          />
          <TriggerTable decision={decision.data} />
        </div>
        <PlanAndHistory {...{ request, plan, isPending, runs, step, scroller }} onStep={setStep} />
      </div>
      {isAsking && plan.data && 'request' in asked && (
        <ConfirmDialog
          plan={plan.data}
          info={info}
          estimate={estimate}
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
