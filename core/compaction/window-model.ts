import type { WindowItem } from '../window/window.ts'
import type { Range } from './leaf-chunks.ts'

/** A stretch of a window and the summary that takes its place. */
export type Replacement = { readonly range: Range; readonly by: WindowItem }

/** The window after replacements, which must be in order and apart. */
export function replaceRanges(items: readonly WindowItem[], replacements: readonly Replacement[]): WindowItem[] {
  const after: WindowItem[] = []
  let index = 0
  for (const { range, by } of replacements) {
    while (index < range.from) pushAt(after, items, index++)
    after.push(by)
    index = range.to
  }
  while (index < items.length) pushAt(after, items, index++)
  return after
}

function pushAt(after: WindowItem[], items: readonly WindowItem[], index: number): void {
  const item = items[index]
  if (item) after.push(item)
}

/** A summary as an entry of the window, at the place of the first item that it replaces. */
export function summaryItem(node: {
  readonly id: string
  readonly depth: number
  readonly tokens: number
  readonly ordinal: number
}): WindowItem {
  return {
    ordinal: node.ordinal,
    id: node.id,
    kind: node.depth === 0 ? 'leaf' : 'condensed',
    messageId: null,
    summaryId: node.id,
    role: null,
    depth: node.depth,
    seq: null,
    tokens: node.tokens,
    createdAtMs: null,
    placedAtMs: null,
  }
}
