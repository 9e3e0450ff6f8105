import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { FleetRow } from '#core/contract/fleet.ts'
import type { RemoteHit } from '#core/contract/remote.ts'
import { api } from '#renderer/api.ts'
import { host } from '#renderer/host.ts'
import { currentRoute, navigate } from '#renderer/routes.ts'
import { type NewFile, useNewFile } from './use-new-file.ts'

/** What is known of a conversation before it is copied. */
export type OpenedRow = Pick<FleetRow, 'tenant' | 'conversationId' | 'label' | 'messages'>

export type Opening = {
  /** The conversation that is being copied, or null. */
  readonly row: OpenedRow | null
  /** Copies it, and shows it at a hit where one is given. */
  readonly open: (row: OpenedRow, at?: RemoteHit) => void
  readonly messages: number
  /** What is waited for, where it is not simply copied. */
  readonly note: string
  /** Ends the copying at once; null before it has begun. */
  readonly cancel: (() => void) | null
  readonly error: unknown
  /** Opens the file that is there, with changes that were not pushed. */
  readonly openAsItIs: () => void
  /** Copies it into another file, as the database holds it, and shows that. */
  readonly openAsStored: (row: OpenedRow) => void
  readonly forget: () => void
}

/** Copies a conversation into a file and shows it in this window when it is whole. */
export function useOpening(address: string): Opening {
  const [row, setRow] = useState<OpenedRow | null>(null)
  const [at, setAt] = useState<RemoteHit | null>(null)
  const copy = useNewFile(api.servers.open.mutationOptions())
  const ending = useMutation(api.jobs.cancel.mutationOptions())
  const { job } = copy
  const isDone = job?.state === 'done'
  // biome-ignore lint/correctness/useExhaustiveDependencies: opened once, when it is whole
  useEffect(() => {
    if (isDone) openCopy(copy, row, at)
  }, [isDone])
  return {
    row: job?.state === 'cancelled' ? null : row,
    open: (next, hit) => {
      setRow(next)
      setAt(hit ?? null)
      copy.start(keyOf(address, next))
    },
    messages: job?.progress?.done ?? 0,
    note: job?.progress?.note ?? '',
    cancel: job?.state === 'running' && !ending.isPending ? () => ending.mutate({ jobId: job.jobId }) : null,
    error: copy.error,
    openAsItIs: () => openCopy(copy, row, at),
    openAsStored: (next) => {
      setRow(next)
      copy.start({ ...keyOf(address, next), asStored: true })
    },
    forget: () => {
      setRow(null)
      copy.forget()
    },
  }
}

/** Opens a copy at a hit, or else where its file was left, or where this file shows the same conversation. */
export function openCopy(
  { path, open }: Pick<NewFile<never>, 'path' | 'open'>,
  row: Pick<OpenedRow, 'conversationId'> | null,
  at: Pick<RemoteHit, 'kind' | 'id' | 'conversationId'> | null,
): void {
  if (path === null) return
  if (at !== null) {
    // The file is opened at the place that the address names.
    const view = at.kind === 'message' ? 'messages' : 'layers'
    navigate({ conversationId: at.conversationId, view, selection: at.id }, 'replace')
  } else if (row?.conversationId !== currentRoute().conversationId) {
    // The present address names what is not in that file.
    host.openFile(path)
    return
  }
  open()
}

const keyOf = (address: string, { tenant, conversationId }: OpenedRow) => ({ address, tenant, conversationId })
