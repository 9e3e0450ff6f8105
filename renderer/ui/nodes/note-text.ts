import type { Note } from '#core/contract/notes.ts'

/** What a mark says of a note: `Pinned: look at this again`. */
export const noteText = ({ isPinned, text }: Pick<Note, 'isPinned' | 'text'>): string =>
  [...(isPinned ? ['Pinned'] : []), ...(text === '' ? [] : [text])].join(': ')
