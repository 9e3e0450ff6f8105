import { Command } from 'cmdk'
import { type KeyboardEvent, useEffect, useState } from 'react'
import type { ListedConversation, MemoryInfo } from '#core/contract/memory.ts'
import type { Note } from '#core/contract/notes.ts'
import { placeOfNote } from '../features/notes/noted-rows.ts'
import { navigate } from '../routes.ts'
import { Dialog } from '../ui/controls/dialog.tsx'
import { listQuestion, useConversations } from '../ui/data/use-conversations.ts'
import { useDebounced } from '../ui/data/use-debounced.ts'
import { useStored } from '../ui/data/use-stored.ts'
import { useNotes } from '../ui/nodes/use-notes.ts'
import { conversationName, plural } from '../ui/texts/format.ts'
import styles from './palette.module.css'
import { findEntries, keyInFile, type PaletteEntry, restingEntries, typedId, withUsed } from './palette-entries.ts'
import { type PaletteActions, useActionEntries, viewEntries } from './use-action-entries.ts'

type Props = PaletteActions & {
  readonly info: MemoryInfo
  readonly onClose: () => void
}

const MAX_SHOWN = 60
const TYPING_MS = 100
/** In the order of the list, after something was typed. */
const GROUPS: readonly PaletteEntry['group'][] = ['Ids', 'Go to', 'Actions', 'Conversations', 'Notes', 'Search']

/** A list of everything that can be reached by name. */
export function Palette({ info, onClose, ...actions }: Props) {
  const [text, setText] = useState('')
  const words = useDebounced(text, TYPING_MS)
  const { rows, isAnswered } = useConversations({ ...listQuestion(words, 'change', false), limit: MAX_SHOWN })
  const notes = [...useNotes().values()]
  const known = [
    ...viewEntries,
    ...useActionEntries(info, actions),
    ...conversationEntries(rows ?? [], info.path),
    ...noteEntries(notes, info.path),
  ]
  const [stored, setStored] = useStored<string>('palette-recent', '')
  const recentKeys = stored.split('\n')
  const isResting = text.trim() === ''
  const shown = isResting
    ? restingEntries(known, recentKeys, MAX_SHOWN)
    : [...idEntries(text), ...findEntries(known, text, MAX_SHOWN), ...searchEntries(text)]
  const groups = isResting ? [...new Set(shown.map(({ group }) => group))] : GROUPS
  const run = (entry: PaletteEntry) => {
    setStored(withUsed(recentKeys, entry.key, known).join('\n'))
    onClose()
    entry.run()
  }

  // Enter carries out the first entry. The search for the text is first only until the conversations are known.
  const isComplete = isAnswered && words === text
  const first = groups.map((group) => shown.find((entry) => entry.group === group)).find((entry) => entry !== undefined)
  const [chosen, setChosen] = useState('')
  // Conversations that were found for what was typed a moment before may come first already.
  const firstSoFar = isComplete ? null : first?.key
  // biome-ignore lint/correctness/useExhaustiveDependencies: later changes leave what the user chose
  useEffect(() => setChosen(first?.key ?? ''), [text, isComplete, firstSoFar])
  const [isEntered, setEntered] = useState(false)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || isComplete || first?.group !== 'Search') return
    event.preventDefault()
    setEntered(true)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: carried out once, when the list is complete
  useEffect(() => {
    if (isEntered && isComplete && first !== undefined) run(first)
  }, [isEntered, isComplete])

  return (
    <Dialog title="Command palette" isTitleHidden width={560} onClose={onClose}>
      <Command
        className={styles.palette}
        label="Command palette"
        shouldFilter={false}
        loop
        value={chosen}
        onValueChange={setChosen}
        onKeyDown={onKeyDown}
      >
        <Command.Input
          className={styles.input}
          data-autofocus=""
          placeholder="View, action, conversation, or an id"
          value={text}
          onValueChange={(typed) => {
            setText(typed)
            setEntered(false)
          }}
        />
        <Command.List className={styles.list}>
          {groups.map((group) => {
            const entries = shown.filter((entry) => entry.group === group)
            if (entries.length === 0) return null
            return (
              <Command.Group key={group} className={styles.group} heading={group}>
                {entries.map((entry) => (
                  <Command.Item key={entry.key} className={styles.item} value={entry.key} onSelect={() => run(entry)}>
                    <span className={styles.label}>
                      <bdi className="cut">{entry.label}</bdi>
                    </span>
                    {entry.hint !== undefined && <span className={styles.hint}>{entry.hint}</span>}
                  </Command.Item>
                ))}
              </Command.Group>
            )
          })}
        </Command.List>
      </Command>
    </Dialog>
  )
}

function idEntries(text: string): readonly PaletteEntry[] {
  const id = typedId(text)
  if (id === null) return []
  return [
    { key: `id ${id}`, group: 'Ids', label: `Select ${id}`, run: () => navigate({ selection: id }, 'push') },
    {
      key: `transcript ${id}`,
      group: 'Ids',
      label: `Open ${id} in the messages`,
      run: () => navigate({ selection: id, view: 'messages' }, 'push'),
    },
  ]
}

/** Any typed text can be searched for. */
function searchEntries(text: string): readonly PaletteEntry[] {
  const query = text.trim()
  if (query === '') return []
  return [
    {
      key: 'search',
      group: 'Search',
      label: `Search for “${query}”`,
      run: () => navigate({ view: 'find', query, searchKind: 'find' }, 'push'),
    },
  ]
}

/** What is pinned and noted, by its words. */
const noteEntries = (notes: readonly Note[], path: string): readonly PaletteEntry[] =>
  notes.map((note) => ({
    key: keyInFile('note', note.id, path),
    group: 'Notes',
    label: note.text.replace(/\s+/g, ' ') || note.name || note.id,
    words: `${note.name} ${note.id} pin note`,
    hint: note.isPinned ? 'pinned' : 'note',
    run: () => navigate(placeOfNote(note), 'push'),
  }))

/** The conversations for the palette, last changed first. */
function conversationEntries(rows: readonly ListedConversation[], path: string): readonly PaletteEntry[] {
  return rows.map((row) => ({
    key: keyInFile('conversation', row.conversationId, path),
    group: 'Conversations',
    label: conversationName(row),
    words: `${row.sessionId} ${row.conversationId}`,
    hint: plural(row.messages, 'message'),
    run: () => navigate({ conversationId: row.conversationId }, 'push'),
  }))
}
