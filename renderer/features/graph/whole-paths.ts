import { type NodeLook, nodeColor } from '#renderer/ui/nodes/depth-color.ts'
import { boxesPath, linksPath, type WholeLayout } from './whole-layout.ts'

/** How a summary looks, and an id that is not in the file. */
export function lookOf({ graph }: WholeLayout, node: number): NodeLook {
  const depth = graph.nodes.depth[node] ?? 0
  return { kind: depth < 0 ? 'missing' : depth === 0 ? 'leaf' : 'condensed', depth }
}

/** What is drawn in one colour. */
type Drawn = { readonly color: string; readonly path: string }
type DrawnBoxes = Drawn & { readonly isInWindow: boolean }

export type WholePaths = {
  readonly boxes: readonly DrawnBoxes[]
  readonly links: readonly Drawn[]
  /** The links that close cycles. */
  readonly cycles: string
}

/** All boxes, one path for each colour and for what is in the window, and all links by the colour of the summary. */
export function wholePaths(layout: WholeLayout): WholePaths {
  const { nodes, links } = layout.graph
  const colorOf = (node: number) => nodeColor(lookOf(layout, node))
  const boxes = [1, 0].flatMap((inWindow) => {
    const members = [...nodes.id.keys()].filter((node) => nodes.inWindow[node] === inWindow)
    return [...Map.groupBy(members, colorOf)].map(([color, own]) => ({
      color,
      path: boxesPath(layout, own),
      isInWindow: inWindow === 1,
    }))
  })
  const all = [...links.from.keys()]
  const sound = Map.groupBy(
    all.filter((link) => links.isCycle[link] !== 1),
    (link) => colorOf(links.from[link] ?? 0),
  )
  return {
    boxes,
    links: [...sound].map(([color, own]) => ({ color, path: linksPath(layout, own) })),
    cycles: linksPath(
      layout,
      all.filter((link) => links.isCycle[link] === 1),
    ),
  }
}
