import type { TextRange } from './use-provenance.ts'

/** Shorter selections are slips of the hand. */
const SHORTEST = 3

/** What is selected within an element whose runs say where they begin (`data-start`); null when that is nothing. */
export function selectedRange(root: HTMLElement): TextRange | null {
  const selection = window.getSelection()
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return null
  const range = selection.getRangeAt(0)
  if (!range.intersectsNode(root)) return null
  const from = offsetOf(root, range.startContainer, range.startOffset, 'start')
  const to = offsetOf(root, range.endContainer, range.endOffset, 'end')
  return to - from >= SHORTEST ? { from, to } : null
}

/** Offset in the text of a place in the page; what lies before or behind the element is its beginning or its end. */
function offsetOf(root: HTMLElement, node: Node, offset: number, edge: 'start' | 'end'): number {
  const run = node.parentElement?.closest('[data-start]')
  if (node instanceof Text && run && root.contains(run)) return startOf(run) + offset
  const place = new Range()
  place.setStart(node, offset)
  const runs = [...root.querySelectorAll('[data-start]')]
  const next = runs.find((one) => place.comparePoint(one, 0) >= 0)
  if (next !== undefined) return startOf(next)
  const last = runs.at(-1)
  if (last === undefined || edge === 'start') return last ? startOf(last) : 0
  return startOf(last) + (last.textContent?.length ?? 0)
}

const startOf = (run: Element): number => Number(run.getAttribute('data-start'))
