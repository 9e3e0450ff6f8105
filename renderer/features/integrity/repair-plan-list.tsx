import { useEffect, useRef, useState } from 'react'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { ExportFormat, RepairPlan, RepairStep } from '#core/contract/repair.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { Menu } from '#renderer/ui/controls/menu.tsx'
import { saveFile } from '#renderer/ui/data/save-file.ts'
import { DETERMINISTIC } from '#renderer/ui/data/summarizers.ts'
import { useJob } from '#renderer/ui/data/use-job.ts'
import { JobProgress } from '#renderer/ui/parts/job-progress.tsx'
import { SummarizerChoice } from '#renderer/ui/parts/summarizer-choice.tsx'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { useNewFile } from '#renderer/ui/states/use-new-file.ts'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import styles from './repair-panel.module.css'
import { RepairStepRow } from './repair-step-row.tsx'
import { applyText, copyOffer, RISKS, rowsByTable, whyOnlyExport } from './repair-wording.ts'
import { allSteps, type Chosen, canChoose, safeSteps, toggleStep } from './step-choice.ts'

type ApplyInput = {
  readonly steps: { id: string; fingerprint: string }[]
  readonly summarizer: string
}

type Props = {
  readonly plan: RepairPlan
  readonly info: MemoryInfo
  /** True while a repair is running. Then nothing can be chosen. */
  readonly isBusy: boolean
  readonly onApply: (input: ApplyInput) => void
}

const NONE: Chosen = new Set()
const RISK_ORDER = ['safe', 'rewrite', 'model', 'manual'] as const

/** The steps to choose from, and the next actions: apply, export, or make a copy to which they can be applied. */
export function RepairPlanList({ plan, info, isBusy, onApply }: Props) {
  const { steps } = plan
  const [chosen, setChosen] = useState<Chosen>(() => safeSteps(steps))
  const [summarizer, setSummarizer] = useState<string>(DETERMINISTIC)
  const [isAsking, setAsking] = useState(false)
  const onlyExport = whyOnlyExport(info, steps)
  const canApply = onlyExport === null && steps.some(canChoose)
  const [safe, all] = [safeSteps(steps), allSteps(steps)]
  const risks = RISK_ORDER.filter((risk) => steps.some((step) => step.risk === risk))
  // Where none is safe, all are offered: the question before lists them with what stays lost.
  const isNoneSafe = safe.size === 0 && chosen.size === 0
  const picked = steps.filter((step) => (isNoneSafe ? all : chosen).has(step.id))
  const confirm = () => {
    setAsking(false)
    onApply({ steps: picked.map(({ id, fingerprint }) => ({ id, fingerprint })), summarizer })
  }
  return (
    <>
      {canApply && (
        <div className={styles.choice}>
          <Button look="quiet" disabled={isBusy || safe.size === 0} onClick={() => setChosen(safe)}>
            All safe
          </Button>
          <Button look="quiet" disabled={isBusy} onClick={() => setChosen(all)}>
            All {formatCount(all.size)}
          </Button>
          <Button look="quiet" disabled={isBusy} onClick={() => setChosen(NONE)}>
            None
          </Button>
        </div>
      )}
      {canApply && (
        <p className={styles.risks}>
          {risks.map((risk) => (
            <span key={risk}>
              <b>{risk}</b> {RISKS[risk].hint.charAt(0).toLowerCase()}
              {RISKS[risk].hint.slice(1)}.{' '}
            </span>
          ))}
        </p>
      )}
      <ol className={styles.steps}>
        {steps.map((step, index) => (
          <RepairStepRow
            key={step.id}
            step={step}
            number={index + 1}
            choice={
              onlyExport !== null
                ? null
                : {
                    isChosen: chosen.has(step.id),
                    isDisabled: isBusy || (!chosen.has(step.id) && !toggleStep(steps, chosen, step.id).has(step.id)),
                    onToggle: () => setChosen(toggleStep(steps, chosen, step.id)),
                  }
            }
          />
        ))}
      </ol>
      <div className={styles.foot}>
        {onlyExport !== null && <p className="dim">{onlyExport}</p>}
        {canApply && chosen.size === 0 && (
          <p className="dim">
            {isNoneSafe
              ? 'No step is safe enough to be chosen by itself: choose some, or apply all. Each is listed before anything is changed.'
              : 'Choose a step to apply it.'}
          </p>
        )}
        <div className={styles.actions}>
          {canApply ? (
            <Button look="primary" disabled={isBusy || picked.length === 0} onClick={() => setAsking(true)}>
              {isNoneSafe
                ? `Apply all ${plural(all.size, 'step')}…`
                : picked.length === 0
                  ? 'Apply steps…'
                  : `${applyText(picked.length, all.size)}…`}
            </Button>
          ) : (
            info.readOnly && info.system !== 'native' && <RepairInCopy {...copyOffer(steps)} />
          )}
          <ExportPlan />
        </div>
      </div>
      {isAsking && (
        <ApplyDialog
          steps={picked}
          info={info}
          summarizer={summarizer}
          onSummarizer={setSummarizer}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

/** The whole plan as a file: a job, since it holds every row of every step. */
function ExportPlan() {
  const { start, job, error, isRunning } = useJob()
  const saved = useRef<string | null>(null)
  const exported = job?.result?.kind === 'repair_export' ? job.result.value : null
  useEffect(() => {
    if (exported === null || job === null || saved.current === job.jobId) return
    saved.current = job.jobId
    const type = exported.format === 'markdown' ? 'text/markdown' : 'application/sql'
    saveFile(exported.fileName, new Blob([exported.text], { type }))
  }, [exported, job])
  const save = (format: ExportFormat) => start({ kind: 'repair_export', format })
  return (
    <>
      <Menu
        label={isRunning ? 'Exporting…' : 'Export plan'}
        isFramed
        items={[
          { label: 'Markdown', onSelect: () => save('markdown') },
          { label: 'SQL', onSelect: () => save('sql') },
        ]}
      >
        {isRunning ? 'Exporting…' : 'Export plan'}
      </Menu>
      {error !== null && <ErrorLine error={error} />}
    </>
  )
}

/**
 * Makes a working copy and opens it at the same place, where the repair goes on. The copy is compared with the original
 * row by row, and the original stays as it is.
 */
function RepairInCopy({ label, look }: ReturnType<typeof copyOffer>) {
  const { start, open, job, error, isRunning } = useNewFile(api.memory.copy.mutationOptions())
  const isMade = job?.result?.kind === 'copy'
  const latest = useRef(open)
  useEffect(() => {
    latest.current = open
  })
  useEffect(() => {
    if (isMade) latest.current()
  }, [isMade])
  return (
    <>
      <Button
        look={look}
        disabled={isRunning || isMade}
        title="A native memory with the same ids and damage, compared row by row. It opens here; the original stays as it is."
        onClick={() => start(undefined)}
      >
        {label}
      </Button>
      {isRunning && <JobProgress job={job} title="Copying…" />}
      {error !== null && <ErrorLine error={error} />}
    </>
  )
}

type ApplyDialogProps = {
  readonly steps: readonly RepairStep[]
  readonly info: MemoryInfo
  readonly summarizer: string
  readonly onSummarizer: (name: string) => void
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before a repair, and names what will change and how it can be undone. Enter cancels. */
function ApplyDialog({ steps, info, summarizer, onSummarizer, onConfirm, onClose }: ApplyDialogProps) {
  const rows = steps.reduce((sum, step) => sum + step.rows, 0)
  const lost = steps.filter((step) => step.cannotRestore !== null)
  return (
    <Dialog
      title={`Apply ${plural(steps.length, 'step')} of the plan?`}
      width={600}
      onClose={onClose}
      actions={
        <>
          <Button data-autofocus="" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" onClick={onConfirm}>
            Apply {plural(steps.length, 'step')}
          </Button>
        </>
      }
    >
      <div className={styles.body}>
        <ol className={styles.applySteps}>
          {steps.map((step) => (
            <li key={step.id}>
              <span>{step.title}</span>
              <Chip tone={RISKS[step.risk].tone} title={RISKS[step.risk].hint}>
                {step.risk}
              </Chip>
            </li>
          ))}
        </ol>
        <Facts>
          <Fact name="file">
            <code className={styles.path}>{info.path}</code>
          </Fact>
          <Fact name="changes">
            {plural(rows, 'row')}:{' '}
            {rowsByTable(steps)
              .map(({ table, rows: count }) => `${table} ${formatCount(count)}`)
              .join(', ')}
          </Fact>
          <Fact name="backup">
            <code className={styles.path}>{info.path}.backup-…</code>, a whole copy compared with the file row by row,
            made before anything is changed
          </Fact>
          {lost.length > 0 && (
            <Fact name="stays lost">
              {lost.map((step) => (
                <p key={step.id}>{step.cannotRestore}</p>
              ))}
            </Fact>
          )}
        </Facts>
        {steps.some((step) => step.risk === 'model') && <SummarizerChoice value={summarizer} onChange={onSummarizer} />}
        <p className="dim">
          No message is changed or deleted. All steps are one transaction: the file is checked again before they are
          kept, and if any check got worse, none is. Until then it can be cancelled.
        </p>
      </div>
    </Dialog>
  )
}
