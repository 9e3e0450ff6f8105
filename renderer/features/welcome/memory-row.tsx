import type { FoundMemory } from '../../../core/contract/machine.ts'
import { host } from '../../host.ts'
import { Chip } from '../../ui/chip.tsx'
import { formatBytes, shortenPath } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './memory-row.module.css'

type Props = {
  readonly memory: FoundMemory
  readonly isMissing?: boolean
  readonly onForget?: () => void
}

/** A memory on this machine: what it is of, where it is, how large, and when it last changed. */
export function MemoryRow({ memory, isMissing = false, onForget }: Props) {
  return (
    <li className={styles.row}>
      <button
        type="button"
        className={styles.open}
        disabled={isMissing}
        title={memory.path}
        onClick={() => host.openFile(memory.path)}
      >
        <span className={styles.label}>
          <bdi>{memory.label}</bdi>
        </span>
        <span className={styles.path}>
          <bdi>{shortenPath(memory.path, 34)}</bdi>
        </span>
        <span className={styles.system}>
          {isMissing ? <Chip tone="warning">gone</Chip> : memory.system !== null && <Chip>{memory.system}</Chip>}
        </span>
        <span className={styles.size}>{formatBytes(memory.bytes)}</span>
        <span className={styles.time}>
          <TimeText atMs={memory.modifiedAtMs} />
        </span>
      </button>
      {onForget && (
        <IconButton
          className={styles.forget}
          icon="close"
          label={`Take ${memory.label} off this list`}
          onClick={onForget}
        />
      )}
    </li>
  )
}
