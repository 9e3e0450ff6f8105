import { factsOf, type View } from '../views.ts'

/** What the right panel can show. */
export type PanelTab = 'path' | 'recovery' | 'detail' | 'conversation'

export const PANEL_LABELS: Readonly<Record<PanelTab, { readonly label: string; readonly hint: string }>> = {
  path: { label: 'Path', hint: 'Where it is now, which summary lost it, and how to get it back' },
  recovery: { label: 'Get it back', hint: 'How to have in the window again what was lost' },
  detail: { label: 'Detail', hint: 'What is selected' },
  conversation: { label: 'Conversation', hint: 'The conversation on screen' },
}

type Place = {
  readonly view: View
  readonly selection: string | null
  /** What the search follows: what it traces, or the chosen hit. */
  readonly traced: 'trace' | 'hit' | null
}

/** These views list things of every conversation: that on screen has nothing to do with them. */
const WITHOUT_CONVERSATION: ReadonlySet<View> = new Set(['conversations', 'files', 'notes'])

/** Returns the tabs of the right panel: that of Find, the detail of the selection, or the conversation. */
export function panelTabs({ view, selection, traced }: Place): readonly PanelTab[] {
  const { scope, isWithoutPanel } = factsOf(view)
  if (scope === 'program' || isWithoutPanel) return []
  const own: readonly PanelTab[] = traced !== null ? [traced === 'hit' ? 'path' : 'recovery'] : []
  const tabs: readonly PanelTab[] = selection === null ? own : [...own, 'detail']
  return tabs.length > 0 || WITHOUT_CONVERSATION.has(view) ? tabs : ['conversation']
}

/** The tab that was chosen at a place of the address. */
export type ChosenTab = { readonly place: string; readonly tab: PanelTab }

/** Returns the name of a place. Rungs of a trace, and hits, are selected one after the other in the same tab. */
export const placeOf = ({ view, selection, traced }: Place): string =>
  traced !== null ? `${view} ${traced}` : `${view} ${selection}`

/** Returns the shown tab: the chosen one, or what was selected. A trace comes before the detail of what is selected in it. */
export function shownTab(tabs: readonly PanelTab[], place: string, chosen: ChosenTab | null): PanelTab | null {
  if (chosen?.place === place && tabs.includes(chosen.tab)) return chosen.tab
  return tabs.find((tab) => tab === 'path' || tab === 'recovery' || tab === 'detail') ?? tabs[0] ?? null
}
