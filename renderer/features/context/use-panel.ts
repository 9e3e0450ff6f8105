import { useCallback, useState, useSyncExternalStore } from 'react'
import { useRoute } from '../../routes.ts'
import { useStored } from '../../ui/use-stored.ts'

/** In a narrower view there is no room beside the list unless the user asks for the panel. */
const WIDE_PX = 800
/** Up to this width the panel and the detail of a selection share the right side, as in the styles of the window. */
const ONE_AT_A_TIME = '(max-width: 1700px)'

export type Panel = {
  readonly isOpen: boolean
  /** True when the panel replaces the detail of the selection, until another selection is made. */
  readonly isInstead: boolean
  readonly toggle: () => void
}

/**
 * Whether what if stands beside the list: where there is room, unless it was decided otherwise. Where there is room for
 * one panel only, it is that of what was done last: selecting shows the detail, asking what if shows this.
 * @param width of the view in pixels
 */
export function usePanel(width: number, isDetailShown: boolean): Panel {
  const [stored, setStored] = useStored<string>('what-if-panel', 'auto')
  const [instead, setInstead] = useState<string | null>(null)
  const { selection } = useRoute()
  const isShared = useMedia(ONE_AT_A_TIME) && isDetailShown
  if (isShared) {
    const isInstead = selection !== null && instead === selection
    return { isOpen: isInstead, isInstead, toggle: () => setInstead(isInstead ? null : selection) }
  }
  const isOpen = stored === 'auto' ? width >= WIDE_PX : stored === 'open'
  return { isOpen, isInstead: false, toggle: () => setStored(isOpen ? 'closed' : 'open') }
}

/** Whether a media query holds, also when that changes. */
function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const list = window.matchMedia(query)
      list.addEventListener('change', onChange)
      return () => list.removeEventListener('change', onChange)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches)
}
