import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { POSTGRES_ADDRESS } from '#core/contract/lists.ts'
import { api } from '#renderer/api.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { host } from '#renderer/host.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import styles from './welcome.module.css'

type Props = {
  readonly onBrowse: () => void
  /** Asks for the rest of a connection to a database. */
  readonly onConnect: (address?: string) => void
  /** Opens the desktop's dialog for transcripts. */
  readonly onImport: () => void
  /** Imports the transcript at a path. */
  readonly onTranscript: (path: string) => void
  /** Prepares the tour of the copy of the sample at a path, which is opened then. */
  readonly onTour: (path: string) => void
}

/** A field for a path, and other ways to choose a file. */
export function OpenActions({ onBrowse, onConnect, onImport, onTranscript, onTour }: Props) {
  const sample = useMutation(api.machine.sample.mutationOptions({ onSuccess: ({ path }) => host.openFile(path) }))
  const tour = useMutation(
    api.machine.sample.mutationOptions({
      onSuccess: ({ path }) => {
        onTour(path)
        host.openFile(path)
      },
    }),
  )
  const problem = sample.error ?? tour.error
  const openByDialog = async () => {
    const path = await host.pickMemory?.()
    if (path) host.openFile(path)
  }
  return (
    <section className={styles.section} aria-label="Open">
      <PathField onTranscript={onTranscript} onConnect={onConnect} />
      <div className={styles.buttons}>
        <Button onClick={() => (host.pickMemory ? void openByDialog() : onBrowse())}>
          <Icon name="folder" />
          Open a memory…
        </Button>
        {host.pickMemory && <Button onClick={onBrowse}>Browse folders…</Button>}
        <Button
          title="A transcript becomes a memory of its own: see what LCM would do with it"
          onClick={host.pickTranscripts ? onImport : onBrowse}
        >
          <Icon name="import" />
          Import a transcript…
        </Button>
        <Button title="Conversations of many users in PostgreSQL" onClick={() => onConnect()}>
          <Icon name="database" />
          Connect to PostgreSQL…
        </Button>
        <Button disabled={sample.isPending} onClick={() => sample.mutate(undefined)}>
          <Icon name="sparkle" />
          Open the sample
        </Button>
        <Button
          title="Five steps through the sample: from a question to the compaction that lost the answer"
          disabled={tour.isPending}
          onClick={() => tour.mutate(undefined)}
        >
          Take the tour
        </Button>
      </div>
      {problem && (
        <p className={styles.error} role="alert">
          {toErrorInfo(problem).message}
        </p>
      )}
    </section>
  )
}

/** A path can be typed or pasted at once. */
const takeFocus = (field: HTMLInputElement | null) => field?.focus()

/** Takes a typed or pasted path, finds out what it is, and opens or imports it. */
function PathField({ onTranscript, onConnect }: Pick<Props, 'onTranscript' | 'onConnect'>) {
  const [path, setPath] = useState('')
  const probe = useMutation(
    api.machine.probe.mutationOptions({
      onSuccess: (found) => {
        if (found.kind === 'memory') host.openFile(found.path)
        if (found.kind === 'transcript') onTranscript(found.path)
      },
    }),
  )
  const trimmed = path.trim().replace(/^"(.*)"$/, '$1')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (POSTGRES_ADDRESS.test(trimmed)) onConnect(trimmed)
    else if (trimmed !== '') probe.mutate({ path: trimmed })
  }
  const problem = probe.data?.error?.message ?? (probe.error ? toErrorInfo(probe.error).message : null)
  return (
    <form className={styles.form} onSubmit={submit}>
      <input
        ref={takeFocus}
        className={styles.path}
        type="text"
        placeholder={`Path of a memory (.db), a transcript or a folder of them${host.pathOfDroppedFile ? ', or drop it anywhere' : ''}`}
        aria-label="Path of a memory or a transcript"
        aria-invalid={problem !== null}
        spellCheck={false}
        autoComplete="off"
        value={path}
        onChange={(event) => {
          setPath(event.target.value)
          probe.reset()
        }}
      />
      <button type="submit" className={styles.submit} disabled={trimmed === '' || probe.isPending}>
        Open
      </button>
      {problem !== null && (
        <p className={styles.error} role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}
