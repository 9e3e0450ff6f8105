import type { LineageTree } from '../contract/lineage.ts'
import { IN_WINDOW, type SummaryGraph } from '../memory/summary-graph.ts'

export type Direction = 'sources' | 'dependents'

/** Deeper trees are cut there: they could not be sent through any door in one piece. */
const MAX_LEVELS = 200

type Frame = { readonly node: number; readonly below: LineageTree[]; next: number }

/**
 * The trees that grow from some nodes in one direction. A node is walked once: where it comes again it is `repeated`,
 * or `cycle` when it stands above itself. No recursion, so that no chain is too deep.
 * @param above nodes that stand above the starts, to which a cycle may lead back
 */
export function lineageTrees(
  graph: SummaryGraph,
  starts: readonly number[],
  direction: Direction,
  above: readonly number[] = [],
): LineageTree[] {
  const edges = graph[direction]
  const path = new Set(above)
  const walked = new Set<number>(above)
  const trees: LineageTree[] = []
  const frames: Frame[] = []

  const grow = (node: number, into: LineageTree[]): void => {
    const tree = treeNode(graph, node, direction)
    into.push(tree)
    const next = edges[node] ?? []
    if (path.has(node)) tree.cycle = true
    else if (walked.has(node)) tree.repeated = next.length > 0 ? true : undefined
    else if (frames.length >= MAX_LEVELS) tree.cut = next.length > 0 ? true : undefined
    else {
      walked.add(node)
      path.add(node)
      const below: LineageTree[] = []
      if (next.length > 0 || (tree.kind !== 'leaf' && direction === 'sources')) tree[direction] = below
      frames.push({ node, below, next: 0 })
      return
    }
    // What it rests on is not listed here: how much that is can still be said.
    const known = graph.nodes[node]
    if (known && direction === 'sources') tree.messageCount = graph.messageCount(known)
  }

  for (const start of starts) {
    grow(start, trees)
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      const next = edges[frame.node]?.[frame.next]
      frame.next += 1
      if (next !== undefined) grow(next, frame.below)
      else {
        path.delete(frame.node)
        frames.pop()
      }
    }
  }
  return trees
}

function treeNode(graph: SummaryGraph, index: number, direction: Direction): LineageTree {
  const node = graph.nodes[index]
  if (!node) return { id: '?', kind: 'missing', depth: -1, tokens: 0 }
  const tree: LineageTree = { id: node.id, kind: node.kind, depth: node.depth, tokens: node.tokens }
  if (node.kind === 'missing') return tree
  if (node.kind === 'leaf' && direction === 'sources') tree.messageCount = graph.messageCount(node)
  return Object.assign(tree, graph.seqSpan(node) ?? {})
}

/**
 * Summaries of the conversation that no other summary of it has as a source, in the order of what they cover. A cycle
 * that nothing stands above has no such summary; it is entered at one, so that it is seen.
 */
export function rootsOf(graph: SummaryGraph): number[] {
  const { component } = graph.order
  const isOwn = (node: number): boolean => graph.nodes[node]?.conversationId === graph.history.conversationId
  const entries = new Map<number, number>()
  const covered = new Set<number>()
  graph.nodes.forEach((_, node) => {
    if (!isOwn(node)) return
    const own = component[node] as number
    const best = entries.get(own)
    if (best === undefined || isBetterEntry(graph, node, best)) entries.set(own, node)
    const dependents = graph.dependents[node] ?? []
    if (dependents.some((above) => isOwn(above) && component[above] !== own)) covered.add(own)
  })
  const firstPosition = (node: number): number => graph.nodes[node]?.ranges[0] ?? Number.MAX_SAFE_INTEGER
  const depth = (node: number): number => graph.nodes[node]?.depth ?? 0
  return [...entries]
    .filter(([own]) => !covered.has(own))
    .map(([, node]) => node)
    .sort((a, b) => firstPosition(a) - firstPosition(b) || depth(b) - depth(a) || a - b)
}

function isBetterEntry(graph: SummaryGraph, node: number, than: number): boolean {
  const inWindow = (index: number): number => (graph.nodeStates[index] === IN_WINDOW ? 1 : 0)
  if (inWindow(node) !== inWindow(than)) return inWindow(node) > inWindow(than)
  return (graph.nodes[node]?.depth ?? 0) > (graph.nodes[than]?.depth ?? 0)
}
