import { useState } from 'react'
import type { MemoryInfo } from '../../core/contract/memory.ts'
import { Button } from './button.tsx'
import { WorkingCopyDialog } from './working-copy-dialog.tsx'

type Props = { readonly info: MemoryInfo; readonly look?: 'primary' | 'quiet' }

/** A button that makes a working copy of a read-only file. */
export function MakeWorkingCopy({ info, look }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button {...(look ? { look } : {})} onClick={() => setOpen(true)}>
        Make working copy…
      </Button>
      {isOpen && <WorkingCopyDialog info={info} onClose={() => setOpen(false)} />}
    </>
  )
}
