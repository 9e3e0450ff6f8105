import { useQuery } from '@tanstack/react-query'
import type { FoundTranscripts as Found } from '../../../core/contract/machine.ts'
import { api } from '../../api.ts'
import { Chip } from '../../ui/chip.tsx'
import { formatBytes, plainName, plural, shortenPath } from '../../ui/format.ts'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './found-list.module.css'
import { FoundList } from './found-list.tsx'
import { FoundName } from './memory-row.tsx'

type Props = { readonly onChoose: (paths: readonly string[]) => void }

/** Transcripts of agents without a memory. A memory can be made of each. */
export function FoundTranscripts({ onChoose }: Props) {
  const found = useQuery(api.machine.discoverTranscripts.queryOptions())
  // Without transcripts nothing is shown, because the page offers to import by path anyway.
  if (!found.data || found.data.length === 0) return null
  return (
    <FoundList
      title="Transcripts on this machine"
      what="transcripts"
      items={found.data}
      textOf={({ label, agent, paths }) => `${label} ${agent} ${paths[0] ?? ''}`}
      row={(one) => <Row key={`${one.agent} ${one.label} ${one.paths[0]}`} found={one} onChoose={onChoose} />}
    />
  )
}

function Row({ found, onChoose }: { readonly found: Found } & Props) {
  const [first = ''] = found.paths
  return (
    <li className={styles.row}>
      <button
        type="button"
        className={styles.open}
        title={`Look what an import of these would bring\n${found.paths.slice(0, 5).join('\n')}`}
        onClick={() => onChoose(found.paths)}
      >
        <FoundName label={found.label} />
        <span className={styles.path}>
          <bdi>{found.paths.length === 1 ? shortenPath(plainName(first), 38) : plural(found.files, 'file')}</bdi>
        </span>
        <span className={styles.system}>
          <Chip>{found.agent}</Chip>
        </span>
        <span className={styles.size}>{formatBytes(found.bytes)}</span>
        <span className={styles.time}>
          <TimeText atMs={found.modifiedAtMs} />
        </span>
      </button>
    </li>
  )
}
