import { messageNumber } from '../../systems/node-id.ts'
import { type Draft, type Fixer, isIn, namedSummaries, plural, type Scope } from '../rules/fix.ts'
import type { Edge } from './memory-model.ts'
import { spansOf } from './reach.ts'
import { relink } from './relink.ts'
import { removeEmpty, resolveOrphans, settle } from './settle.ts'

const coverOnce: Fixer = {
  checks: ['double_coverage'],
  reads: ['edges', 'window', 'summaries'],
  *fix(scope) {
    const { model, was } = scope
    const doubled = new Map<number, string[]>()
    for (const { id } of scope.findings('double_coverage')) doubled.set(messageNumber(id ?? '') ?? -1, [])
    for (const leaf of model.summaries.keys()) {
      for (const { to } of model.messageEdges(leaf)) doubled.get(to)?.push(leaf)
    }
    const nodes = new Set<string>()
    for (const [message, leaves] of doubled) {
      const keeper = bestLeaf(scope, message, leaves)
      for (const leaf of leaves) {
        if (leaf === keeper) continue
        nodes.add(leaf)
        model.setMessageEdges(
          leaf,
          model.messageEdges(leaf).filter((edge) => edge.to !== message),
        )
      }
    }
    if (nodes.size === 0) return
    settle(model, was)
    yield {
      title: 'Cover every message by one leaf',
      rule: 'A message stays with the leaf whose other messages stand nearest to it, of equals with the one that was made first.',
      risk: 'rewrite',
      nodes: [...nodes],
      cannotRestore: 'The texts of the other leaves may still tell of these messages: rewrite them.',
    }
  },
}

/** Whose other messages are its neighbours; then the older one. */
function bestLeaf({ model }: Scope, message: number, leaves: readonly string[]): string | undefined {
  const seq = model.messages.seqOf(message) ?? 0
  const neighbours = (id: string): number =>
    model.messageEdges(id).filter(({ to }) => Math.abs((model.messages.seqOf(to) ?? Number.NaN) - seq) === 1).length
  const made = (id: string): number => model.summaries.get(id)?.createdAtMs ?? 0
  return leaves.toSorted((a, b) => neighbours(b) - neighbours(a) || made(a) - made(b))[0]
}

const removeSourceless: Fixer = {
  checks: ['summary_without_source'],
  reads: ['edges', 'window', 'summaries'],
  *fix(scope) {
    const { model, was } = scope
    const wanted = new Set([...model.summaries.keys()].filter(isIn(scope)).filter((id) => model.isEmpty(id)))
    if (wanted.size === 0) return
    removeEmpty(model, (id) => wanted.has(id))
    settle(model, was)
    yield {
      title: `Remove ${plural(wanted.size, 'summary', 'summaries')} that ${wanted.size === 1 ? 'stands' : 'stand'} for nothing`,
      rule: 'Nothing says what they were made from, and no list of messages gives their hash.',
      risk: 'rewrite',
      nodes: [...wanted],
      cannotRestore: 'Which messages they stood for is not recorded any more. Their texts stay in the backup.',
    }
  },
}

const resolveLost: Fixer = {
  checks: ['orphan_summary'],
  reads: ['edges', 'window', 'summaries'],
  *fix(scope): Iterable<Draft> {
    const { model, was } = scope
    const lost = new Set([...was.orphans].filter(isIn(scope)))
    if (lost.size === 0) return
    resolveOrphans(model, (id) => lost.has(id) || !was.orphans.has(id), was.windows)
    const gone = [...lost].filter((id) => !model.summaries.has(id))
    settle(model, was)
    yield {
      title: `Resolve ${plural(lost.size, 'summary', 'summaries')} that nothing leads to`,
      rule: 'A summary whose messages nobody else reaches stands in the window again, at their place; one whose messages are reached without it is removed.',
      risk: gone.length > 0 ? 'rewrite' : 'safe',
      nodes: [...lost],
      cannotRestore:
        gone.length > 0 ? 'Texts of removed summaries stay in the backup; their messages are all there.' : null,
    }
  },
}

const orderSources: Fixer = {
  checks: ['source_order'],
  reads: ['edges', 'summaries'],
  *fix(scope) {
    const { model, was } = scope
    const spans = spansOf(model)
    const nodes = namedSummaries(scope, 'source_order').filter((id) => {
      const messages = inOrder(model.messageEdges(id), (to) => model.messages.seqOf(to))
      return relink(
        model,
        id,
        messages,
        inOrder(model.sourceEdges(id), (to) => spans.get(to)?.firstSeq),
      )
    })
    if (nodes.length === 0) return
    settle(model, was)
    yield {
      title: 'List sources in the order of the history',
      rule: 'Sources keep their places in the list and are put there in the order in which their history begins.',
      risk: 'safe',
      nodes,
    }
  },
}

/** The places stay, what stands on them changes. */
function inOrder<Id>(edges: readonly Edge<Id>[], place: (to: Id) => number | undefined): Edge<Id>[] {
  const sorted = edges.toSorted((a, b) => (place(a.to) ?? 0) - (place(b.to) ?? 0))
  return sorted.map(({ to }, index) => ({ to, ordinal: edges[index]?.ordinal ?? index }))
}

/** In the order in which they are applied, when links are right. */
export const lineageFixes: readonly Fixer[] = [coverOnce, removeSourceless, resolveLost]
/** After numbers and links are right. */
export const orderFixes: readonly Fixer[] = [orderSources]
