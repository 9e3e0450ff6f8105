import { type NodeLook, nodeColor } from '#renderer/ui/depth-color.ts'
import { boxesPath, linksPath, type WholeLayout } from './whole-layout.ts'

/** How a summary looks, and an id that is not in the file. */
export function lookOf({ graph }: WholeLayout, node: number): NodeLook {
  const depth = graph.nodes.depth[node] ?? 0
  return { kind: depth < 0 ? 'missing' : depth === 0 ? 'leaf' : 'condensed', depth }
}

type Drawn = { readonly key: string; readonly color: string; readonly path: string; readonly isLit: boolean }

/** All boxes, one path for each colour and for what is in the window, and all links by the colour of the summary. */
export function wholePaths(layout: WholeLayout): {
  readonly boxes: readonly Drawn[]
  readonly links: readonly Drawn[]
  readonly cycles: string
} {
  const { nodes, links } = layout.graph
  const colorOf = (node: number) => nodeColor(lookOf(layout, node))
  const byLook = Map.groupBy([...nodes.id.keys()], (node) => `${colorOf(node)} ${nodes.inWindow[node]}`)
  const boxes = [...byLook].map(([key, members]) => ({
    key,
    color: colorOf(members[0] ?? 0),
    path: boxesPath(layout, members),
    isLit: key.endsWith(' 1'),
  }))
  const all = [...links.from.keys()]
  const sound = Map.groupBy(
    all.filter((link) => links.isCycle[link] !== 1),
    (link) => colorOf(links.from[link] ?? 0),
  )
  return {
    boxes,
    links: [...sound].map(([color, members]) => ({
      key: color,
      color,
      path: linksPath(layout, members),
      isLit: false,
    })),
    cycles: linksPath(
      layout,
      all.filter((link) => links.isCycle[link] === 1),
    ),
  }
}
