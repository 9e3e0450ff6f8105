import type { ReactNode } from 'react'
import type { Description } from '#core/contract/lineage.ts'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { formatCount } from '#renderer/ui/texts/format.ts'
import styles from './node-detail.module.css'

/** No reader needs more ids than this in a list. The graph and the expansion have pages of them. */
const MAX_SHOWN = 60

/** Sources and dependents with links. */
export function LineageLists({ description }: { readonly description: Description }) {
  const { kind, sources, sourceCount, dependents, coveredBy } = description
  if (kind === 'file')
    return (
      <>
        <Group title="Messages that refer to it" count={dependents.length} ids={dependents} isMessages>
          No message refers to it.
        </Group>
        <Group title="Summaries that carry it on" count={coveredBy.length} ids={coveredBy}>
          No summary carries it on.
        </Group>
      </>
    )
  if (kind === 'message')
    return (
      <Group title="Covered by" count={coveredBy.length} ids={coveredBy}>
        No summary stands for this message.
      </Group>
    )
  return (
    <>
      <Group title="Dependents" count={dependents.length} ids={dependents}>
        Nothing was made from it.
      </Group>
      <Group title="Sources" count={sourceCount} ids={sources} isMessages={kind === 'leaf'}>
        It has no source: what it stands for cannot be traced.
      </Group>
    </>
  )
}

type GroupProps = {
  readonly title: string
  readonly count: number
  readonly ids: readonly string[]
  readonly isMessages?: boolean
  /** Shown when the list is empty. */
  readonly children: ReactNode
}

function Group({ title, count, ids, isMessages = false, children }: GroupProps) {
  const shown = ids.slice(0, MAX_SHOWN)
  return (
    <section className={styles.group}>
      <SectionHeading>
        {title} · {formatCount(count)}
      </SectionHeading>
      {count === 0 && <p className="dim">{children}</p>}
      <div className={styles.lineageChips} data-narrow={isMessages ? '' : undefined}>
        {shown.map((id, index) => (
          // A damaged file may name the same source twice.
          // biome-ignore lint/suspicious/noArrayIndexKey: the order is the file's, and fixed
          <NodeLink key={`${index} ${id}`} id={id} maxChars={16} />
        ))}
        {count > shown.length && <span className="dim">and {formatCount(count - shown.length)} more</span>}
      </div>
    </section>
  )
}
