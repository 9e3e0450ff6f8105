import { useState } from 'react'
import type { Attempt, CompactionRunRecord } from '#core/contract/time-travel.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { DepthSwatch } from '#renderer/ui/nodes/depth-swatch.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { formatCompression, formatCount, formatDuration, plural } from '#renderer/ui/texts/format.ts'
import { failedAttempts, madeText, outcomeText } from './compaction-wording.ts'
import styles from './run-panel.module.css'

type Node = CompactionRunRecord['created'][number]

/** More than these are listed only on request. */
const FIRST = 60

/** The summaries that a compaction made: size, level, time, and the calls without a result. */
export function RunNodes({ created }: { readonly created: readonly Node[] }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? created : created.slice(0, FIRST)
  if (created.length === 0) return null
  return (
    <div>
      <div className={classNames(styles.nodeRow, styles.titles)} aria-hidden="true">
        <span>summary</span>
        <span>made</span>
        <span className={styles.number}>tokens</span>
        <span className={styles.number}>factor</span>
        <span className={styles.number}>time</span>
      </div>
      <ul>
        {shown.map((node) => (
          <NodeRow key={node.id} node={node} />
        ))}
      </ul>
      {shown.length < created.length && (
        <button type="button" className={styles.nodeMore} onClick={() => setWhole(true)}>
          {formatCount(created.length - shown.length)} more
        </button>
      )}
    </div>
  )
}

function NodeRow({ node }: { readonly node: Node }) {
  const failed = failedAttempts(node.attempts)
  const accepted = node.attempts.find(({ outcome }) => outcome === 'accepted')
  return (
    <li className={styles.node}>
      <div className={styles.nodeRow}>
        <span className={styles.id}>
          <DepthSwatch node={node} />
          <NodeLink id={node.id} node={node} maxChars={20} />
        </span>
        <span className={styles.level} data-level={node.level} title={accepted?.promptVersion ?? undefined}>
          {madeText(node.level, accepted?.model ?? accepted?.summarizer)}
        </span>
        <span className={styles.number}>
          {formatCount(node.sourceTokens)} → {formatCount(node.tokens)}
        </span>
        <span className={styles.number}>
          {node.tokens > 0 ? formatCompression(node.sourceTokens / node.tokens) : '–'}
        </span>
        <span className={styles.number}>{node.durationMs > 0 ? formatDuration(node.durationMs) : ''}</span>
      </div>
      {failed.length > 0 && <Attempts attempts={node.attempts} failed={failed.length} />}
    </li>
  )
}

function Attempts({ attempts, failed }: { readonly attempts: readonly Attempt[]; readonly failed: number }) {
  return (
    <details className={styles.attempts}>
      <summary>{plural(failed, 'failed attempt')} before it</summary>
      <ol>
        {attempts.map((attempt, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: attempts are a record in order
          <li key={index}>
            <span>{madeText(attempt.level, attempt.summarizer)}</span>
            <span className={styles.outcome} data-outcome={attempt.outcome}>
              {outcomeText(attempt.outcome)}
            </span>
            <span>{formatDuration(attempt.durationMs)}</span>
            <span className={styles.reason}>{attempt.reason}</span>
          </li>
        ))}
      </ol>
    </details>
  )
}
