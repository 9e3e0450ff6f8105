import { factsOf, type View } from '../views.ts'

/** What the right panel can show. */
export type PanelTab = 'path' | 'recovery' | 'losses' | 'detail' | 'conversation'

export const PANEL_LABELS: Readonly<Record<PanelTab, { readonly label: string; readonly hint: string }>> = {
  path: { label: 'Path', hint: 'Where it is now, which summary lost it, and how to get it back' },
  recovery: { label: 'Get it back', hint: 'How to have in the window again what was lost' },
  losses: { label: 'Loss report', hint: 'What the last compaction of the chosen conversation lost' },
  detail: { label: 'Detail', hint: 'What is selected' },
  conversation: { label: 'Conversation', hint: 'The conversation on screen' },
}

type Place = {
  readonly view: View
  readonly selection: string | null
  /** What the search follows: what it traces, or the chosen hit. */
  readonly traced: 'trace' | 'hit' | null
}

/** Returns the tabs of the right panel: that of Find or of all conversations, the detail of the selection, or the conversation. */
export function panelTabs({ view, selection, traced }: Place): readonly PanelTab[] {
  const { scope, isWithoutPanel } = factsOf(view)
  if (scope === 'program' || isWithoutPanel) return []
  const own: readonly PanelTab[] =
    traced !== null ? [traced === 'hit' ? 'path' : 'recovery'] : view === 'conversations' ? ['losses'] : []
  const tabs: readonly PanelTab[] = selection === null ? own : [...own, 'detail']
  return tabs.length > 0 || view === 'files' || view === 'notes' ? tabs : ['conversation']
}

/** The tab that was chosen at a place of the address. */
export type ChosenTab = { readonly place: string; readonly tab: PanelTab }

/** Returns the name of a place. Rungs of a trace, and hits, are selected one after the other in the same tab. */
export const placeOf = ({ view, selection, traced }: Place): string =>
  traced !== null ? `${view} ${traced}` : `${view} ${selection}`

/** Returns the shown tab: the chosen one, or what was selected. A trace and a list come before the detail of what is selected in them. */
export function shownTab(tabs: readonly PanelTab[], place: string, chosen: ChosenTab | null): PanelTab | null {
  if (chosen?.place === place && tabs.includes(chosen.tab)) return chosen.tab
  return (
    tabs.find((tab) => tab === 'path' || tab === 'recovery' || tab === 'losses' || tab === 'detail') ?? tabs[0] ?? null
  )
}
