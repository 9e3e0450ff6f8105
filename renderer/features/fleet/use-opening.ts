import { useEffect, useState } from 'react'
import type { FleetRow } from '../../../core/contract/fleet.ts'
import { api } from '../../api.ts'
import { useNewFile } from '../../ui/use-new-file.ts'

export type Opening = {
  /** The conversation that is being copied, or null. */
  readonly row: FleetRow | null
  readonly open: (row: FleetRow) => void
  readonly messages: number
  readonly error: unknown
  /** Opens the file that is there, with changes that were not pushed. */
  readonly openAsItIs: () => void
  readonly forget: () => void
}

/** Copies a conversation into a file and shows it in this window when it is whole. */
export function useOpening(address: string): Opening {
  const [row, setRow] = useState<FleetRow | null>(null)
  const copy = useNewFile(api.servers.open.mutationOptions())
  const isDone = copy.job?.state === 'done'
  // biome-ignore lint/correctness/useExhaustiveDependencies: opened once, when it is whole
  useEffect(() => {
    if (isDone) copy.open()
  }, [isDone])
  return {
    row,
    open: (next) => {
      setRow(next)
      copy.start({ address, tenant: next.tenant, conversationId: next.conversationId })
    },
    messages: copy.job?.progress?.done ?? 0,
    error: copy.error,
    openAsItIs: copy.open,
    forget: () => {
      setRow(null)
      copy.forget()
    },
  }
}
