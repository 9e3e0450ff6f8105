import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CopiedFrom, MemoryInfo } from '../../core/contract/memory.ts'
import { api, useConnection } from '../api.ts'
import { useLive } from '../live.ts'
import { Chip } from '../ui/chip.tsx'
import { classNames } from '../ui/class-names.ts'
import { plainName, shortenPath, splitPath } from '../ui/format.ts'
import { TailText } from '../ui/tail-text.tsx'
import { WorkingCopyDialog } from '../ui/working-copy-dialog.tsx'
import styles from './file-pill.module.css'
import { FollowDialog } from './follow-dialog.tsx'
import { FOLLOW_TEXTS } from './follow-texts.ts'
import { SystemChip } from './system-chip.tsx'

/** The open file: where it is, which system wrote it, and whether it may be written. */
export function FilePill({ info }: { readonly info: MemoryInfo }) {
  const { paused } = useLive()
  const [isCopying, setCopying] = useState(false)
  const isReached = useConnection() === 'open'
  const state = !isReached ? 'lost' : paused ? 'paused' : 'live'
  return (
    <div className={styles.pill}>
      <span className={styles.dot} data-state={state} title={DOT_TEXTS[state]} />
      <span className={styles.path} title={info.path}>
        <TailText {...splitPath(plainName(shortenPath(info.pulledFrom?.address ?? info.path)))} />
      </span>
      <SystemChip info={info} />
      {info.copiedFrom && (
        <Chip title={copyTitle(info.copiedFrom)}>
          working copy
          <span className={styles.origin}>
            {' of '}
            <bdi>{plainName(info.copiedFrom.fileName)}</bdi>
          </span>
        </Chip>
      )}
      {info.pulledFrom && <FollowChip from={info.pulledFrom} />}
      {info.readOnly && (
        <Chip
          tone="lit"
          title={`${info.readOnlyReason ?? ''} Click for a copy that may be.`}
          onClick={() => setCopying(true)}
        >
          read-only
        </Chip>
      )}
      {isCopying && <WorkingCopyDialog info={info} onClose={() => setCopying(false)} />}
    </div>
  )
}

/** The conversation in PostgreSQL that the file is a copy of, and whether it follows that. */
function FollowChip({ from }: { readonly from: NonNullable<MemoryInfo['pulledFrom']> }) {
  const following = useQuery(api.servers.following.queryOptions({ refetchInterval: FOLLOW_MS }))
  const { state = 'still', reason = null, changes = null } = following.data ?? {}
  const [isOpen, setOpen] = useState(false)
  const { tone, short, title } = FOLLOW_TEXTS[state]
  const name = `Conversation ${from.conversationId} of ${plainName(from.tenant)} in ${from.address}`
  return (
    <>
      <Chip
        tone={tone}
        title={`${name}. ${reason ?? title} Click to push changes, or for all conversations.`}
        onClick={() => setOpen(true)}
      >
        <bdi>{plainName(from.tenant)}</bdi> · {from.conversationId}
        <span className={classNames(styles.origin, tone === 'warning' && styles.warned)}>{` ${short}`}</span>
      </Chip>
      {isOpen && <FollowDialog from={from} following={{ state, reason, changes }} onClose={() => setOpen(false)} />}
    </>
  )
}

const FOLLOW_MS = 2000

const copyTitle = ({ fileName, system, systemLabel }: CopiedFrom): string =>
  `A copy of ${fileName}${system === 'native' ? '' : ` of ${systemLabel}`}. What is changed here is not changed there.`

const DOT_TEXTS = {
  live: 'Watched: changes appear by themselves',
  paused: 'Paused: changes wait',
  lost: 'The connection is lost',
} as const
