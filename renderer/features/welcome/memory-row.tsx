import type { FoundMemory, RecentMemory } from '#core/contract/machine.ts'
import { host } from '#renderer/host.ts'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { formatBytes, plainName, shortenPath, splitPath } from '#renderer/ui/texts/format.ts'
import { TailText } from '#renderer/ui/texts/tail-text.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import styles from './found-list.module.css'

type Props = {
  readonly memory: FoundMemory & Partial<Pick<RecentMemory, 'address' | 'openedAtMs'>>
  readonly isMissing?: boolean
  readonly onForget?: () => void
}

/** A memory on this machine: its subject, path, size, and when it was opened or changed last, by which the list is ordered. */
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
        <FoundName label={memory.label} />
        <span className={styles.path}>
          <bdi>{shortenPath(plainName(memory.address ?? memory.path), 38)}</bdi>
        </span>
        <span className={styles.system}>
          <SystemOrState memory={memory} isMissing={isMissing} />
        </span>
        <span className={styles.size}>{formatBytes(memory.bytes)}</span>
        <span className={styles.time}>
          <TimeText atMs={memory.openedAtMs ?? memory.modifiedAtMs} />
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

function SystemOrState({ memory, isMissing }: { readonly memory: FoundMemory; readonly isMissing: boolean }) {
  if (isMissing) return <Chip tone="warning">gone</Chip>
  if (memory.system === null)
    return (
      <Chip tone="warning" title="It is damaged, or its writer has it for itself. Opening it says more.">
        unreadable
      </Chip>
    )
  return <Chip>{memory.system === 'argentos' ? 'ArgentOS' : memory.system}</Chip>
}

/** The path of a project, with the name of its folder highlighted, or any other name. */
export function FoundName({ label }: { readonly label: string }) {
  const name = plainName(label)
  return (
    <span className={styles.label}>
      {/[\\/]/.test(name) ? <TailText {...splitPath(shortenPath(name, 400))} isTailStrong /> : <bdi>{name}</bdi>}
    </span>
  )
}
