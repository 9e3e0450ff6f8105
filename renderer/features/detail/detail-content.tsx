import { type ReactNode, useState } from 'react'
import type { Description } from '../../../core/contract/lineage.ts'
import { navigate } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { NodeIdText } from '../../ui/node-id-text.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { useCopy } from '../../ui/use-copy.ts'
import { useKeys } from '../../ui/use-keys.ts'
import { DetailChips } from './detail-chips.tsx'
import styles from './detail-content.module.css'
import { DetailFacts } from './detail-facts.tsx'
import { DetailText } from './detail-text.tsx'
import { kindHeading } from './detail-wording.ts'
import { Elsewhere } from './elsewhere.tsx'
import { Expansion } from './expansion.tsx'
import { FileFacts } from './file-facts.tsx'
import { LineageLists } from './lineage-lists.tsx'

type Props = {
  readonly description: Description
  /** A menu of what can be done to it by hand, where there is one. */
  readonly operate: ReactNode
}

/** A node in full: what it is, what it says, where it comes from. */
export function DetailContent({ description, operate }: Props) {
  const { id, kind } = description
  const [isExpanded, setExpanded] = useState(false)
  const [copied, copy] = useCopy()
  const isSummary = kind === 'leaf' || kind === 'condensed'
  const toggle = () => setExpanded(!isExpanded)
  useKeys(isSummary ? { e: toggle } : {})

  return (
    <article className={styles.detail}>
      <section className={styles.section}>
        <SectionHeading
          aside={
            <IconButton
              icon="close"
              label="Clear the selection (Esc)"
              onClick={() => navigate({ selection: null }, 'push')}
            />
          }
        >
          {kindHeading(description)}
        </SectionHeading>
        <NodeIdText id={id} />
        <DetailChips description={description} />
        {description.file ? <FileFacts file={description.file} /> : <DetailFacts description={description} />}
        <div className={styles.actions}>
          {isSummary && (
            <Button aria-expanded={isExpanded} title="Down to the messages (e)" onClick={toggle}>
              {isExpanded ? 'Fold' : 'Expand'}
            </Button>
          )}
          {isSummary && (
            <Button
              title="Which sentences rest on which messages, and which on none"
              onClick={() => navigate({ view: 'lineage' }, 'push')}
            >
              Check against its sources
            </Button>
          )}
          {kind !== 'file' && (
            <Button onClick={() => navigate({ view: 'transcript' }, 'push')}>Open in transcript</Button>
          )}
          <Button onClick={() => copy(id)}>{copied === 'copied' ? 'Copied' : 'Copy id'}</Button>
          {operate}
        </div>
      </section>
      <Elsewhere conversationId={description.conversationId} />
      {isExpanded && <Expansion summaryId={id} />}
      <DetailText description={description} />
      <LineageLists description={description} />
    </article>
  )
}
