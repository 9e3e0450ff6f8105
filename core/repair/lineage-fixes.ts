import { messageNumber } from '../conversations/node-id.ts'
import { type Draft, type Fixer, isIn, namedSummaries, plural, type Scope } from './fixer.ts'
import { provenLinks, setLinks } from './link-proof.ts'
import type { Edge } from './memory-model.ts'
import { spansOf } from './reach.ts'
import { removeEmpty, resolveOrphans, settle } from './settle.ts'

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
  triggers: LINK_CHECKS,
  reads: ['edges', 'window', 'summaries', 'hash'],
  *fix(scope) {
    const { model, was, conversationId } = scope
    const fired = LINK_CHECKS.filter((check) => scope.findings(check).length > 0)
    if (fired.length === 0 || conversationId === null || !scope.wants('links')) return
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
      part: 'links',
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
    if (!scope.wants(undefined)) return
    const lost = { messages: 0, summaries: 0, owners: 0 }
    const nodes: string[] = []
    for (const id of [...model.owners()]) {
      const owner = model.summaries.get(id)
      if ((owner?.conversationId ?? null) !== conversationId) continue
      const [messages, sources] = [model.messageEdges(id), model.sourceEdges(id)]
      const keptMessages = owner ? messages.filter(({ to }) => model.messages.has(to)) : []
      const keptSources = owner ? sources.filter(({ to }) => model.summaries.has(to)) : []
      if (keptMessages.length === messages.length && keptSources.length === sources.length) continue
      if (owner) nodes.push(id)
      else lost.owners += 1
      lost.messages += owner ? messages.length - keptMessages.length : 0
      lost.summaries += owner ? sources.length - keptSources.length : 0
      if (keptMessages.length < messages.length) model.setMessageEdges(id, keptMessages)
      if (keptSources.length < sources.length) model.setSourceEdges(id, keptSources)
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
    if (!scope.wants(undefined)) return
    const nodes = [...model.summaries.keys()].filter(isIn(scope)).filter((id) => {
      const [messages, sources] = [once(model.messageEdges(id)), once(model.sourceEdges(id))]
      if (messages) model.setMessageEdges(id, messages)
      if (sources) model.setSourceEdges(id, sources)
      return messages !== null || sources !== null
    })
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

/** Null when nothing is listed twice. */
function once<Id>(edges: readonly Edge<Id>[]): Edge<Id>[] | null {
  const seen = new Set<Id>()
  const kept = edges.filter(({ to }) => !seen.has(to) && seen.add(to))
  return kept.length === edges.length ? null : kept
}

const cutCrossings: Fixer = {
  checks: ['cross_conversation_edge'],
  reads: ['edges', 'window', 'summaries'],
  *fix(scope) {
    const { model, was, conversationId } = scope
    if (!scope.wants(undefined) || conversationId === null) return
    const { messages } = model
    const isOwnMessage = (id: number): boolean => {
      const row = messages.rowOf(id)
      return row < 0 || messages.conversationIds[row] === conversationId
    }
    const isOwnSummary = (id: string): boolean =>
      (model.summaries.get(id)?.conversationId ?? conversationId) === conversationId
    const nodes = [...model.summaries.keys()].filter(isIn(scope)).filter((id) => {
      const [own, sources] = [
        model.messageEdges(id).filter(({ to }) => isOwnMessage(to)),
        model.sourceEdges(id).filter(({ to }) => isOwnSummary(to)),
      ]
      const isCrossing = own.length < model.messageEdges(id).length || sources.length < model.sourceEdges(id).length
      if (isCrossing) {
        model.setMessageEdges(id, own)
        model.setSourceEdges(id, sources)
      }
      return isCrossing
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

const cutCycles: Fixer = {
  checks: ['lineage_cycle'],
  reads: ['edges', 'window', 'summaries', 'depth'],
  *fix(scope) {
    const { model, was } = scope
    if (!scope.wants(undefined)) return
    const cut: string[] = []
    for (let ring = ringIn(scope); ring; ring = ringIn(scope)) {
      const { from, to } = newest(scope, ring)
      const edges = model.sourceEdges(from)
      model.setSourceEdges(
        from,
        edges.filter((edge) => edge.to !== to),
      )
      cut.push(`${from} → ${to}`)
    }
    if (cut.length === 0) return
    settle(model, was)
    yield {
      title: cut.length === 1 ? 'Cut the link that closes the cycle' : `Cut ${cut.length} links that close cycles`,
      rule: `Of each cycle the link goes that can least have been there from the beginning, from a summary to a source made after it (${cut.slice(0, 3).join(', ')}).`,
      risk: 'rewrite',
      nodes: [...new Set(cut.flatMap((edge) => edge.split(' → ')))],
    }
  },
}

type Link = { readonly from: string; readonly to: string }

/** The links of one cycle through a summary of the scope, or undefined when there is none. */
function ringIn(scope: Scope): Link[] | undefined {
  const { model } = scope
  const done = new Set<string>()
  for (const start of [...model.summaries.keys()].filter(isIn(scope))) {
    if (done.has(start)) continue
    const path: { id: string; next: number }[] = [{ id: start, next: 0 }]
    const onPath = new Map([[start, 0]])
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const edge = model.sourceEdges(top.id)[top.next]
      top.next += 1
      if (!edge) {
        path.pop()
        onPath.delete(top.id)
        done.add(top.id)
        continue
      }
      const at = onPath.get(edge.to)
      if (at !== undefined) {
        const ids = path.slice(at).map((step) => step.id)
        return ids.map((id, index) => ({ from: id, to: ids[index + 1] ?? edge.to }))
      }
      if (done.has(edge.to) || !model.summaries.has(edge.to)) continue
      onPath.set(edge.to, path.length)
      path.push({ id: edge.to, next: 0 })
    }
  }
  return undefined
}

/** The link whose source is newest against what is made from it; then the one that contradicts the depths most. */
function newest({ model }: Scope, ring: readonly Link[]): Link {
  const measure = ({ from, to }: Link): readonly number[] => {
    const [made, source] = [model.summaries.get(from), model.summaries.get(to)]
    return [
      (source?.createdAtMs ?? 0) - (made?.createdAtMs ?? 0),
      (source?.depth ?? 0) - (made?.depth ?? 0),
      model.sourceEdges(from).find((edge) => edge.to === to)?.ordinal ?? 0,
    ]
  }
  return ring.reduce((best, link) => {
    const [a, b] = [measure(link), measure(best)]
    const first = a.findIndex((value, index) => value !== b[index])
    return first >= 0 && (a[first] as number) > (b[first] as number) ? link : best
  })
}

const coverOnce: Fixer = {
  checks: ['double_coverage'],
  reads: ['edges', 'window', 'summaries'],
  *fix(scope) {
    const { model, was } = scope
    if (!scope.wants(undefined)) return
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

const orderSources: Fixer = {
  checks: ['source_order'],
  reads: ['edges', 'summaries'],
  *fix(scope) {
    const { model, was } = scope
    if (!scope.wants(undefined)) return
    const spans = spansOf(model)
    const nodes = namedSummaries(scope, 'source_order').filter((id) => {
      const messages = inOrder(model.messageEdges(id), (to) => model.messages.seqOf(to))
      const sources = inOrder(model.sourceEdges(id), (to) => spans.get(to)?.firstSeq)
      if (messages) model.setMessageEdges(id, messages)
      if (sources) model.setSourceEdges(id, sources)
      return messages !== null || sources !== null
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

/** Null when they are in order. The places stay, what stands on them changes. */
function inOrder<Id>(edges: readonly Edge<Id>[], place: (to: Id) => number | undefined): Edge<Id>[] | null {
  const sorted = edges.toSorted((a, b) => (place(a.to) ?? 0) - (place(b.to) ?? 0))
  if (sorted.every((edge, index) => edge === edges[index])) return null
  return sorted.map(({ to }, index) => ({ to, ordinal: edges[index]?.ordinal ?? index }))
}

const removeSourceless: Fixer = {
  checks: ['summary_without_source'],
  reads: ['edges', 'window', 'summaries'],
  *fix(scope) {
    const { model, was } = scope
    if (!scope.wants(undefined)) return
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
    if (!scope.wants(undefined)) return
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

/** In the order in which they are applied. */
export const lineageFixes: readonly Fixer[] = [
  restoreLinks,
  dropDangling,
  dropDuplicates,
  cutCrossings,
  cutCycles,
  coverOnce,
  removeSourceless,
  resolveLost,
]
/** After numbers and links are right. */
export const orderFixes: readonly Fixer[] = [orderSources]
