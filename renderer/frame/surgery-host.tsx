import type { MemoryInfo } from '../../core/contract/memory.ts'
import type { SurgeryAsk } from '../features/surgery/surgery-ask.ts'
import { SurgeryDialog } from '../features/surgery/surgery-dialog.tsx'
import { UndoDialog } from '../features/surgery/undo-dialog.tsx'

type Props = {
  readonly ask: SurgeryAsk
  readonly info: MemoryInfo
  /** Null closes the dialog. */
  readonly onAsk: (ask: SurgeryAsk | null) => void
}

/** The dialog of what was asked for, wherever it was asked. */
export function SurgeryHost({ ask, info, onAsk }: Props) {
  const close = () => onAsk(null)
  if (ask.kind === 'undo') return <UndoDialog key={ask.backup} info={info} backup={ask.backup} onClose={close} />
  return (
    <SurgeryDialog
      key={`${ask.kind} ${ask.id}`}
      ask={ask}
      info={info}
      onUndo={(backup) => onAsk({ kind: 'undo', backup })}
      onClose={close}
    />
  )
}
