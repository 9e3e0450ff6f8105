import { CheckAgainstTranscript } from '../features/coverage/coverage-dialog.tsx'
import { IntegrityView } from '../features/integrity/integrity-view.tsx'
import type { Browse } from '../ui/browse.ts'

type Props = {
  readonly conversationId: number | null
  /** True while the repair plan is shown on the right side. */
  readonly isPlanInSight: boolean
  readonly onShowPlan: () => void
  readonly browse: Browse
}

/** The checks of the file, and beside them the comparison of the conversation with a transcript. */
export function HealthWithCoverage({ conversationId, browse, ...shown }: Props) {
  const actions = conversationId !== null && (
    <CheckAgainstTranscript key={conversationId} conversationId={conversationId} browse={browse} />
  )
  return <IntegrityView {...shown} actions={actions} />
}
