import { type Fixer, isIn, plural } from '../rules/fix.ts'
import { provenLinks, setLinks } from './link-proof.ts'
import type { Edge } from './memory-model.ts'
import { relink } from './relink.ts'
import { settle } from './settle.ts'

/** Checks that may fire because a summary's links are not those that it was made with. */
const LINK_CHECKS = [
  'summary_without_source',
  'lineage_cycle',
  'kind_mismatch',
  'cross_conversation_edge',
  'double_coverage',
  'source_order',
  'coverage_gap',
  'summary_hash',
] as const

/** Before anything is cut: what can be proven is put back as it was. */
const restoreLinks: Fixer = {
  checks: ['summary_hash'],
  part: 'links',
  triggers: LINK_CHECKS,
  reads: ['edges', 'window', 'summaries', 'hash'],
  *fix(scope) {
    const { model, was, conversationId } = scope
    const fired = LINK_CHECKS.filter((check) => scope.findings(check).length > 0)
    if (fired.length === 0 || conversationId === null) return
    const restored: string[] = []
    for (const { id } of [...model.summaries.values()].filter((summary) => isIn(scope)(summary.id))) {
      const links = provenLinks(model, id, was.coverage)
      if (!links) continue
      setLinks(model, id, links)
      restored.push(id)
    }
    if (restored.length === 0) return
    settle(model, was)
    yield {
      title: `Give ${plural(restored.length, 'summary', 'summaries')} the sources back that ${restored.length === 1 ? 'it was' : 'they were'} made from`,
      rule: 'The stored hash is over sources and text: only these sources give it again.',
      risk: 'safe',
      nodes: restored,
      fixes: fired,
    }
  },
}

const dropDangling: Fixer = {
  checks: ['dangling_edge', 'foreign_keys'],
  reads: ['edges', 'window', 'summaries'],
  *fix(scope) {
    const { model, conversationId, was } = scope
    const lost = { messages: 0, summaries: 0, owners: 0 }
    const nodes: string[] = []
    for (const id of [...model.owners()]) {
      const owner = model.summaries.get(id)
      if ((owner?.conversationId ?? null) !== conversationId) continue
      const [messages, sources] = [model.messageEdges(id), model.sourceEdges(id)]
      const keptMessages = owner ? messages.filter(({ to }) => model.messages.has(to)) : []
      const keptSources = owner ? sources.filter(({ to }) => model.summaries.has(to)) : []
      if (!relink(model, id, keptMessages, keptSources)) continue
      if (owner) nodes.push(id)
      else lost.owners += 1
      lost.messages += owner ? messages.length - keptMessages.length : 0
      lost.summaries += owner ? sources.length - keptSources.length : 0
    }
    if (nodes.length + lost.owners === 0) return
    settle(model, was)
    const gone = [
      ...(lost.messages > 0 ? [plural(lost.messages, 'message')] : []),
      ...(lost.summaries + lost.owners > 0 ? [plural(lost.summaries + lost.owners, 'summary', 'summaries')] : []),
    ].join(' and ')
    yield {
      title: 'Remove links that lead to nothing',
      rule: 'What stood behind them is no longer in the file; messages that are there and were reached through them alone come back into the window.',
      risk: 'rewrite',
      nodes,
      cannotRestore: `The file no longer holds ${gone} that these links name: only a backup or the transcript may.`,
    }
  },
}

const dropDuplicates: Fixer = {
  checks: ['duplicate_edge'],
  reads: ['edges', 'summaries'],
  *fix(scope) {
    const { model, was } = scope
    const nodes = [...model.summaries.keys()]
      .filter(isIn(scope))
      .filter((id) => relink(model, id, once(model.messageEdges(id)), once(model.sourceEdges(id))))
    if (nodes.length === 0) return
    settle(model, was)
    yield {
      title: 'List every source once',
      rule: 'Of each source the first place in the list stays.',
      risk: 'safe',
      nodes,
    }
  },
}

/** Of each source the first place. */
function once<Id>(edges: readonly Edge<Id>[]): Edge<Id>[] {
  const seen = new Set<Id>()
  return edges.filter(({ to }) => !seen.has(to) && seen.add(to))
}

const cutCrossings: Fixer = {
  checks: ['cross_conversation_edge'],
  reads: ['edges', 'window', 'summaries'],
  *fix(scope) {
    const { model, was, conversationId } = scope
    if (conversationId === null) return
    const { messages } = model
    const isOwnMessage = (id: number): boolean => {
      const row = messages.rowOf(id)
      return row < 0 || messages.conversationIds[row] === conversationId
    }
    const isOwnSummary = (id: string): boolean =>
      (model.summaries.get(id)?.conversationId ?? conversationId) === conversationId
    const nodes = [...model.summaries.keys()].filter(isIn(scope)).filter((id) => {
      const messages = model.messageEdges(id).filter(({ to }) => isOwnMessage(to))
      return relink(
        model,
        id,
        messages,
        model.sourceEdges(id).filter(({ to }) => isOwnSummary(to)),
      )
    })
    if (nodes.length === 0) return
    settle(model, was)
    yield {
      title: 'Cut links into other conversations',
      rule: 'A summary keeps the sources of its own conversation; the others are reached in theirs.',
      risk: 'rewrite',
      nodes,
      cannotRestore: 'The texts of these summaries may still tell of the other conversation: rewrite them.',
    }
  },
}

/** In the order in which they are applied. */
export const linkFixes: readonly Fixer[] = [restoreLinks, dropDangling, dropDuplicates, cutCrossings]
