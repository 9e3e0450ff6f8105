import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import type { CompactionPlan, CompactRequest } from '../../../core/contract/compaction.ts'
import type { CompactionRunRecord } from '../../../core/contract/time-travel.ts'
import { useShownChoice } from '../../routes.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { formatCount } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import styles from './compaction-view.module.css'
import { PlanTable } from './plan-table.tsx'
import { PromptDialog } from './prompt-dialog.tsx'
import { RunHistory } from './run-history.tsx'

type Props = {
  readonly request: CompactRequest
  readonly plan: UseQueryResult<CompactionPlan>
  readonly isPending: boolean
  readonly runs: UseQueryResult<CompactionRunRecord[]>
  readonly step: number | null
  readonly onStep: (step: number) => void
  /** The element that scrolls the lists. */
  readonly scroller: HTMLElement | null
}

const LISTS = ['plan', 'history'] as const

/** The plan of the next compaction, and earlier compactions. */
export function PlanAndHistory({ request, plan, isPending, runs, step, onStep, scroller }: Props) {
  const [shown, setShown] = useShownChoice('compaction.list', LISTS)
  const [isPrompt, setPrompt] = useState(false)
  const count = runs.data?.length ?? 0
  const show = (number: number) => {
    onStep(number)
    setPrompt(true)
  }
  return (
    <section className={styles.section}>
      <div className={styles.head}>
        <SectionHeading
          aside={
            <Segmented
              label="What to list"
              options={[
                { value: 'plan', label: 'plan' },
                { value: 'history', label: count === 0 ? 'history' : `history ${formatCount(count)}` },
              ]}
              value={shown}
              onChange={setShown}
            />
          }
        >
          {shown === 'plan' ? 'Plan' : 'History'}
        </SectionHeading>
      </div>
      {shown === 'history' ? (
        <RunHistory conversationId={request.conversationId} runs={runs} />
      ) : plan.error && plan.data === undefined ? (
        <ErrorState error={plan.error} onRetry={() => void plan.refetch()} />
      ) : plan.data === undefined ? (
        <Loading what="the plan" />
      ) : (
        <PlanTable {...{ plan: plan.data, isPending, step, onStep, scroller }} onPrompt={show} />
      )}
      {isPrompt && plan.data && step !== null && (
        <PromptDialog {...{ request, step, onStep }} steps={plan.data.steps} onClose={() => setPrompt(false)} />
      )}
    </section>
  )
}
