/** The widths of the columns of the window, in CSS pixels. */
export type Columns = {
  readonly sidebar: number
  readonly panel: number
  /** True when the panel lies over the view, because both do not fit side by side. */
  readonly isOverlay: boolean
  readonly sidebarMax: number
  readonly panelMax: number
}

export const SIDEBAR = { initial: 248, min: 240, max: 560 } as const
export const PANEL = { initial: 344, min: 260, max: 720 } as const
/** The view keeps this width, so that a view of two columns has 240 pixels for each. */
const MIN_VIEW = 560
/** The lines between the columns. */
const LINES = 2
/** What stays in sight of a view below the panel. */
const BESIDE_OVERLAY = 48

/** Fits the widths that the user chose into a window: the view keeps what it needs, then the panel, then the sidebar. */
export function fitColumns(windowWidth: number, wanted: { readonly sidebar: number; readonly panel: number }): Columns {
  const width = windowWidth - LINES
  const isOverlay = width < SIDEBAR.min + MIN_VIEW + PANEL.min
  const room = width - (isOverlay ? 0 : SIDEBAR.min + MIN_VIEW)
  const panelMax = clamp(isOverlay ? room - SIDEBAR.min - BESIDE_OVERLAY : room, PANEL.min, PANEL.max)
  const panel = clamp(wanted.panel, PANEL.min, panelMax)
  const sidebarMax = clamp(width - MIN_VIEW - (isOverlay ? 0 : panel), SIDEBAR.min, SIDEBAR.max)
  return { sidebar: clamp(wanted.sidebar, SIDEBAR.min, sidebarMax), panel, isOverlay, sidebarMax, panelMax }
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high))
