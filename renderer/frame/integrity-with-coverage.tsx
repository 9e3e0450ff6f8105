import type { ReactNode } from 'react'
import { CheckAgainstTranscript } from '../features/coverage/coverage-dialog.tsx'
import { IntegrityView } from '../features/integrity/integrity-view.tsx'

type Props = {
  readonly conversationId: number | null
  /** True while the repair plan is shown on the right side. */
  readonly isPlanInSight: boolean
  readonly onShowPlan: () => void
  /** Shows the folders of the machine to choose a transcript. */
  readonly browse: (onChoose: (path: string) => void, onClose: () => void) => ReactNode
}

/** The checks of the file, and beside them the comparison of the conversation with a transcript. */
export function IntegrityWithCoverage({ conversationId, browse, ...shown }: Props) {
  const actions = conversationId !== null && (
    <CheckAgainstTranscript key={conversationId} conversationId={conversationId} browse={browse} />
  )
  return <IntegrityView {...shown} actions={actions} />
}
