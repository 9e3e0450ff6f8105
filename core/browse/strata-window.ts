import type { Strata } from '../contract/strata.ts'
import type { Memory } from '../memory/memory.ts'
import { type Axis, nodeRange, rangeOf } from './strata-axis.ts'

type WindowRun = Strata['window'][number]

/**
 * Returns the window along the top edge, in its order. Raw messages that follow each other in the window and in the
 * conversation form one run; those that are left out form other runs.
 * @param leftOut ids of active items that do not go to the model
 */
export function windowRuns(memory: Memory, axis: Axis, leftOut: ReadonlySet<string>): WindowRun[] {
  const { messages, summaries, window } = memory
  const isOut = (position: number): boolean => leftOut.size > 0 && leftOut.has(memory.messageId(position))
  const flag = (isLeftOut: boolean) => (isLeftOut ? { isLeftOut } : {})
  const runs: WindowRun[] = []
  for (let item = 0; item < window.length; ) {
    const node = window.nodeAt(item)
    if (node >= 0) {
      const [x0, x1] = nodeRange(memory, node, axis)
      const { id, depth, tokens } = summaries.at(node)
      runs.push({ x0, x1, id, depth, items: 1, tokens, ...flag(leftOut.has(id)) })
    }
    const first = window.positionAt(item)
    const isLeftOut = first >= 0 && isOut(first)
    let last = first
    item += 1
    while (last >= 0 && item < window.length && window.positionAt(item) === last + 1 && isOut(last + 1) === isLeftOut) {
      last += 1
      item += 1
    }
    if (first < 0) continue
    const [x0, x1] = rangeOf(axis, first, last)
    const tokens = (messages.tokensBefore[last + 1] as number) - (messages.tokensBefore[first] as number)
    runs.push({ x0, x1, id: null, depth: -1, items: last - first + 1, tokens, ...flag(isLeftOut) })
  }
  return runs
}
