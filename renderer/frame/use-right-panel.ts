import { useState } from 'react'
import { tracedOf } from '../features/probe/traced-question.ts'
import { useProbedQuestion } from '../features/probe/use-probe.ts'
import { type TraceAsked, useTraceAsked } from '../features/trace/use-trace.ts'
import { useRoutePart, useShown } from '../routes.ts'
import { tracedWords } from '../ui/data/traced-words.ts'
import { useStored } from '../ui/data/use-stored.ts'
import { type ChosenTab, type PanelTab, panelTabs, placeOf, shownTab } from './panel-tabs.ts'

export type RightPanelState = {
  readonly tabs: readonly PanelTab[]
  /** Null where the panel has nothing to say. */
  readonly tab: PanelTab | null
  readonly isOpen: boolean
  readonly asked: TraceAsked | null
  /** Shows a tab, and opens the panel for it. */
  readonly show: (tab: PanelTab) => void
  readonly toggle: () => void
}

/**
 * The right panel is open where there is something selected or traced, unless it was closed.
 * Without either it opens on request only, and so does it where it lies over the view, unless something is selected.
 */
export function useRightPanel(isOverlay: boolean): RightPanelState {
  const view = useRoutePart('view')
  const selection = useRoutePart('selection')
  const { traced, asked } = useTracedHere()
  const [chosen, setChosen] = useState<ChosenTab | null>(null)
  const [isWanted, setWanted] = useStored<boolean>('panel-open', true)
  const [isQuietWanted, setQuietWanted] = useStored<boolean>('panel-conversation', false)
  const [overlay, setOverlay] = useState<{ readonly place: string; readonly isOpen: boolean } | null>(null)

  const where = { view, selection, traced }
  const place = placeOf(where)
  const tabs = panelTabs(where)
  const tab = shownTab(tabs, place, chosen)
  const isQuiet = tab === 'conversation'
  const isOpen =
    tab !== null &&
    (isOverlay ? (overlay?.place === place ? overlay.isOpen : selection !== null) : isQuiet ? isQuietWanted : isWanted)

  const setOpen = (open: boolean) => {
    if (isOverlay) setOverlay({ place, isOpen: open })
    else if (isQuiet) setQuietWanted(open)
    else setWanted(open)
  }
  return {
    tabs,
    tab,
    isOpen,
    asked,
    show: (next) => {
      setChosen({ place, tab: next })
      setOpen(true)
    },
    toggle: () => setOpen(!isOpen),
  }
}

type TracedHere = { readonly traced: 'trace' | 'hit' | null; readonly asked: TraceAsked | null }

/** What the view traces: what the address says, what answers the selected question of a probe, or the chosen hit. */
function useTracedHere(): TracedHere {
  const view = useRoutePart('view')
  const searchKind = useRoutePart('searchKind')
  const conversationId = useRoutePart('conversationId')
  const selection = useRoutePart('selection')
  const asked = useTraceAsked()
  const question = useProbedQuestion()
  const [mode] = useShown('find.mode')
  const { query } = asked
  if (view !== 'find') return NOTHING_TRACED
  if (searchKind === 'trace') return { traced: 'trace', asked }
  if (searchKind === 'probe' && question !== null) return { traced: 'trace', asked: tracedOf(conversationId, question) }
  if (searchKind !== 'find' || query === null || selection === null || selection.startsWith('file_'))
    return NOTHING_TRACED
  const words = tracedWords(query, mode ?? undefined)
  return { traced: 'hit', asked: { conversationId, query: words, tracedId: selection } }
}

const NOTHING_TRACED: TracedHere = { traced: null, asked: null }
