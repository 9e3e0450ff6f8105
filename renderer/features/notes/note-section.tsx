import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { MOST_NOTE_CHARS } from '#core/contract/lists.ts'
import type { Note } from '#core/contract/notes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { Kbd } from '#renderer/ui/controls/kbd.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { useNoteChange, useNoteError, useNotes } from '#renderer/ui/nodes/use-notes.ts'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { draftNote, useNoteDraft } from './note-drafts.ts'
import styles from './notes-view.module.css'

/** The note on a node, where it is written, and why a change failed. Nothing is shown without any of them. */
export function NoteSection({ id }: { readonly id: string }) {
  const note = useNotes().get(id)
  const draft = useNoteDraft(id)
  const { mutate } = useNoteChange()
  const error = useNoteError(id)
  /** The text of a note that was just removed. */
  const [removed, setRemoved] = useState<string | null>(null)
  const save = (text: string) => {
    setRemoved(null)
    mutate({ id, text }, { onSuccess: () => draftNote(id, null) })
  }
  const remove = (text: string) => mutate({ id, text: '' }, { onSuccess: () => setRemoved(text) })
  const isNoted = note !== undefined && note.text !== ''
  if (draft === null && !isNoted && removed === null && error === null) return null
  return (
    <section className={styles.section} aria-label="Note">
      {draft !== null ? (
        <NoteForm id={id} draft={draft} onSave={() => save(draft)} />
      ) : isNoted ? (
        <NoteShown note={note} onRemove={() => remove(note.text)} />
      ) : (
        removed !== null && (
          <p className={styles.line} role="status">
            The note was removed.
            <Button onClick={() => save(removed)}>Undo</Button>
          </p>
        )
      )}
      {error !== null && <ErrorLine error={error} />}
    </section>
  )
}

type ShownProps = { readonly note: Note; readonly onRemove: () => void }

function NoteShown({ note: { id, text, changedAtMs, state }, onRemove }: ShownProps) {
  return (
    <>
      <SectionHeading
        aside={
          <>
            <Button look="quiet" onClick={() => draftNote(id, text)}>
              Edit
            </Button>
            <Button look="quiet" onClick={onRemove}>
              Remove
            </Button>
          </>
        }
      >
        Note
      </SectionHeading>
      <p className={styles.text} dir="auto">
        <MarkedText text={text} />
      </p>
      <p className="small">
        Written <TimeText atMs={changedAtMs} form="short" />
        {state === 'changed' && ', when this began with other words'}
      </p>
    </>
  )
}

type FormProps = {
  readonly id: string
  readonly draft: string
  readonly onSave: () => void
}

function NoteForm({ id, draft, onSave }: FormProps) {
  const send = (event?: FormEvent) => {
    event?.preventDefault()
    onSave()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') draftNote(id, null)
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSave()
    else return
    event.preventDefault()
  }
  return (
    <>
      <SectionHeading>Note</SectionHeading>
      <form onSubmit={send}>
        <textarea
          className={styles.field}
          // biome-ignore lint/a11y/noAutofocus: it appears when the user asks for it
          autoFocus
          aria-label="Note"
          placeholder="Kept on this computer, never in the memory"
          maxLength={MOST_NOTE_CHARS}
          dir="auto"
          value={draft}
          onChange={(event) => draftNote(id, event.target.value)}
          onKeyDown={press}
        />
      </form>
      <div className={styles.line}>
        <Button look="primary" onClick={() => send()}>
          Save
        </Button>
        <Button onClick={() => draftNote(id, null)}>Cancel</Button>
        <Kbd>Mod Enter</Kbd>
      </div>
    </>
  )
}

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
