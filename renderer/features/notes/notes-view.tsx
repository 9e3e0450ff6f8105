import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '#renderer/api.ts'
import {
  currentRoute,
  formatRoute,
  navigate,
  patchRoute,
  useRoute,
  useShown,
  useShownChoice,
} from '#renderer/routes.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { type Column, DataTable } from '#renderer/ui/controls/data-table.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { Kbd } from '#renderer/ui/controls/kbd.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { useListKeys } from '#renderer/ui/controls/use-list-keys.ts'
import { ViewHeader } from '#renderer/ui/controls/view-header.tsx'
import { DepthSwatch } from '#renderer/ui/nodes/depth-swatch.tsx'
import { MessageName } from '#renderer/ui/nodes/message-name.tsx'
import { NoteMark } from '#renderer/ui/nodes/node-marks.tsx'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import field from '#renderer/ui/styles/search-input.module.css'
import { conversationName, plural, shortenId } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { NOTE_KINDS, NOTE_SORTS, type NotedRow, type NoteSort, notedRows, placeOfNote } from './noted-rows.ts'
import styles from './notes-view.module.css'

const KIND_LABELS = { all: 'All', pinned: 'Pinned', noted: 'With a note' } as const
const ROW_PX = 30

/** Everything that is pinned or noted in the memory. */
export function NotesView() {
  const notes = useQuery(api.notes.list.queryOptions())
  const rows = useNamedRows()
  const [kind, setKind] = useShownChoice('notes.kind', NOTE_KINDS)
  const [words, setWords] = useShown('notes.words')
  const [sort, setSort] = useShownChoice('notes.sort', NOTE_SORTS)
  const [turned, setTurned] = useShown('notes.turned')
  const { selection } = useRoute()
  // The newest stands first, and words begin with A, until the order is turned.
  const isDescending = (sort === 'changed') !== (turned !== null)
  const shown = useMemo(
    () => notedRows(rows, { kind, words: words ?? '' }, sort, isDescending),
    [rows, kind, words, sort, isDescending],
  )
  const at = shown.findIndex(({ id }) => id === selection)
  const select = (row: NotedRow | undefined) => row !== undefined && navigate({ selection: row.id }, 'replace')
  const open = (row: NotedRow | undefined) => row !== undefined && navigate(placeOfNote(row), 'push')
  useListKeys({
    move: (steps) => select(shown[Math.max(0, Math.min(shown.length - 1, at + steps))]),
    start: () => select(shown[0]),
    end: () => select(shown.at(-1)),
    open: () => open(shown[at]),
  })
  if (notes.error) return <ErrorState error={notes.error} onRetry={() => void notes.refetch()} />
  if (notes.data === undefined) return <Loading what="pins and notes" lines={7} />
  if (notes.data.length === 0)
    return (
      <EmptyState title="Nothing is pinned or noted">
        Select a message, a summary or a file, and press <Kbd>b</Kbd> to pin it or <Kbd>B</Kbd> to write a note on it.
        Both are kept on this computer, never in the memory.
      </EmptyState>
    )
  return (
    <div className={styles.view}>
      <ViewHeader
        title={headline(notes.data)}
        actions={
          <>
            <Segmented
              label="Which"
              options={NOTE_KINDS.map((value) => ({ value, label: KIND_LABELS[value] }))}
              value={kind}
              onChange={setKind}
            />
            <label className={classNames(field.field, styles.filter)}>
              <Icon name="search" />
              <input
                type="search"
                aria-label="Filter pins and notes"
                placeholder="Filter"
                value={words ?? ''}
                onChange={(event) => setWords(event.target.value || null)}
              />
            </label>
          </>
        }
      >
        Kept on this computer, never in the memory
      </ViewHeader>
      {shown.length === 0 ? (
        <EmptyState title="No pin or note fits">Choose another kind, or fewer words.</EmptyState>
      ) : (
        <DataTable
          label="Pins and notes"
          rows={shown}
          columns={COLUMNS}
          layout={styles.columns}
          keyOf={({ id }) => id}
          rowPx={ROW_PX}
          selected={selection}
          onSelect={select}
          onOpen={open}
          sort={{
            by: sort,
            isDescending,
            onSort: (id) => {
              setTurned(id === sort && turned === null ? '1' : null)
              setSort(id as NoteSort)
            },
          }}
        />
      )}
    </div>
  )
}

function headline(notes: readonly { readonly isPinned: boolean; readonly text: string }[]): string {
  const pinned = notes.filter(({ isPinned }) => isPinned).length
  const noted = notes.filter(({ text }) => text !== '').length
  return [...(pinned > 0 ? [plural(pinned, 'pin')] : []), ...(noted > 0 ? [plural(noted, 'note')] : [])].join(', ')
}

/** Returns all pins and notes with the names of their conversations. */
function useNamedRows(): readonly NotedRow[] {
  const { data: notes } = useQuery(api.notes.list.queryOptions())
  const ids = [...new Set(notes?.flatMap(({ conversationId }) => conversationId ?? []))].sort((a, b) => a - b)
  const input = { conversationIds: ids.slice(0, 1000), limit: 1000 }
  const { data: page } = useQuery(api.conversations.list.queryOptions({ input, enabled: ids.length > 0 }))
  return useMemo(() => {
    const names = new Map(page?.conversations.map((row) => [row.conversationId, conversationName(row)]))
    return (notes ?? []).map((note) => ({ ...note, conversation: names.get(note.conversationId ?? -1) ?? '' }))
  }, [notes, page])
}

const COLUMNS: readonly (Column<NotedRow> & { readonly id: NoteSort | 'mark' })[] = [
  { id: 'mark', title: <span className="unseen">mark</span>, cell: ({ id }) => <NoteMark id={id} /> },
  {
    id: 'name',
    title: 'what',
    hint: 'The first sentence of what is pinned or noted',
    className: styles.what,
    cell: (row) => <What row={row} />,
    cellTitle: ({ name }) => name,
  },
  {
    id: 'note',
    title: 'note',
    hint: 'What is noted',
    cell: ({ text }) => (
      <bdi>
        <MarkedText text={text.replace(/\s+/g, ' ')} />
      </bdi>
    ),
    cellTitle: ({ text }) => text,
  },
  {
    id: 'conversation',
    title: 'conversation',
    hint: 'Where it stands',
    className: classNames('dim', styles.conversation),
    cell: ({ conversation, state }) =>
      state === 'missing' ? <span className={styles.gone}>no longer in the file</span> : <bdi>{conversation}</bdi>,
    cellTitle: ({ conversation }) => conversation,
  },
  {
    id: 'changed',
    title: 'changed',
    hint: 'When it was pinned or noted last',
    className: styles.when,
    cell: ({ changedAtMs }) => <TimeText atMs={changedAtMs} form="short" />,
  },
]

function What({ row }: { readonly row: NotedRow }) {
  const { id, kind, depth, role, name, state } = row
  return (
    <>
      <DepthSwatch node={state === 'missing' ? { kind: 'missing' } : { kind, depth, role }} />
      <a href={formatRoute(patchRoute(currentRoute(), placeOfNote(row)))} title={id}>
        <bdi>
          <MarkedText text={name === '' ? shortenId(id, 24) : name} />
        </bdi>
      </a>
      {name !== '' && kind === 'message' && (
        <span className={styles.id}>
          <MessageName id={id} />
        </span>
      )}
    </>
  )
}
