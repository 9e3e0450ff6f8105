import type { RemoteHit, RemoteHits } from '../../../core/contract/remote.ts'
import { nodeLabel, nodeTextColor } from '../../ui/depth-color.ts'
import { DepthSwatch } from '../../ui/depth-swatch.tsx'
import { formatCount, plainName } from '../../ui/format.ts'
import { Highlighted } from '../../ui/highlighted.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './tenant-hits.module.css'
import type { OpenedRow, Opening } from './use-opening.ts'

type Props = {
  readonly tenant: string
  readonly hits: readonly RemoteHit[]
  readonly conversations: RemoteHits['conversations']
  readonly opening: Opening
}

/** Hits by conversation, in the order of their first hits. A click opens the conversation at the hit. */
export function TenantHits({ tenant, hits, conversations, opening }: Props) {
  const known = new Map(conversations.map((one) => [one.conversationId, one]))
  return (
    <div className={styles.list}>
      {[...Map.groupBy(hits, ({ conversationId }) => conversationId)].map(([conversationId, some]) => {
        const { label, messages } = known.get(conversationId) ?? { label: '', messages: 0 }
        const row: OpenedRow = { tenant, conversationId, label, messages }
        const name = plainName(label) || `conversation ${conversationId}`
        return (
          <section key={conversationId} aria-label={name}>
            <h2 className={styles.name}>
              <button type="button" title={`Open conversation ${conversationId}`} onClick={() => opening.open(row)}>
                <bdi>{name}</bdi>
              </button>
              <span>{formatCount(some.length)}</span>
            </h2>
            {some.map((hit) => (
              <Hit key={hit.id} hit={hit} onOpen={() => opening.open(row, hit)} />
            ))}
          </section>
        )
      })}
    </div>
  )
}

function Hit({ hit, onOpen }: { readonly hit: RemoteHit; readonly onOpen: () => void }) {
  const look = { kind: hit.kind, role: hit.role, depth: hit.depth } as Parameters<typeof nodeLabel>[0]
  return (
    <button type="button" className={styles.hit} title={`Open at ${hit.id}`} onClick={onOpen}>
      <span className={styles.head}>
        <DepthSwatch node={look} />
        <span style={{ color: nodeTextColor(look) }}>{nodeLabel(look)}</span>
        <span className={styles.id}>{hit.id}</span>
        {hit.words && <span className={styles.words}>{hit.words.join(' · ')}</span>}
        <span className={styles.time}>
          <TimeText atMs={hit.createdAtMs} form="short" />
        </span>
      </span>
      <span className={styles.snippet}>
        <Highlighted text={hit.snippet} matches={hit.matches} />
      </span>
    </button>
  )
}
