import { useEffect, useRef, useState } from 'react'
import type { ListedConversation } from '#core/contract/memory.ts'
import { client } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { saveFile } from '#renderer/ui/data/save-file.ts'
import { useNotes } from '#renderer/ui/nodes/use-notes.ts'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { conversationName, formatBytes, plural } from '#renderer/ui/texts/format.ts'
import styles from './share-dialog.module.css'

type Writing =
  | { readonly state: 'asked' }
  | { readonly state: 'writing'; readonly bytes: number }
  | { readonly state: 'written'; readonly name: string; readonly bytes: number }
  | { readonly state: 'failed'; readonly error: unknown }

type Props = { readonly conversation: ListedConversation; readonly onClose: () => void }

/** Writes a conversation as one page that others can open from disk. */
export function ShareDialog({ conversation, onClose }: Props) {
  const [isSanitized, setSanitized] = useState(true)
  const [withNotes, setWithNotes] = useState(false)
  const notes = [...useNotes().values()].filter((note) => note.conversationId === conversation.conversationId)
  const [writing, setWriting] = useState<Writing>({ state: 'asked' })
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])
  const write = async () => {
    const stop = new AbortController()
    abort.current = stop
    setWriting({ state: 'writing', bytes: 0 })
    try {
      const { conversationId } = conversation
      const pieces: Blob[] = []
      let bytes = 0
      for await (const { html } of await client.conversations.share(
        { conversationId, isSanitized, withNotes },
        { signal: stop.signal },
      )) {
        const piece = new Blob([html])
        pieces.push(piece)
        bytes += piece.size
        setWriting({ state: 'writing', bytes })
      }
      const name = `${fileNameOf(conversation)}.html`
      saveFile(name, new Blob(pieces, { type: 'text/html' }))
      setWriting({ state: 'written', name, bytes })
    } catch (error) {
      if (!stop.signal.aborted) setWriting({ state: 'failed', error })
    }
  }
  const isWriting = writing.state === 'writing'
  return (
    <Dialog
      title="Share this conversation"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{writing.state === 'written' ? 'Close' : 'Cancel'}</Button>
          <Button look="primary" data-autofocus="" disabled={isWriting} onClick={() => void write()}>
            {isWriting
              ? `Writing… ${formatBytes(writing.bytes)}`
              : writing.state === 'written'
                ? 'Save again'
                : 'Save the page'}
          </Button>
        </>
      }
    >
      <div className={styles.body}>
        <p>
          <strong>
            <bdi>{conversationName(conversation)}</bdi>
          </strong>
          : {plural(conversation.messages, 'message')}, {plural(conversation.summaries, 'summary', 'summaries')}
        </p>
        <p>
          One HTML file with layers, window, summaries and messages, and a search over them. It opens from disk in any
          browser, is read-only, and loads nothing from the network.
        </p>
        <label className={styles.choice}>
          <input type="checkbox" checked={isSanitized} onChange={({ target }) => setSanitized(target.checked)} />
          Replace keys, tokens, e-mail addresses and paths
          <span>What they look like is known. Read the page before you give it away.</span>
        </label>
        {notes.length > 0 && (
          <label className={styles.choice}>
            <input type="checkbox" checked={withNotes} onChange={({ target }) => setWithNotes(target.checked)} />
            With your {plural(notes.length, 'pin and note', 'pins and notes')}
            <span>They are yours, and not part of the memory.</span>
          </label>
        )}
        {writing.state === 'written' && (
          <p role="status">
            {writing.name} was saved, {formatBytes(writing.bytes)}.
          </p>
        )}
        {writing.state === 'failed' && <ErrorLine error={writing.error} />}
      </div>
    </Dialog>
  )
}

/** A name that every file system takes. */
function fileNameOf(conversation: ListedConversation): string {
  const words = conversationName(conversation)
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
  return words || `conversation-${conversation.conversationId}`
}
