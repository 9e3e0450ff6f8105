import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CopiedFrom, MemoryInfo } from '../../core/contract/memory.ts'
import type { FollowState } from '../../core/contract/servers.ts'
import { api, useConnection } from '../api.ts'
import { useLive } from '../live.ts'
import { Chip, type Tone } from '../ui/chip.tsx'
import { plainName, shortenPath, splitPath } from '../ui/format.ts'
import { TailText } from '../ui/tail-text.tsx'
import { WorkingCopyDialog } from '../ui/working-copy-dialog.tsx'
import styles from './file-pill.module.css'
import { FollowDialog } from './follow-dialog.tsx'
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
  const { state = 'still', reason = null } = following.data ?? {}
  const [isOpen, setOpen] = useState(false)
  const { tone, text } = FOLLOW_TEXTS[state]
  const said = `${reason ?? text.title} ${from.address}, tenant ${from.tenant}.`
  return (
    <>
      <Chip
        tone={tone}
        title={`${said} Click to push changes, or for all conversations.`}
        onClick={() => setOpen(true)}
      >
        <bdi>{plainName(from.tenant)}</bdi> · {from.conversationId}
        <span className={styles.origin}>{` ${text.short}`}</span>
      </Chip>
      {isOpen && <FollowDialog from={from} said={said} onClose={() => setOpen(false)} />}
    </>
  )
}

const FOLLOW_MS = 3000
const FOLLOW_TEXTS: Readonly<
  Record<
    FollowState['state'],
    { readonly tone: Tone; readonly text: { readonly short: string; readonly title: string } }
  >
> = {
  not_pulled: { tone: 'neutral', text: { short: 'copy', title: 'A copy of a conversation in' } },
  still: { tone: 'neutral', text: { short: 'copy', title: 'A copy, as it was when it was pulled from' } },
  live: { tone: 'fine', text: { short: 'live', title: 'Follows what is written in' } },
  changed_here: { tone: 'warning', text: { short: 'changed here', title: 'Has changes that were not pushed to' } },
  unreachable: { tone: 'warning', text: { short: 'not live', title: 'Does not follow now' } },
}

const copyTitle = ({ fileName, system, systemLabel }: CopiedFrom): string =>
  `A copy of ${fileName}${system === 'native' ? '' : ` of ${systemLabel}`}. What is changed here is not changed there.`

const DOT_TEXTS = {
  live: 'Watched: changes appear by themselves',
  paused: 'Paused: changes wait',
  lost: 'The connection is lost',
} as const
