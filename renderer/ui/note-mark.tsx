import { Icon } from './icon.tsx'
import styles from './note-mark.module.css'
import { noteText } from './note-text.ts'
import { useNotes } from './use-notes.ts'

/** Beside a node that is pinned or has a note, which its title shows. */
export function NoteMark({ id }: { readonly id: string }) {
  const note = useNotes().get(id)
  if (note === undefined) return null
  const text = noteText(note)
  return (
    <span className={styles.mark} role="img" aria-label={text} title={text}>
      {note.isPinned && <Icon name="pin" />}
      {note.text !== '' && <Icon name="note" />}
    </span>
  )
}
