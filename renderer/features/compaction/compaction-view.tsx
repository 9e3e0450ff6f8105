import { keepPreviousData, skipToken, useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useEffect, useMemo, useState } from 'react'
import type { CompactionDecision, CompactionPlan, CompactRequest, PlanStep } from '#core/contract/compaction.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { ViewHeader } from '#renderer/ui/controls/view-header.tsx'
import { dropCompactionDraft, readCompactionDraft } from '#renderer/ui/data/compaction-draft.ts'
import { providersOf } from '#renderer/ui/data/summarizers.ts'
import { type FollowedPreview, isCheap, useCompactionPreview } from '#renderer/ui/data/use-compaction-preview.ts'
import { useDebounced } from '#renderer/ui/data/use-debounced.ts'
import { MakeWorkingCopy } from '#renderer/ui/parts/working-copy-dialog.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { Notice } from '#renderer/ui/states/notice.tsx'
import figures from '#renderer/ui/styles/figure-table.module.css'
import { formatCount } from '#renderer/ui/texts/format.ts'
import { leavingText, planText, previewText } from '#renderer/ui/texts/plan-text.ts'
import { EMPTY_FORM, requestOf, withValues } from './compaction-form.ts'
import { CompactionInputs } from './compaction-inputs.tsx'
import styles from './compaction-view.module.css'
import { decisionFigures, decisionTitle, expectedText, stepsText, TRIGGER_NAMES } from './compaction-wording.ts'
import { EstimateText, estimateRun, type ModelEstimate, overheadOf } from './model-estimate.tsx'
import { PlanAndHistory } from './plan-and-history.tsx'
import { RunPanel, RunProgress } from './run-panel.tsx'

type Props = {
  readonly conversationId: number
  readonly info: MemoryInfo
  /** Draws a plan over the strata. */
  readonly renderStrip: (plan: {
    readonly steps: readonly PlanStep[]
    /** The fresh tail of the plan, if it is not the configured one. */
    readonly freshTailCount: number | undefined
    /** The number of the selected step, from 0. */
    readonly step: number | null
    readonly onStep: (step: number) => void
  }) => ReactNode
}

const SETTLE_MS = 250
const NO_STEPS: readonly PlanStep[] = []

/** Shows whether to compact and what would happen, starts a compaction, and lists earlier ones. */
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
  const isPending = plan.isPlaceholderData || settled !== form
  const settledPlan = isPending ? null : (plan.data ?? null)
  const isUnasked = settledPlan !== null && !isRunning && isCheap(settledPlan, info.bytes)
  const preview = useCompactionPreview(request, settledPlan, isUnasked)
  // A long plan is drawn after its words, in a task of its own.
  const drawnSteps = useDeferredValue(plan.data?.steps ?? NO_STEPS, NO_STEPS)

  if (decision.error && !decision.data)
    return <ErrorState error={decision.error} onRetry={() => void decision.refetch()} />
  if (!decision.data) return <Loading what="the decision" lines={7} />
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
        {!isRunning && plan.data && plan.data.steps.length > 0 && <Outlook plan={plan.data} preview={preview} />}
        {decisionFigures(decision.data)}
      </ViewHeader>
      {isRunning && job !== null && <RunProgress job={job} />}
      {renderStrip({
        steps: drawnSteps,
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
        <RunPanel
          job={job}
          startError={start.error}
          runs={runs.data ?? []}
          {...{ conversationId }}
          canWrite={!info.readOnly}
        />
        <div className={styles.columns}>
          <CompactionInputs
            conversationId={conversationId}
            form={form}
            onChange={setForm}
            problem={'problem' in asked ? asked.problem : null}
            estimate={isRunning ? null : estimate}
          />
          <TriggerTable decision={decision.data} />
        </div>
        <PlanAndHistory
          {...{ request, plan, preview, isPending, runs, step, scroller }}
          canWrite={!info.readOnly}
          onStep={setStep}
        />
      </div>
      {isAsking && plan.data && 'request' in asked && (
        <ConfirmDialog
          plan={plan.data}
          preview={preview}
          info={info}
          estimate={estimate}
          onConfirm={() => {
            setAsking(false)
            // The result appears there.
            scroller?.scrollTo({ top: 0 })
            start.mutate({ ...asked.request, kind: 'compact', loss: true })
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}

/** What a compaction would do, in one sentence. */
function Outlook({ plan, preview }: { readonly plan: CompactionPlan; readonly preview: FollowedPreview }) {
  const found = preview.found && previewText(preview.found)
  const going = found === null ? '' : `, ${found}`
  return (
    <span className={styles.outlook}>
      {planText(plan)}
      {going}.
    </span>
  )
}

/** Everything that the view asks the core about one request, and the function that starts it. */
function useCompaction(conversationId: number, request: CompactRequest) {
  const jobs = useQuery(api.jobs.list.queryOptions())
  const start = useMutation(api.jobs.start.mutationOptions({ onSuccess: () => jobs.refetch() }))
  const job = jobs.data?.find((other) => other.kind === 'compact' && other.conversationId === conversationId) ?? null
  const isRunning = job?.state === 'running'
  const decision = useQuery(api.compaction.evaluate.queryOptions({ input: request, placeholderData: keepPreviousData }))
  const plan = useQuery(
    api.compaction.plan.queryOptions({
      input: { ...request, sources: 'ends' },
      placeholderData: keepPreviousData,
      // The plan that is being carried out stays in sight, because asking again would return a plan for what is left.
      enabled: (query) => !isRunning || query.state.data === undefined,
    }),
  )
  const runs = useQuery(api.compaction.runs.queryOptions({ input: { conversationId, created: 'counted' } }))
  return { decision, plan, runs, job, isRunning, start }
}

/** What the plan would send to the model that the request names, or null when it names none. */
function useEstimate(request: CompactRequest, plan: CompactionPlan | null): ModelEstimate | null {
  const report = useQuery(api.settings.report.queryOptions())
  const [provider] = report.data ? providersOf(request.summarizer ?? '', report.data) : []
  const [first] = plan?.steps ?? []
  const isAsked = provider !== undefined && first !== undefined
  const preview = useQuery(
    api.compaction.prompt.queryOptions({ input: isAsked ? { ...request, step: 0 } : skipToken, retry: false }),
  )
  if (!isAsked || plan === null || report.data === undefined) return null
  const overheadTokens = overheadOf(preview.data, first)
  return estimateRun({ plan, provider, overheadTokens, capTokens: report.data.spendCapTokens })
}

/** The basis of the decision: each trigger with its figure and its limit. */
function TriggerTable({ decision }: { readonly decision: CompactionDecision }) {
  return (
    <section>
      <SectionHeading>Why</SectionHeading>
      <table className={figures.table}>
        <thead>
          <tr>
            <th>trigger</th>
            <th>now</th>
            <th>limit</th>
            <th>state</th>
          </tr>
        </thead>
        <tbody>
          {decision.triggers.map((trigger) => {
            const isOff = trigger.name === 'active_messages' && trigger.limit === 0
            return (
              <tr key={trigger.name}>
                <td>{TRIGGER_NAMES[trigger.name]}</td>
                <td>{formatCount(trigger.value)}</td>
                <td>{isOff ? 'off' : formatCount(trigger.limit)}</td>
                <td className={styles.state} data-fired={trigger.fired ? '' : undefined}>
                  {trigger.fired ? 'fired' : 'quiet'}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

type ConfirmDialogProps = {
  readonly plan: CompactionPlan
  readonly preview: FollowedPreview
  readonly info: MemoryInfo
  /** What a model would be asked, or null when no model is asked. */
  readonly estimate: ModelEstimate | null
  readonly onConfirm: () => void
  readonly onClose: () => void
}

const byModel = (estimate: ModelEstimate | null): string =>
  estimate === null ? '' : ' by the built-in summariser; by a model it may be others'

/** Asks before a compaction, and names what will change and what will not. */
function ConfirmDialog({ plan, preview, info, estimate, onConfirm, onClose }: ConfirmDialogProps) {
  const found = preview.found && previewText(preview.found)
  const leaving = leavingText(plan)
  return (
    <Dialog
      title="Compact this conversation?"
      onClose={onClose}
      actions={
        <>
          <Button data-autofocus="" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" onClick={onConfirm}>
            Compact
          </Button>
        </>
      }
    >
      <div className={styles.body}>
        <Facts>
          <Fact name="file">
            <span className={styles.path}>{info.path}</span>
          </Fact>
          <Fact name="adds">{stepsText(plan)}</Fact>
          <Fact name="takes out">{leaving === '' ? null : `${leaving} from the model’s window`}</Fact>
          <Fact name="window">{expectedText(plan)}</Fact>
          <Fact name="loses">{found === null ? null : `${found}${byModel(estimate)}`}</Fact>
          <Fact name="asks a model">{estimate === null ? 'no' : <EstimateText estimate={estimate} />}</Fact>
        </Facts>
        <p className="dim">
          No message is changed or deleted: each stays in the file and can be reached through its summary. It can be
          cancelled at any time; what is done until then stays valid.
        </p>
      </div>
    </Dialog>
  )
}
