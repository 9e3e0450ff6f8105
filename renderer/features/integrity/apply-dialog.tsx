import type { MemoryInfo } from '../../../core/contract/memory.ts'
import type { RepairStep } from '../../../core/contract/repair.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { SummarizerChoice } from '../../ui/summarizer-choice.tsx'
import styles from './repair-panel.module.css'
import { RISKS, rowsByTable } from './repair-wording.ts'

type Props = {
  readonly steps: readonly RepairStep[]
  readonly info: MemoryInfo
  readonly summarizer: string
  readonly onSummarizer: (name: string) => void
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before a repair, and names what will change and how it can be undone. Enter cancels. */
export function ApplyDialog({ steps, info, summarizer, onSummarizer, onConfirm, onClose }: Props) {
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
        <p className={styles.promise}>
          No message is changed or deleted. All steps are one transaction: the file is checked again before they are
          kept, and if any check got worse, none is. Until then it can be cancelled.
        </p>
      </div>
    </Dialog>
  )
}
