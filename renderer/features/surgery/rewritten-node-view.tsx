import { useState } from 'react'
import type { RewrittenNode } from '../../../core/contract/surgery.ts'
import { Button } from '../../ui/button.tsx'
import { depthLabel } from '../../ui/depth-color.ts'
import { formatTokens, shortenId } from '../../ui/format.ts'
import { SideBySideTable } from './side-by-side-table.tsx'
import styles from './surgery-dialog.module.css'
import { tokensText } from './surgery-wording.ts'

type Props = {
  readonly node: RewrittenNode
  /** True when it is the only rewritten node, which is then open from the beginning. */
  readonly isOnly: boolean
}

/** The text of a summary, old and new. */
export function RewrittenNodeView({ node, isOnly }: Props) {
  const [isOpen, setOpen] = useState(isOnly)
  const { id, depth, sourceTokens, before, after, diff } = node
  return (
    <section className={styles.texts} aria-label={id}>
      <div className={styles.head}>
        <code title={id}>{isOnly ? id : shortenId(id, 24)}</code>
        <span>{depthLabel(depth)}</span>
        <span>{tokensText(before.tokens, after.tokens)}</span>
        <span className={styles.dim}>from {formatTokens(sourceTokens)}</span>
        {!isOnly && (
          <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Fold' : 'Compare'}
          </Button>
        )}
      </div>
      {isOpen && (
        <>
          <div className={styles.heads}>
            <span>before · {madeBy(before)}</span>
            <span>after · {madeBy(after)}</span>
          </div>
          <SideBySideTable diff={diff} label={`Text of ${id} before and after`} />
        </>
      )}
    </section>
  )
}

const madeBy = ({ tokens, level, model }: RewrittenNode['before']): string =>
  [formatTokens(tokens), ...(level === 'unknown' ? [] : [level]), ...(model === null ? [] : [model])].join(' · ')
