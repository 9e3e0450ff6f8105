import { useState } from 'react'
import type { MemoryInfo } from '#core/contract/memory.ts'
import { CheckAgainstTranscript } from '../features/coverage/coverage-dialog.tsx'
import { IntegrityView } from '../features/integrity/integrity-view.tsx'
import { SalvageDialog } from '../features/welcome/salvage-dialog.tsx'
import type { Browse } from '../ui/data/browse.ts'

type Props = {
  readonly info: MemoryInfo
  readonly conversationId: number | null
  readonly onUndo: (backup?: string) => void
  readonly browse: Browse
}

/** The checks of the file, and beside them the comparison of the conversation with a transcript. */
export function HealthWithCoverage({ info, conversationId, onUndo, browse }: Props) {
  const [isSalvaging, setSalvaging] = useState(false)
  const actions = conversationId !== null && (
    <CheckAgainstTranscript key={conversationId} conversationId={conversationId} browse={browse} />
  )
  return (
    <>
      <IntegrityView info={info} onUndo={onUndo} onSalvage={() => setSalvaging(true)} actions={actions} />
      {isSalvaging && <SalvageDialog path={info.path} onClose={() => setSalvaging(false)} />}
    </>
  )
}
