import { IconButton } from '../../ui/icon-button.tsx'
import { useNoteChange, useNotes } from '../../ui/use-notes.ts'
import { draftNote, useNoteDraft } from './note-drafts.ts'

/** Pin a node, and write a note on it. */
export function NoteButtons({ id }: { readonly id: string }) {
  const note = useNotes().get(id)
  const draft = useNoteDraft(id)
  const change = useNoteChange()
  const isPinned = note?.isPinned ?? false
  const text = note?.text ?? ''
  return (
    <>
      <IconButton
        icon="pin"
        label={isPinned ? 'Unpin (b)' : 'Pin (b)'}
        aria-pressed={isPinned}
        disabled={change.isPending}
        onClick={() => change.mutate({ id, isPinned: !isPinned })}
      />
      <IconButton
        icon="note"
        label={text === '' ? 'Write a note (B)' : 'Edit the note (B)'}
        aria-pressed={draft !== null}
        onClick={() => draftNote(id, draft === null ? text : null)}
      />
    </>
  )
}
