import type { NodeProps } from '@xyflow/react'
import { use } from 'react'
import { moreText } from './card-text.ts'
import type { FrameNode, MoreNode } from './flow.ts'
import { GraphActions } from './graph-actions.ts'
import styles from './lineage-graph.module.css'

/** How many more there are. Shows them in place; what is too much even then is in the transcript. */
export function LineageMore({ data: { more, unit, isExpanded } }: NodeProps<MoreNode>) {
  const { expand, centre, openInTranscript } = use(GraphActions)
  const text = moreText(more.count, unit)
  const show = () => {
    if (unit === 'dependents') centre(more.id)
    else if (isExpanded) openInTranscript(more.id)
    else expand(more.id)
  }
  return (
    <button
      type="button"
      className={styles.more}
      title={isExpanded ? 'Too many to draw: open in the transcript' : 'Show them here'}
      onClick={show}
    >
      {isExpanded ? `${text} ↗` : text}
    </button>
  )
}

/** The ground under the sources of one node when they take several rows. */
export function LineageFrame(_: NodeProps<FrameNode>) {
  return <div className={styles.frame} />
}
