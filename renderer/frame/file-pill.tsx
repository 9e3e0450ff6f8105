import { useState } from 'react'
import type { CopiedFrom, MemoryInfo } from '../../core/contract/memory.ts'
import { useConnection } from '../api.ts'
import { useLive } from '../live.ts'
import { Chip } from '../ui/chip.tsx'
import { plainName, shortenPath, splitPath } from '../ui/format.ts'
import { TailText } from '../ui/tail-text.tsx'
import { WorkingCopyDialog } from '../ui/working-copy-dialog.tsx'
import styles from './file-pill.module.css'
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
        <TailText {...splitPath(plainName(shortenPath(info.path)))} />
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

const copyTitle = ({ fileName, system, systemLabel }: CopiedFrom): string =>
  `A copy of ${fileName}${system === 'native' ? '' : ` of ${systemLabel}`}. What is changed here is not changed there.`

const DOT_TEXTS = {
  live: 'Watched: changes appear by themselves',
  paused: 'Paused: changes wait',
  lost: 'The connection is lost',
} as const
