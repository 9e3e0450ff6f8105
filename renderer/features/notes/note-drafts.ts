import { useSyncExternalStore } from 'react'

/** What is being written, by node. It stays while the user looks at other nodes. */
let drafts: ReadonlyMap<string, string> = new Map()
const listeners = new Set<() => void>()

/** Begins or changes the draft of a note; null ends it. */
export function draftNote(id: string, text: string | null): void {
  const others = [...drafts].filter(([other]) => other !== id)
  drafts = new Map(text === null ? others : [...others, [id, text]])
  for (const listener of listeners) listener()
}

/** The draft of a note, or null while nobody writes one. */
export const useNoteDraft = (id: string): string | null => useSyncExternalStore(listen, () => drafts.get(id) ?? null)

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
