import { draftNote } from '../features/notes/note-drafts.ts'
import { CHOSEN } from '../features/transcript/chosen-messages.ts'
import { currentRoute, navigate, type Route } from '../routes.ts'
import { useKeys } from '../ui/controls/use-keys.ts'
import { RANGE } from '../ui/data/range-address.ts'
import { useNoteChange, useNotes } from '../ui/nodes/use-notes.ts'
import { VIEW_LIST, type View, viewOfLetter } from '../views.ts'
import { openSearch, openSettings } from './top-bar.tsx'
import type { RightPanelState } from './use-right-panel.ts'

type Actions = {
  readonly onPalette: () => void
  readonly onKeys: () => void
  readonly onTogglePanel: () => void
  /** Both return false when nothing is selected. */
  readonly onPin: () => boolean
  readonly onNote: () => boolean
}

/** How long `g` waits for its letter. */
const CHORD_MS = 1500
/** More selected characters than these are no fact. */
const MOST_WORDS = 1000

/** The keys that work everywhere in the window. j, k and the arrows belong to the views. */
export function useFrameKeys({ onPalette, onKeys, onTogglePanel, onPin, onNote }: Actions): void {
  useKeys({
    'Mod+k': onPalette,
    '?': onKeys,
    'Mod+,': openSettings,
    '/': openSearch,
    '\\': onTogglePanel,
    Escape: backOut,
    g: awaitLetter,
    t: traceSelection,
    b: onPin,
    B: onNote,
    ...Object.fromEntries(
      VIEW_LIST.slice(0, 9).map(({ view }, index) => [String(index + 1), () => goToTab(view, index)]),
    ),
  })
}

/** In a comparison the first digits filter its differences. */
function goToTab(view: View, index: number): boolean {
  if (currentRoute().view === 'compare' && index < 4) return false
  navigate({ view }, 'push')
  return true
}

/** Only the next key is taken as the letter of a tab. A view that uses the letter does not receive it. */
function awaitLetter(): void {
  const untilMs = Date.now() + CHORD_MS
  const goTo = (event: KeyboardEvent) => {
    const place = viewOfLetter(event.key)
    if (place === null || Date.now() > untilMs) return
    event.preventDefault()
    event.stopImmediatePropagation()
    navigate(place, 'push')
  }
  window.addEventListener('keydown', goTo, { capture: true, once: true })
}

/** Traces the selected words of a text, or else the selected message or summary. Returns false without a selection. */
function traceSelection(): boolean {
  const { selection } = currentRoute()
  const words = window.getSelection()?.toString().replace(/\s+/g, ' ').trim().slice(0, MOST_WORDS) ?? ''
  if (selection === null && words === '') return false
  const query = words === '' ? searchedWords(currentRoute()) : words
  navigate({ view: 'find', searchKind: 'trace', tracedId: selection, query }, 'push')
  return true
}

/** A hit is traced for the words that were searched for. A pattern and a question are no words that could stand in it. */
export function searchedWords({ view, searchKind, query, shown }: Route): string | null {
  return view === 'find' && searchKind === 'find' && shown['find.mode'] !== 'regex' ? query : null
}

/** Clears chosen messages first, then the selection, the search, and the range. Returns false when nothing is left. */
function backOut(): boolean {
  const { view, query, selection, searchKind, probe, shown } = currentRoute()
  // The log has a selection of its own.
  if (view === 'activity') return false
  if (view === 'find' && searchKind === 'probe' && probe.question !== null)
    navigate({ selection: null, probe: { ...probe, question: null } }, 'push')
  else if (view === 'messages' && CHOSEN in shown) navigate({ shown: { [CHOSEN]: null } }, 'replace')
  else if (selection !== null) navigate({ selection: null }, 'push')
  else if (view === 'find' && query !== null) navigate({ query: null }, 'replace')
  else if (shown[RANGE] !== undefined) navigate({ shown: { [RANGE]: null } }, 'replace')
  else return false
  return true
}

type NoteKeys = {
  /** Both return false when nothing is selected. */
  readonly onPin: () => boolean
  readonly onNote: () => boolean
}

/** What the keys for pins and notes do with the selection. */
export function useNoteKeys({ tabs, show }: Pick<RightPanelState, 'tabs' | 'show'>): NoteKeys {
  const notes = useNotes()
  const { mutate } = useNoteChange()
  return {
    onPin: () => {
      const { selection: id } = currentRoute()
      if (id === null) return false
      mutate({ id, isPinned: !(notes.get(id)?.isPinned ?? false) })
      return true
    },
    onNote: () => {
      const { selection: id } = currentRoute()
      if (id === null || !tabs.includes('detail')) return false
      draftNote(id, notes.get(id)?.text ?? '')
      show('detail')
      return true
    },
  }
}
