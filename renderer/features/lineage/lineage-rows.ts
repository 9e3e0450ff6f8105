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
      /** The place among its siblings from 1, where all of them are known. */
      readonly position?: number
      readonly setSize?: number
    }
  | {
      readonly kind: 'more'
      readonly path: string
      readonly of: string | null
      readonly level: number
      readonly left: number
    }
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

type LevelOf = (of: string | null) => Level | undefined

/** The place of a node among its siblings. */
type Place = { readonly position: number; readonly setSize: number }

/**
 * The node in the middle and the open part of what it comes from. A node that stands above itself closes a cycle and is
 * not opened there; one that stood in the tree before is marked.
 * @param levelOf sources of a node, as far as they were fetched
 * @param open paths of the nodes that are open; the one in the middle always is
 */
export function rowsBelow(
  middle: LineageNode,
  levelOf: LevelOf,
  open: ReadonlySet<string>,
  middleLevel: number,
): readonly LineageRow[] {
  const rows: LineageRow[] = []
  addNode({ rows, levelOf, open, seen: new Set() }, middle, [], middleLevel, 'middle')
  return rows
}

/** The summaries from which no other one was made, and the open part of what they come from. */
export function rowsOfAll(levelOf: LevelOf, open: ReadonlySet<string>): readonly LineageRow[] {
  const rows: LineageRow[] = []
  addLevel({ rows, levelOf, open, seen: new Set() }, null, [], 1)
  return rows
}

type Adding = {
  readonly rows: LineageRow[]
  readonly levelOf: LevelOf
  readonly open: ReadonlySet<string>
  /** The nodes that stand in the tree already. */
  readonly seen: Set<string>
}

function addNode(
  adding: Adding,
  node: LineageNode,
  above: readonly string[],
  level: number,
  side: 'middle' | 'below',
  place?: Place,
): void {
  const { rows, open, seen } = adding
  const path = [...above, node.id].join(SEPARATOR)
  const isCycle = above.includes(node.id)
  const mark: LineageMark = isCycle ? 'cycle' : seen.has(node.id) ? 'repeated' : null
  seen.add(node.id)
  const canOpen = !isCycle && node.kind !== 'message' && (node.sources ?? 0) > 0
  const isOpen = canOpen && (side === 'middle' || open.has(path))
  rows.push({ kind: 'node', path, side, node, mark, level, canOpen, isOpen, ...place })
  if (isOpen) addLevel(adding, node.id, [...above, node.id], level + 1)
}

function addLevel(adding: Adding, of: string | null, above: readonly string[], level: number): void {
  const fetched = adding.levelOf(of)
  const setSize = fetched?.total ?? 0
  fetched?.nodes.forEach((card, order) => {
    addNode(adding, card, above, level, 'below', { position: order + 1, setSize })
  })
  const left = fetched === undefined ? 0 : fetched.total - fetched.nodes.length
  const path = above.join(SEPARATOR)
  if (fetched === undefined || fetched.isLoading)
    adding.rows.push({ kind: 'loading', path: `${path}${SEPARATOR}…`, level })
  else if (left > 0) adding.rows.push({ kind: 'more', path: `${path}${SEPARATOR}+`, of, level, left })
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
