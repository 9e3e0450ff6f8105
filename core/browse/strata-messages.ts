import { firstIndex } from '../binary-search.ts'
import { ROLES } from '../contract/ids.ts'
import type { StrataMessages } from '../contract/strata.ts'
import { IN_WINDOW } from '../memory/coverage.ts'
import type { Memory } from '../memory/memory.ts'
import { type Axis, rangeOf } from './strata-axis.ts'

/** Merges the messages of a range, in order, into at most `buckets` columns of equal width. */
export function messageColumns(
  memory: Memory,
  axis: Axis,
  range: { readonly x0: number; readonly x1: number; readonly buckets: number },
): StrataMessages {
  const { messages } = memory
  const { messageStates } = memory.coverage
  const from = firstIndex(
    messages.length,
    (position) => axis.startOf(position) >= range.x0 || axis.endOf(position) > range.x0,
  )
  const to =
    range.x1 >= axis.extent
      ? messages.length
      : firstIndex(messages.length, (position) => axis.startOf(position) >= range.x1)
  const columns: StrataMessages = {
    x0: [],
    x1: [],
    count: [],
    tokens: [],
    maxTokens: [],
    role: [],
    inWindow: [],
    firstMessage: [],
  }
  const width = (range.x1 - range.x0) / range.buckets
  const isEachAlone = to - from <= range.buckets
  const bucketOf = (position: number): number => {
    if (isEachAlone) return position
    const bucket = width > 0 ? Math.floor((axis.startOf(position) - range.x0) / width) : 0
    return Math.min(range.buckets - 1, Math.max(0, bucket))
  }

  for (let first = from; first < to; ) {
    const bucket = bucketOf(first)
    const tokensByRole = ROLES.map(() => 0)
    let [maxTokens, inWindow, next] = [0, 0, first]
    for (; next < to && bucketOf(next) === bucket; next += 1) {
      const tokens = messages.tokensAt(next)
      const role = messages.roleAt(next)
      tokensByRole[role] = (tokensByRole[role] as number) + tokens
      if (tokens > maxTokens) maxTokens = tokens
      if (messageStates[next] === IN_WINDOW) inWindow += 1
    }
    const [x0, x1] = rangeOf(axis, first, next - 1)
    const tokens = tokensByRole.reduce((sum, some) => sum + some, 0)
    columns.x0.push(x0)
    columns.x1.push(x1)
    columns.count.push(next - first)
    columns.tokens.push(tokens)
    columns.maxTokens.push(maxTokens)
    columns.role.push(tokens === 0 ? messages.roleAt(first) : indexOfLargest(tokensByRole))
    columns.inWindow.push(inWindow)
    columns.firstMessage.push(messages.ids[first] as number)
    first = next
  }
  return columns
}

const indexOfLargest = (values: readonly number[]): number => values.indexOf(Math.max(...values))
