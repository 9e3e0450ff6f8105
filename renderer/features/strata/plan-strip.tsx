import { useEffect, useMemo, useRef, useState } from 'react'
import type { PlanStep } from '#core/contract/compaction.ts'
import type { Strata } from '#core/contract/strata.ts'
import { navigate, useRoutePart } from '#renderer/routes.ts'
import { useSize } from '#renderer/ui/charts/use-size.ts'
import { useKeys } from '#renderer/ui/controls/use-keys.ts'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { useNow } from '#renderer/ui/texts/use-now.ts'
import drawing from './drawing.module.css'
import type { Hit } from './hit.ts'
import { onClick, onDoubleClick } from './hit-action.ts'
import { Hovering } from './hovering.ts'
import type { PlanOverlay } from './planned-bars.ts'
import { StrataTooltip } from './strata-tooltip.tsx'
import { useReveal } from './use-reveal.ts'
import { useScene } from './use-scene.ts'
import { showWhole, zoomStep } from './use-stage-keys.ts'
import { useStrataDrawing } from './use-strata-drawing.ts'
import { useStrataGestures } from './use-strata-gestures.ts'
import { useStrata } from './use-strata-queries.ts'
import { limitsOf, viewportAround, viewportRevealing } from './viewport.ts'
import { ViewportMotion } from './viewport-motion.ts'

type Props = {
  readonly conversationId: number
  readonly steps: readonly PlanStep[]
  /** The fresh tail that is tried out. By default the configured one. */
  readonly freshTailCount?: number | undefined
  /** The number of the selected step, from 0. */
  readonly step: number | null
  readonly onStep: (step: number) => void
}

const NO_STEPS: readonly PlanStep[] = []
const DAY_CHECK_MS = 60_000

/** The strata in small, with the nodes of a plan among the existing ones. */
export function PlanStrip({ conversationId, freshTailCount, ...props }: Props) {
  const { data: strata, error, refetch } = useStrata(conversationId, 'messages', freshTailCount)
  if (error && strata === undefined) return <ErrorLine error={error} onRetry={() => void refetch()} />
  if (strata === undefined) return <Loading what="the layers" lines={4} />
  return <Drawing key={strata.conversationId} strata={strata} {...props} />
}

/** On the axis of messages, x is a position. */
const tailText = ({ freshTailX, extent }: Strata): string =>
  freshTailX >= extent ? 'no newest messages that stay' : `newest messages from message ${formatCount(freshTailX + 1)}`

type DrawingProps = Omit<Props, 'conversationId' | 'freshTailCount'> & { readonly strata: Strata }

function Drawing({ strata, steps, step, onStep }: DrawingProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const base = useRef<HTMLCanvasElement>(null)
  const overlay = useRef<HTMLCanvasElement>(null)
  const size = useSize(scroller)
  const nowMs = useNow(DAY_CHECK_MS)
  const selection = useRoutePart('selection')
  const [motion] = useState(() => new ViewportMotion(limitsOf(strata)))
  useEffect(() => motion.setLimits(limitsOf(strata)), [motion, strata])
  const [hovering] = useState(() => new Hovering())
  const planned = steps.length === 0 ? NO_STEPS : steps
  const sceneNow = useScene({
    strata,
    colorBy: 'depth',
    selection,
    size,
    motion,
    nowMs,
    planned,
    focusedStep: step,
  })
  const scene = useMemo(() => sceneNow?.() ?? null, [sceneNow])

  useReveal(scene?.selected ?? null, selection, motion)
  useRevealStep(scene?.plan ?? null, motion)
  useStrataDrawing(base, overlay, sceneNow, motion, hovering)
  const click = (hit: Hit | null) => {
    if (hit?.kind === 'planned') return onStep(hit.step)
    const { select, show } = onClick(hit, strata)
    if (select !== undefined) navigate({ selection: select }, 'push')
    if (show !== undefined) motion.glideTo(viewportAround(show.x0, show.x1, motion.limits))
  }
  useStrataGestures(stage, sceneNow, motion, {
    onHover: hovering.set,
    onClick: click,
    onDoubleClick: (hit) => {
      const { show } = onDoubleClick(hit, strata)
      if (show !== undefined) motion.glideTo(viewportAround(show.x0, show.x1, motion.limits))
    },
  })
  useKeys({
    '+': () => zoomStep(motion, 'in'),
    '=': () => zoomStep(motion, 'in'),
    '-': () => zoomStep(motion, 'out'),
    '0': () => showWhole(motion),
  })

  return (
    <div ref={scroller} className={drawing.scroller}>
      <div
        ref={stage}
        className={drawing.surface}
        style={scene ? { height: scene.rows.height } : undefined}
        role="img"
        aria-label={`${plural(steps.length, 'planned summary', 'planned summaries')} over ${plural(strata.summaries.id.length, 'summary', 'summaries')} of ${plural(strata.totalMessages, 'message')}, ${tailText(strata)}. The plan below lists the same.`}
      >
        <canvas ref={base} className={drawing.canvas} />
        <canvas ref={overlay} className={drawing.canvas} />
        {size && <StrataTooltip hovering={hovering} strata={strata} width={size.width} />}
      </div>
    </div>
  )
}

/** Scrolls the selected step into sight when it changes. */
function useRevealStep(plan: PlanOverlay | null, motion: ViewportMotion): void {
  const revealed = useRef<number | null>(null)
  useEffect(() => {
    if (plan === null || plan.focused === revealed.current) return
    revealed.current = plan.focused
    const entry = plan.focused === null ? -1 : plan.bars.step.indexOf(plan.focused)
    const x0 = plan.bars.x0[entry]
    const x1 = plan.bars.x1[entry]
    if (x0 === undefined || x1 === undefined) return
    const wanted = viewportRevealing(motion.current, x0, x1, motion.limits)
    if (wanted !== motion.current) motion.glideTo(wanted)
  }, [plan, motion])
}
