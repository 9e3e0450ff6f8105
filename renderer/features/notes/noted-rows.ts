import type { Note } from '#core/contract/notes.ts'
import type { RoutePatch } from '#renderer/routes.ts'

export const NOTE_KINDS = ['all', 'pinned', 'noted'] as const
export const NOTE_SORTS = ['changed', 'name', 'note', 'conversation'] as const
export type NoteSort = (typeof NOTE_SORTS)[number]

/** A pin or note with the name of its conversation, which is empty while it is not known. */
export type NotedRow = Note & { readonly conversation: string }

export type NoteFilter = {
  readonly kind: (typeof NOTE_KINDS)[number]
  /** All of them have to stand in what is noted, what it is noted on, or its id. */
  readonly words: string
}

/** Returns the rows that a filter lets through, in their order. */
export function notedRows(
  rows: readonly NotedRow[],
  { kind, words }: NoteFilter,
  sort: NoteSort,
  isDescending: boolean,
): readonly NotedRow[] {
  const asked = words.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const found = rows.filter((row) => {
    if ((kind === 'pinned' && !row.isPinned) || (kind === 'noted' && row.text === '')) return false
    const text = `${row.text} ${row.name} ${row.conversation} ${row.id}`.toLocaleLowerCase()
    return asked.every((word) => text.includes(word))
  })
  const direction = isDescending ? -1 : 1
  return found.toSorted((a, b) => direction * compare(a, b, sort) || b.changedAtMs - a.changedAtMs)
}

function compare(a: NotedRow, b: NotedRow, sort: NoteSort): number {
  if (sort === 'changed') return a.changedAtMs - b.changedAtMs
  const textOf = (row: NotedRow): string => (sort === 'note' ? row.text : row[sort])
  // What says nothing stands at the end of the alphabet.
  return Number(textOf(a) === '') - Number(textOf(b) === '') || textOf(a).localeCompare(textOf(b), 'en')
}

const PLACES = { message: 'messages', leaf: 'layers', condensed: 'layers', file: 'files' } as const

/** Where a noted node is looked at. */
export const placeOfNote = ({ id, kind, conversationId }: Note): RoutePatch => ({
  ...(conversationId !== null && { conversationId }),
  view: PLACES[kind],
  selection: id,
})
