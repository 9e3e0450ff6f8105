import { type RefObject, useEffect, useState } from 'react'
import { selectedRange } from './text-offset.ts'
import type { TextRange } from './use-provenance.ts'

/** A selection is asked about when it stood still for so long. */
const SETTLE_MS = 220

/** What somebody selects in a text, by mouse or by key; null while nothing is. */
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
        // What was selected stays in hand when the selection goes elsewhere: to a passage, say, to copy it.
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
