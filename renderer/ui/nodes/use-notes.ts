import { useMutation, useMutationState, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Note, NoteInput } from '#core/contract/notes.ts'
import { api } from '#renderer/api.ts'
import { keptOf } from '../data/kept-of.ts'

type NotesById = ReadonlyMap<string, Note>

const NO_NOTES: readonly Note[] = []
/** Hundreds of rows ask for the same list. */
const notesById = keptOf((notes: readonly Note[]): NotesById => new Map(notes.map((note) => [note.id, note])))

/** Returns what is pinned and noted in the memory by node, for every view with nodes. */
export function useNotes(): NotesById {
  const { data = NO_NOTES } = useQuery(api.notes.list.queryOptions())
  return notesById(data)
}

/** Changes a pin or a note, and shows it at once in every view of this window. */
export function useNoteChange() {
  const queries = useQueryClient()
  return useMutation(
    api.notes.set.mutationOptions({
      onSuccess: (note, { id }) =>
        queries.setQueryData(api.notes.list.queryKey(), (notes = []) => [
          ...(note === null ? [] : [note]),
          ...notes.filter((other) => other.id !== (note?.id ?? id)),
        ]),
    }),
  )
}

/** Returns why the last change of a pin or note on a node failed, whether by a button or a key, or null. */
export function useNoteError(id: string): unknown {
  const last = useMutationState({
    filters: {
      mutationKey: api.notes.set.mutationKey(),
      predicate: ({ state }) => (state.variables as NoteInput | undefined)?.id === id,
    },
    select: ({ state }) => state.error,
  })
  return last.at(-1) ?? null
}
