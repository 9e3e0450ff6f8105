import type { Description } from '../../../core/contract/lineage.ts'
import { plural } from '../../ui/format.ts'
import { NodeLink } from '../../ui/node-link.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import styles from './covering-list.module.css'

const MOST = 200

/** Every summary that covers a message, the nearest first, and which of them is in the window in its place. */
export function CoveringList({ description }: { readonly description: Description }) {
  const { coveredBy, coverInWindow, inContext, content, kind } = description
  return (
    <div className={styles.covering}>
      <SectionHeading>{plural(coveredBy.length, 'summary', 'summaries')} stand for it</SectionHeading>
      {coveredBy.length === 0 && (
        <p className={styles.dim}>
          {inContext ? 'None: it is in the window itself.' : 'None, and it is not in the window either.'}
        </p>
      )}
      <ul className={styles.list}>
        {coveredBy.slice(0, MOST).map((id) => (
          <li key={id}>
            <NodeLink id={id} maxChars={28} />
            {id === coverInWindow && <span className={styles.lit}>in the window</span>}
          </li>
        ))}
      </ul>
      {coveredBy.length > MOST && <p className={styles.dim}>and {plural(coveredBy.length - MOST, 'more')}</p>}
      <SectionHeading>{kind === 'message' ? 'Message' : 'Text'}</SectionHeading>
      <p className={styles.text} dir="auto">
        {content.slice(0, 4000)}
        {content.length > 4000 && '…'}
      </p>
      {kind === 'message' && (
        <p className={styles.dim}>
          Only summaries rest on sources. Select one of them to see what it made of the message.
        </p>
      )}
    </div>
  )
}
