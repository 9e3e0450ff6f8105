import { Icon } from '../controls/icon.tsx'
import { findingText } from '../data/findings.ts'
import { useFindings } from '../data/use-findings.ts'
import styles from './node-marks.module.css'
import { noteText } from './note-text.ts'
import { useNotes } from './use-notes.ts'

/** A small square beside a node with findings of the last scan. Its title names the checks. */
export function FindingMark({ id }: { readonly id: string }) {
  const finding = useFindings().get(id)
  if (finding === undefined) return null
  const text = findingText(finding)
  return <span className={styles.mark} data-severity={finding.severity} role="img" aria-label={text} title={text} />
}

/** Beside a node that is pinned or has a note, which its title shows. */
export function NoteMark({ id }: { readonly id: string }) {
  const note = useNotes().get(id)
  if (note === undefined) return null
  const text = noteText(note)
  return (
    <span className={styles.noteMark} role="img" aria-label={text} title={text}>
      {note.isPinned && <Icon name="pin" />}
      {note.text !== '' && <Icon name="note" />}
    </span>
  )
}
