import type { FormEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import styles from './coverage.module.css'

type Props = {
  readonly path: string
  readonly onPath: (path: string) => void
  readonly onChoose: () => void
  readonly onSubmit: () => void
}

/** A path to type or paste, or to choose. */
export function TranscriptField({ path, onPath, onChoose, onSubmit }: Props) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (path.trim() !== '') onSubmit()
  }
  return (
    <form className={styles.field} onSubmit={submit}>
      <input
        className={styles.path}
        type="text"
        data-autofocus=""
        placeholder="Path of the transcript: a .jsonl, .json, .md or .traj file"
        aria-label="Path of the transcript"
        spellCheck={false}
        autoComplete="off"
        value={path}
        onChange={(event) => onPath(event.target.value)}
      />
      <Button onClick={onChoose}>Choose…</Button>
    </form>
  )
}
