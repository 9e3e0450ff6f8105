import { createContext, type ReactNode, use } from 'react'
import { createPortal } from 'react-dom'

/** The place of the right panel for what the view has to say there. Null while its tab is not shown. */
export const ViewPanelSlot = createContext<HTMLElement | null>(null)

/** Shows a part of a view in the right panel of the window, in a tab of its own. */
export function ViewPanel({ children }: { readonly children: ReactNode }) {
  const slot = use(ViewPanelSlot)
  return slot && createPortal(children, slot)
}
