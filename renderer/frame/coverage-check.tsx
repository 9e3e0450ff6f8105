import { CheckAgainstTranscript } from '../features/coverage/check-against-transcript.tsx'
import { FolderDialog } from '../features/welcome/folder-dialog.tsx'

/** The comparison with a transcript, which is chosen as on the welcome page. */
export function CoverageCheck({ conversationId }: { readonly conversationId: number }) {
  return (
    <CheckAgainstTranscript
      key={conversationId}
      conversationId={conversationId}
      browse={(onChoose, onClose) => (
        <FolderDialog
          title="Choose the agent’s transcript"
          onMemory={onChoose}
          onTranscript={onChoose}
          onClose={onClose}
        />
      )}
    />
  )
}
