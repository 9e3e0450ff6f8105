import { type RefObject, useEffect, useState } from 'react'
import { selectedStretch } from './text-offset.ts'
import type { Stretch } from './use-provenance.ts'

/** A selection is asked about when it stood still for so long. */
const SETTLE_MS = 220

/** What somebody selects in a text, by mouse or by key; null while nothing is. */
export function useTextSelection(
  ref: RefObject<HTMLElement | null>,
): readonly [Stretch | null, (stretch: Stretch | null) => void] {
  const [stretch, setStretch] = useState<Stretch | null>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const onChange = () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        const root = ref.current
        if (root === null) return
        const next = selectedStretch(root)
        // What was selected stays in hand when the selection goes elsewhere: to a passage, say, to copy it.
        if (next !== null) setStretch((before) => (before?.from === next.from && before.to === next.to ? before : next))
      }, SETTLE_MS)
    }
    document.addEventListener('selectionchange', onChange)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('selectionchange', onChange)
    }
  }, [ref])
  return [stretch, setStretch]
}
