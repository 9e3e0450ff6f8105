import type { RewrittenNode, SurgeryOperation } from '#core/contract/surgery.ts'
import { LcmError } from '#core/errors.ts'
import { withSources } from '#core/memory/draft-coverage.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import type { FileDraft } from '#core/systems/rules/file-draft.ts'
import { planStale } from '../apply/commit.ts'
import { type Operated, toOperated } from './operated.ts'
import { madeFrom, setText, tokensOfSources } from './rewrite.ts'

/**
 * Puts the texts of a preview into the draft as they were shown.
 * @throws LcmError plan_stale when a node or its sources have changed since; invalid_argument when no preview can have
 * shown such a text
 */
export function placeTexts(
  draft: FileDraft,
  operation: Extract<SurgeryOperation, { kind: 'rewrite' }>,
  nodes: readonly RewrittenNode[],
  estimator: TokenEstimator,
): Operated {
  const allowed = operation.subtree ? withSources(draft, [operation.id]) : new Set([operation.id])
  for (const node of nodes) {
    if (!allowed.has(node.id)) throw notShown(node, 'it is not part of this rewrite')
    if (madeFrom(draft, node.id) !== node.madeFrom)
      throw planStale(draft.db.path, null, `${node.id} or its sources have changed`)
  }
  for (const node of nodes) {
    const { text, tokens } = node.after
    if (text.trim() === '' || text !== text.toWellFormed()) throw notShown(node, 'it has no text')
    if (tokens !== estimator.count(text))
      throw notShown(node, `its text has ${estimator.count(text)} tokens, not ${tokens}`)
    const most = tokensOfSources(draft, node.id)
    if (most > 0 && tokens >= most) throw notShown(node, `its sources have only ${most} tokens`)
    setText(draft, node)
  }
  const { conversationId = 0 } = draft.summaries.get(operation.id) ?? {}
  return toOperated(draft, operation, conversationId, { nodes, windowBefore: null })
}

const notShown = ({ id }: RewrittenNode, why: string): LcmError =>
  new LcmError('invalid_argument', `The text for ${id} is not one that was previewed: ${why}.`, { id })
