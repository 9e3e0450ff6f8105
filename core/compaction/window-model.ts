import { summaryItem, type WindowItem } from '../window/window.ts'
import type { Range } from './leaf-chunks.ts'

/** A range of a window and the summary that replaces it. */
export type Replacement = { readonly range: Range; readonly by: WindowItem }

/** Returns the window after replacements, which must be in order and must not overlap. */
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

/** Makes a new summary at the position of the first item that it replaces. */
export const newSummary = ({
  id,
  depth,
  tokens,
  ordinal,
}: Pick<WindowItem, 'id' | 'ordinal' | 'tokens'> & { readonly depth: number }): WindowItem =>
  summaryItem({ id, kind: depth === 0 ? 'leaf' : 'condensed', depth, tokens, ordinal, saidAtMs: null })
