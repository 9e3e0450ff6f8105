import type { CompactionPlan } from '../../../core/contract/compaction.ts'
import type { MemoryInfo } from '../../../core/contract/memory.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { plural } from '../../ui/format.ts'
import styles from './compaction-view.module.css'
import { expectedText, stepsText } from './compaction-wording.ts'
import { EstimateText, type ModelEstimate } from './model-estimate.tsx'

type Props = {
  readonly plan: CompactionPlan
  readonly info: MemoryInfo
  /** What a model would be asked, or null when no model is asked. */
  readonly estimate: ModelEstimate | null
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before a compaction, and names what will change and what will not. */
export function ConfirmDialog({ plan, info, estimate, onConfirm, onClose }: Props) {
  const messages = plan.steps.filter((step) => step.pass === 'leaf').reduce((sum, step) => sum + step.sources.length, 0)
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
          <Fact name="takes out">
            {messages === 0 ? null : `${plural(messages, 'message')} from the model’s window`}
          </Fact>
          <Fact name="window">{expectedText(plan)}</Fact>
          <Fact name="asks a model">{estimate === null ? 'no' : <EstimateText estimate={estimate} />}</Fact>
        </Facts>
        <p className={styles.promise}>
          No message is changed or deleted: each stays in the file and can be reached through its summary. It can be
          cancelled at any time; what is done until then stays valid.
        </p>
      </div>
    </Dialog>
  )
}
