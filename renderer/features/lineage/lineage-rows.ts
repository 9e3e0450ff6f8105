import type { LineageTree, NodeCard } from '#core/contract/lineage.ts'

/** A mark beside a node: it closes a cycle, occurs again, or continues where it is not shown. */
export type LineageMark = 'cycle' | 'repeated' | 'cut' | null

/** A node as far as it is known: its card, or what a link tells of it. */
export type LineageNode = Pick<NodeCard, 'id' | 'kind' | 'depth' | 'tokens' | 'firstSeq' | 'lastSeq'> &
  Partial<Pick<NodeCard, 'role' | 'visibility' | 'excerpt' | 'messages' | 'sources'>>

/** A line of the tree. Dependents of the node in the middle are above it, and its sources below. */
export type LineageRow =
  | {
      readonly kind: 'node'
      /** The ids from the top of the tree down to the row, which identify it. */
      readonly path: string
      readonly side: 'above' | 'middle' | 'below'
      readonly node: LineageNode
      readonly mark: LineageMark
      /** The level of the row, from 1. */
      readonly level: number
      /** True when the node has sources that can be shown. */
      readonly canOpen: boolean
      readonly isOpen: boolean
    }
  | { readonly kind: 'more'; readonly path: string; readonly of: string; readonly level: number; readonly left: number }
  | { readonly kind: 'loading'; readonly path: string; readonly level: number }

/** The fetched sources of a node: the first of `total`. */
export type Level = { readonly total: number; readonly nodes: readonly NodeCard[]; readonly isLoading: boolean }

const SEPARATOR = '\n'
/** Deeper lines are not indented further, because their text would have no room. */
const DEEPEST_INDENT = 14

export const idOfPath = (path: string): string => path.split(SEPARATOR).at(-1) ?? ''

/** Path of a node below another line. */
export const pathBelow = (path: string, id: string): string => `${path}${SEPARATOR}${id}`

/** Indent of a line in steps. */
export const indentOf = (level: number): number => Math.min(level - 1, DEEPEST_INDENT)

/** Returns dependents from the furthest to the nearest, each above its sources. */
export function rowsAbove(
  dependents: readonly LineageTree[],
  cardOf: (id: string) => NodeCard | undefined,
): readonly LineageRow[] {
  const rows: LineageRow[] = []
  const height = heightOf(dependents)
  // Trees are cut at a depth at which recursion is safe.
  const add = (trees: readonly LineageTree[], steps: number, below: string) => {
    trees.forEach((tree, order) => {
      const path = `${below}${SEPARATOR}${order} ${tree.id}`
      add(tree.dependents ?? [], steps + 1, path)
      const mark = tree.cycle ? 'cycle' : tree.repeated ? 'repeated' : tree.cut ? 'cut' : null
      const node = cardOf(tree.id) ?? nodeOfTree(tree)
      rows.push({
        kind: 'node',
        path: `^${path}`,
        side: 'above',
        node,
        mark,
        level: height - steps,
        canOpen: false,
        isOpen: false,
      })
    })
  }
  add(dependents, 0, '')
  return rows
}

/** Returns the number of levels above. */
function heightOf(trees: readonly LineageTree[]): number {
  let height = 0
  let level = trees
  while (level.length > 0) {
    height += 1
    level = level.flatMap((tree) => tree.dependents ?? [])
  }
  return height
}

function nodeOfTree({ id, kind, depth, tokens, firstSeq, lastSeq }: LineageTree): LineageNode {
  return { id, kind, depth, tokens, firstSeq: firstSeq ?? null, lastSeq: lastSeq ?? null }
}

/**
 * The node in the middle and the open part of what it comes from. A node that stands above itself closes a cycle and is
 * not opened there; one that stood in the tree before is marked.
 * @param levelOf sources of a node, as far as they were fetched
 * @param open paths of the nodes that are open; the one in the middle always is
 */
export function rowsBelow(
  middle: LineageNode,
  levelOf: (id: string) => Level | undefined,
  open: ReadonlySet<string>,
  middleLevel: number,
): readonly LineageRow[] {
  const rows: LineageRow[] = []
  const seen = new Set<string>()
  const add = (node: LineageNode, above: readonly string[], level: number) => {
    const path = [...above, node.id].join(SEPARATOR)
    const isCycle = above.includes(node.id)
    const mark: LineageMark = isCycle ? 'cycle' : seen.has(node.id) ? 'repeated' : null
    seen.add(node.id)
    const canOpen = !isCycle && node.kind !== 'message' && (node.sources ?? 0) > 0
    const isMiddle = above.length === 0
    const isOpen = canOpen && (isMiddle || open.has(path))
    rows.push({ kind: 'node', path, side: isMiddle ? 'middle' : 'below', node, mark, level, canOpen, isOpen })
    if (!isOpen) return
    const fetched = levelOf(node.id)
    for (const card of fetched?.nodes ?? []) add(card, [...above, node.id], level + 1)
    const left = fetched === undefined ? 0 : fetched.total - fetched.nodes.length
    if (fetched === undefined || fetched.isLoading)
      rows.push({ kind: 'loading', path: `${path}${SEPARATOR}…`, level: level + 1 })
    else if (left > 0) rows.push({ kind: 'more', path: `${path}${SEPARATOR}+`, of: node.id, level: level + 1, left })
  }
  add(middle, [], middleLevel)
  return rows
}

/**
 * The path from the window, or from the furthest dependent, down to a node: outermost first, without the node.
 * @param goal the summary of the window through which it is seen; null takes the first path up
 */
export function pathDown(dependents: readonly LineageTree[], goal: string | null): readonly LineageTree[] {
  const waiting: { readonly tree: LineageTree; readonly path: readonly LineageTree[] }[] = dependents
    .map((tree) => ({ tree, path: [tree] }))
    .reverse()
  let longest: readonly LineageTree[] = []
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { tree, path } = next
    if (tree.id === goal) return path.toReversed()
    if (longest.length === 0 && (tree.dependents ?? []).length === 0) longest = path
    for (const above of (tree.dependents ?? []).toReversed()) waiting.push({ tree: above, path: [...path, above] })
  }
  return longest.toReversed()
}
