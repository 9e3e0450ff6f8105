import type { LineageTree } from '../contract/lineage.ts'
import { IN_WINDOW } from '../memory/coverage.ts'
import type { Memory } from '../memory/memory.ts'

export type Direction = 'sources' | 'dependents'

/** Deeper trees are cut at this level, because no door could send them in one piece. */
const MAX_LEVELS = 200

type Frame = { readonly node: number; readonly below: LineageTree[]; next: number }

/**
 * Builds the trees that begin at some nodes and follow the lineage in one direction. A node is expanded once. Where it
 * occurs again it is marked `repeated`, or `cycle` when it is its own ancestor in the tree. There is no recursion, so
 * that no chain is too deep.
 * @param above nodes that stand above the first ones, to which a cycle may lead back
 */
export function lineageTrees(
  memory: Memory,
  starts: readonly number[],
  direction: Direction,
  above: readonly number[] = [],
): LineageTree[] {
  const { lineage, coverage } = memory
  const edges = lineage[direction]
  const path = new Set(above)
  const walked = new Set<number>(above)
  const trees: LineageTree[] = []
  const frames: Frame[] = []

  const grow = (node: number, into: LineageTree[]): void => {
    const tree = treeNode(memory, node, direction)
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
    // The sources of the node are not listed here, but their number can still be given.
    if (direction === 'sources') tree.messageCount = lineage.isMissing(node) ? 0 : coverage.messageCount(node)
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

function treeNode({ summaries, lineage, coverage }: Memory, node: number, direction: Direction): LineageTree {
  if (lineage.isMissing(node)) return { id: lineage.idOf(node), kind: 'missing', depth: -1, tokens: 0 }
  const { id, depth, tokens } = summaries.at(node)
  const tree: LineageTree = { id, kind: summaries.kindOf(node), depth, tokens }
  if (tree.kind === 'leaf' && direction === 'sources') tree.messageCount = coverage.messageCount(node)
  return Object.assign(tree, coverage.seqRange(node) ?? {})
}

/**
 * Returns the summaries that no other summary of the conversation has as a source, in the order of what they cover. A
 * cycle without a dependent outside of it has no such summary; one of its nodes is returned, so that the cycle is seen.
 */
export function rootsOf(memory: Memory): number[] {
  const { summaries, links, coverage } = memory
  const { component } = memory.order
  const entries = new Map<number, number>()
  const covered = new Set<number>()
  for (const { index: node } of summaries.rows) {
    if (!memory.isOwn(node)) continue
    const own = component[node] as number
    const best = entries.get(own)
    if (best === undefined || isBetterEntry(memory, node, best)) entries.set(own, node)
    const dependents = links.dependents[node] ?? []
    if (dependents.some((above) => memory.isOwn(above) && component[above] !== own)) covered.add(own)
  }
  const firstPosition = (node: number): number => coverage.reach(node)[0] ?? Number.MAX_SAFE_INTEGER
  const depth = (node: number): number => summaries.at(node).depth
  return [...entries]
    .filter(([own]) => !covered.has(own))
    .map(([, node]) => node)
    .sort((a, b) => firstPosition(a) - firstPosition(b) || depth(b) - depth(a) || a - b)
}

function isBetterEntry({ summaries, coverage }: Memory, node: number, than: number): boolean {
  const inWindow = (index: number): number => (coverage.nodeStates[index] === IN_WINDOW ? 1 : 0)
  if (inWindow(node) !== inWindow(than)) return inWindow(node) > inWindow(than)
  return summaries.at(node).depth > summaries.at(than).depth
}
