import { type RefObject, useEffect, useState } from 'react'
import type { TextRange } from './use-provenance.ts'

/** A selection is requested when it has not changed for this long. */
const SETTLE_MS = 220

/** Returns the range that is selected in a text, by mouse or keys, or null. */
export function useTextSelection(
  ref: RefObject<HTMLElement | null>,
): readonly [TextRange | null, (range: TextRange | null) => void] {
  const [range, setRange] = useState<TextRange | null>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const onChange = () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        const root = ref.current
        if (root === null) return
        const next = selectedRange(root)
        // The range stays selected when the browser's selection moves elsewhere, for example to copy a passage.
        if (next !== null) setRange((before) => (before?.from === next.from && before.to === next.to ? before : next))
      }, SETTLE_MS)
    }
    document.addEventListener('selectionchange', onChange)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('selectionchange', onChange)
    }
  }, [ref])
  return [range, setRange]
}

/** Shorter selections are usually accidental. */
const SHORTEST = 3

/**
 * Returns the selection within an element whose runs give their beginnings (`data-start`), or null when it is empty.
 */
function selectedRange(root: HTMLElement): TextRange | null {
  const selection = window.getSelection()
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return null
  const range = selection.getRangeAt(0)
  if (!range.intersectsNode(root)) return null
  const from = offsetOf(root, range.startContainer, range.startOffset, 'start')
  const to = offsetOf(root, range.endContainer, range.endOffset, 'end')
  return to - from >= SHORTEST ? { from, to } : null
}

/**
 * Returns the offset in the text of a position in the page. A position outside the element gives its beginning or end.
 */
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
