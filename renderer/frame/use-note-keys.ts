import { draftNote } from '../features/notes/note-drafts.ts'
import { currentRoute } from '../routes.ts'
import { useNoteChange, useNotes } from '../ui/use-notes.ts'
import type { RightPanelState } from './use-right-panel.ts'

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
