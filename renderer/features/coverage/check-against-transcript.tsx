import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CoverageDialog } from './coverage-dialog.tsx'

type Props = {
  readonly conversationId: number
  /** Shows the folders of the machine, where the host has no dialog of its own for files. */
  readonly browse: (onChoose: (path: string) => void, onClose: () => void) => ReactNode
}

/** The way to the comparison of a conversation with the agent's own transcript. */
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
