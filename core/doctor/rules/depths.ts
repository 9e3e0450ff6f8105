import { type Fix, namedSummaries } from '#core/systems/rules/fix.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, isAsked } from '#core/systems/rules/scanned-memory.ts'
import { plural } from '#core/text.ts'
import { settle } from '../repair/settle.ts'
import { recounting } from './recounting.ts'
import { restoreLinks } from './restored-links.ts'

function* findWrongKinds(context: RuleContext): Iterable<Finding | null> {
  yield* context.system.facts.oddKinds(context)
  const { summaries, links, order } = context.memory
  for (const { index, id, conversationId, kind } of summaries.rows) {
    const isKnown = kind === 'leaf' || kind === 'condensed'
    const messages = links.messagesOf(index).length
    const sources = links.sources[index]?.length ?? 0
    const detail =
      kind === 'leaf' && sources > 0
        ? 'a first summary made from summaries'
        : kind !== 'leaf' && sources === 0 && messages > 0
          ? `${kind}, but made from messages only`
          : kind !== 'leaf' && messages > 0
            ? `${kind}, but made from messages too`
            : null
    const isJudgeable = isKnown && order.onCycle[index] === 0 && isAsked(context, conversationId)
    yield detail === null || !isJudgeable ? null : { id, conversationId, detail }
  }
}

function* findWrongDepths(context: RuleContext): Iterable<Finding | null> {
  const { summaries, links, extents, order } = context.memory
  const isOrdered = new Uint8Array(summaries.length)
  for (const summary of order.sound) isOrdered[summary] = 1
  for (const { index, id, conversationId, kind, depth } of summaries.rows) {
    const isJudgeable = isOrdered[index] === 1 && (kind === 'leaf' || (links.sources[index]?.length ?? 0) > 0)
    const expected = extents.depth[index] as number
    // When sources are missing, the others give a lower bound.
    const isRight = extents.isWhole[index] === 1 ? depth === expected : depth >= expected
    yield !isJudgeable || isRight || !isAsked(context, conversationId)
      ? null
      : { id, conversationId, detail: `depth ${depth}, its sources make it ${expected}` }
  }
}

const setKinds: Fix = {
  name: 'kind_mismatch',
  stage: 'kinds',
  reads: ['edges', 'kind', 'summaries'],
  *apply(context) {
    const { draft, was } = context
    const nodes = namedSummaries(context).filter((id) => {
      const kind = draft.sourceLinks(id).length > 0 ? 'condensed' : 'leaf'
      if (draft.isEmpty(id) || draft.summaries.get(id)?.kind === kind) return false
      draft.set(id, { kind })
      // Depth and counts follow from the kind.
      draft.setSourceLinks(id, draft.sourceLinks(id))
      return true
    })
    if (nodes.length === 0) return
    settle(draft, was)
    yield {
      title: `Set the kind of ${plural(nodes.length, 'summary', 'summaries')}`,
      rule: 'What has summaries among its sources is a summary of summaries, what has messages only is a first summary; depths and counts follow.',
      risk: 'safe',
      nodes,
    }
  },
}

const setDepths = recounting({
  name: 'depth_mismatch',
  stage: 'depths',
  what: 'depth',
  fields: ['depth'],
  reads: ['edges', 'kind', 'summaries', 'depth'],
  rule: 'A first summary has depth 0, a summary of summaries one more than its deepest source, from the first ones up.',
})

export const kindMismatch = {
  id: 'kind_mismatch',
  group: 'lineage',
  severity: 'error',
  phase: 'structure',
  invariant: 'A first summary is made from messages, a summary of summaries from summaries.',
  explanation:
    'The kind of these summaries contradicts what they are linked to, so tools that trust the kind walk the wrong way.',
  fixes: [restoreLinks, setKinds],
  consequenceOf: ['invalid_value'],
  find: findWrongKinds,
} as const satisfies Rule

export const depthMismatch = {
  id: 'depth_mismatch',
  group: 'lineage',
  severity: 'error',
  phase: 'structure',
  invariant: 'A first summary has depth 0, a summary of summaries one more than its deepest source.',
  explanation: 'The stored depth is wrong, so the next compaction groups these summaries with the wrong neighbours.',
  fixes: [setDepths],
  consequenceOf: ['lineage_cycle', 'invalid_value', 'kind_mismatch'],
  find: findWrongDepths,
} as const satisfies Rule
