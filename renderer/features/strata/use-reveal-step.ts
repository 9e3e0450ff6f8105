import { useEffect, useRef } from 'react'
import type { PlanOverlay } from './planned-bars.ts'
import { viewportRevealing } from './viewport.ts'
import type { ViewportMotion } from './viewport-motion.ts'

/** Brings the step in hand into sight when it changes. */
export function useRevealStep(plan: PlanOverlay | null, motion: ViewportMotion): void {
  const revealed = useRef<number | null>(null)
  useEffect(() => {
    if (plan === null || plan.focused === revealed.current) return
    revealed.current = plan.focused
    const place = plan.focused === null ? -1 : plan.bars.step.indexOf(plan.focused)
    const x0 = plan.bars.x0[place]
    const x1 = plan.bars.x1[place]
    if (x0 === undefined || x1 === undefined) return
    const wanted = viewportRevealing(motion.current, x0, x1, motion.limits)
    if (wanted !== motion.current) motion.glideTo(wanted)
  }, [plan, motion])
}
