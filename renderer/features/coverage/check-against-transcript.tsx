import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CoverageDialog } from './coverage-dialog.tsx'

type Props = {
  readonly conversationId: number
  /** Shows the folders of the machine when the host has no file dialog of its own. */
  readonly browse: (onChoose: (path: string) => void, onClose: () => void) => ReactNode
}

/** Opens the comparison of a conversation with the agent's own transcript. */
export function CheckAgainstTranscript({ conversationId, browse }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)} title="What of the agent’s own transcript never arrived in this memory?">
        Check against transcript…
      </Button>
      {isOpen && <CoverageDialog conversationId={conversationId} browse={browse} onClose={() => setOpen(false)} />}
    </>
  )
}
