import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Strata } from '#core/contract/strata.ts'
import { api } from '#renderer/api.ts'
import { navigate } from '#renderer/routes.ts'
import { useKeys } from '#renderer/ui/controls/use-keys.ts'
import { defaultFocus } from '#renderer/ui/nodes/default-focus.ts'
import { messageNumber } from '#renderer/ui/nodes/message-number.ts'
import { useLineageStep } from '#renderer/ui/nodes/use-lineage-step.ts'
import { besideInRow } from './selected-range.ts'
import { panViewport, wholeOf, widthOf, zoomViewport } from './viewport.ts'
import type { ViewportMotion } from './viewport-motion.ts'

const ZOOM_STEP = 1.6

type Input = {
  readonly strata: Strata
  readonly selection: string | null
  readonly motion: ViewportMotion
  /** Marks the messages of the selection, or those in sight. */
  readonly onMark: () => void
}

/** Zooms around the middle of the part in sight. */
export const zoomStep = (motion: ViewportMotion, direction: 'in' | 'out'): void => {
  const { x0, x1 } = motion.current
  const factor = direction === 'in' ? ZOOM_STEP : 1 / ZOOM_STEP
  motion.glideTo(zoomViewport(motion.current, (x0 + x1) / 2, factor, motion.limits))
}

/** Moves by a quarter of the part in sight. */
const panStep = (motion: ViewportMotion, direction: -1 | 1): void =>
  motion.glideTo(panViewport(motion.current, (direction * widthOf(motion.current)) / 4, motion.limits))

export const showWhole = (motion: ViewportMotion): void => motion.glideTo(wholeOf(motion.limits))

/** The common part of key events of React and of the window. */
type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'defaultPrevented' | 'preventDefault'>

/**
 * Handles keys of the strata. Zooming works from anywhere in the view; moving and opening while the drawing has the
 * focus, or nothing has.
 */
export function useStageKeys({ strata, selection, motion, onMark }: Input): (event: KeyPress) => void {
  const queries = useQueryClient()
  const lineageStep = useLineageStep()
  useKeys({
    '+': () => zoomStep(motion, 'in'),
    '=': () => zoomStep(motion, 'in'),
    '-': () => zoomStep(motion, 'out'),
    '0': () => showWhole(motion),
    w: () => zoomStep(motion, 'in'),
    s: () => zoomStep(motion, 'out'),
    a: () => panStep(motion, -1),
    d: () => panStep(motion, 1),
    m: onMark,
  })

  const select = (id: string | null) => {
    if (id !== null) navigate({ selection: id }, 'replace')
  }
  const messageBeside = async (id: string, step: -1 | 1): Promise<string | null> => {
    const { conversationId, position } = await queries.fetchQuery(api.transcript.locate.queryOptions({ input: { id } }))
    if (position + step < 0) return null
    const input = { conversationId, offset: position + step, limit: 1, contentChars: 0 }
    const { messages } = await queries.fetchQuery(api.transcript.page.queryOptions({ input }))
    return messages[0]?.id ?? null
  }
  const beside = async (step: -1 | 1) => {
    if (selection === null) return select(defaultFocus(strata))
    if (messageNumber(selection) !== null) return select(await messageBeside(selection, step))
    const entry = strata.summaries.id.indexOf(selection)
    select(entry < 0 ? defaultFocus(strata) : besideInRow(strata, entry, step))
  }
  const along = async (direction: 'sources' | 'dependents') =>
    select(selection === null ? defaultFocus(strata) : await lineageStep(selection, direction))

  const handlers: Readonly<Record<string, () => unknown>> = {
    ArrowUp: () => beside(-1),
    k: () => beside(-1),
    ArrowDown: () => beside(1),
    j: () => beside(1),
    ArrowLeft: () => along('sources'),
    ArrowRight: () => along('dependents'),
    Enter: () => selection !== null && navigate({ view: 'messages' }, 'push'),
  }
  const onKey = (event: KeyPress) => {
    const handler = handlers[event.key]
    if (handler === undefined || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    event.preventDefault()
    handler()
  }
  useUnclaimedKeys(onKey)
  return onKey
}

/** Handles keys that are pressed while nothing has the focus, and `j` and `k` while a button has it. */
function useUnclaimedKeys(onKey: (event: KeyPress) => void): void {
  const latest = useRef(onKey)
  useEffect(() => {
    latest.current = onKey
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { target, key } = event
      const isOnButton = (key === 'j' || key === 'k') && target instanceof HTMLButtonElement
      const isElsewhere = document.querySelector('dialog[open], :popover-open') !== null
      if ((target === document.body || isOnButton) && !isElsewhere) latest.current(event)
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}
