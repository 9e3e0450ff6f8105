import type { Strata } from '../contract/strata.ts'
import type { SummaryGraph } from '../memory/summary-graph.ts'
import { messageNodeId } from '../systems/node-id.ts'
import { type Axis, nodeRange, rangeOf } from './strata-axis.ts'

type WindowRun = Strata['window'][number]

/**
 * The window along the top edge, in its order; raw messages that follow each other in both make one run, and those that
 * are left out make others.
 * @param leftOut ids of active items that do not go to the model
 */
export function windowRuns(graph: SummaryGraph, axis: Axis, leftOut: ReadonlySet<string>): WindowRun[] {
  const { history } = graph
  const isOut = (position: number): boolean =>
    leftOut.size > 0 && leftOut.has(messageNodeId(history.ids[position] as number))
  const flag = (isLeftOut: boolean) => (isLeftOut ? { isLeftOut } : {})
  const runs: WindowRun[] = []
  for (let i = 0; i < graph.window.length; ) {
    const item = graph.window[i]
    const node = graph.nodes[item?.node ?? -1]
    if (node && node.kind !== 'missing') {
      const [x0, x1] = nodeRange(graph, node, axis)
      runs.push({
        x0,
        x1,
        id: node.id,
        depth: node.depth,
        items: 1,
        tokens: node.tokens,
        ...flag(leftOut.has(node.id)),
      })
    }
    const first = item?.position ?? -1
    const isLeftOut = first >= 0 && isOut(first)
    let last = first
    i += 1
    while (last >= 0 && graph.window[i]?.position === last + 1 && isOut(last + 1) === isLeftOut) {
      last += 1
      i += 1
    }
    if (first < 0) continue
    const [x0, x1] = rangeOf(axis, first, last)
    const tokens = (history.tokensBefore[last + 1] as number) - (history.tokensBefore[first] as number)
    runs.push({ x0, x1, id: null, depth: -1, items: last - first + 1, tokens, ...flag(isLeftOut) })
  }
  return runs
}
