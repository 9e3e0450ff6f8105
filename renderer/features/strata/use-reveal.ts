import { useEffect, useRef } from 'react'
import type { SelectedRange } from './selected-range.ts'
import { isWhole, viewportRevealing } from './viewport.ts'
import type { ViewportMotion } from './viewport-motion.ts'

/** Scrolls a new selection into sight once. Later movements of the user are kept. */
export function useReveal(selected: SelectedRange | null, selection: string | null, motion: ViewportMotion): void {
  // A zoom of the address is kept as it is.
  const revealed = useRef(isWhole(motion.current, motion.limits) ? null : selection)
  useEffect(() => {
    if (selection === revealed.current) return
    if (selection === null) revealed.current = null
    // The position of a message arrives later than its id.
    if (selected === null) return
    revealed.current = selection
    const wanted = viewportRevealing(motion.current, selected.x0, selected.x1, motion.limits)
    if (wanted !== motion.current) motion.glideTo(wanted)
  }, [selected, selection, motion])
}
