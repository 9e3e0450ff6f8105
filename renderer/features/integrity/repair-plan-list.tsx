import { useState } from 'react'
import type { MemoryInfo } from '../../../core/contract/memory.ts'
import type { RepairPlan } from '../../../core/contract/repair.ts'
import { Button } from '../../ui/button.tsx'
import { plural } from '../../ui/format.ts'
import { DETERMINISTIC } from '../../ui/summarizers.ts'
import { ApplyDialog } from './apply-dialog.tsx'
import { ExportPlan } from './export-plan.tsx'
import { RepairInCopy } from './repair-in-copy.tsx'
import styles from './repair-plan-list.module.css'
import { RepairStepRow } from './repair-step-row.tsx'
import { whyOnlyExport } from './repair-wording.ts'
import { type Chosen, canChoose, safeSteps, toggleStep } from './step-choice.ts'

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

/** The steps to choose from, and the next actions: apply, export, or make a copy to which they can be applied. */
export function RepairPlanList({ plan, info, isBusy, onApply }: Props) {
  const { steps } = plan
  const [chosen, setChosen] = useState<Chosen>(() => safeSteps(steps))
  const [summarizer, setSummarizer] = useState<string>(DETERMINISTIC)
  const [isAsking, setAsking] = useState(false)
  const onlyExport = whyOnlyExport(info)
  const canApply = onlyExport === null && steps.some(canChoose)
  const picked = steps.filter((step) => chosen.has(step.id))
  const confirm = () => {
    setAsking(false)
    onApply({ steps: picked.map(({ id, fingerprint }) => ({ id, fingerprint })), summarizer })
  }
  return (
    <>
      {canApply && (
        <div className={styles.choice}>
          <Button look="quiet" disabled={isBusy} onClick={() => setChosen(safeSteps(steps))}>
            All safe
          </Button>
          <Button look="quiet" disabled={isBusy} onClick={() => setChosen(NONE)}>
            None
          </Button>
        </div>
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
        {onlyExport !== null && <p className={styles.dim}>{onlyExport}</p>}
        <div className={styles.actions}>
          {canApply ? (
            <Button look="primary" disabled={isBusy || picked.length === 0} onClick={() => setAsking(true)}>
              {picked.length === 0 ? 'Apply steps…' : `Apply ${plural(picked.length, 'step')}…`}
            </Button>
          ) : (
            info.readOnly && info.system !== 'native' && <RepairInCopy />
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
