import type { Note } from './notes.ts'

// Without a schema: the renderer uses this without loading zod.

type Noted = Pick<Note, 'isPinned' | 'text'>

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')

const lineOf = (sentence: string): string => sentence.replace(/\s+/g, ' ').trim()

/** Whether a sentence of a node is kept: the node is pinned, and the sentence is a line of its note. */
export const isKept = (note: Noted | undefined, sentence: string): boolean =>
  note?.isPinned === true && note.text.split('\n').includes(lineOf(sentence))

/** The note of a node of which one more sentence is kept. */
export function withKept(note: Noted | undefined, sentence: string): Noted {
  const text = note?.text ?? ''
  const line = lineOf(sentence)
  if (text.split('\n').includes(line)) return { isPinned: true, text }
  return { isPinned: true, text: text === '' ? line : `${text}\n${line}` }
}

/** The note without this sentence. The pin goes with the last line of the note; a sentence that is no line changes nothing. */
export function withoutKept(note: Noted | undefined, sentence: string): Noted {
  const { isPinned, text } = note ?? { isPinned: false, text: '' }
  const lines = text.split('\n')
  const left = lines.filter((line) => line !== lineOf(sentence))
  if (left.length === lines.length) return { isPinned, text }
  const rest = left.join('\n').trim()
  return { isPinned: isPinned && rest !== '', text: rest }
}

/**
 * Returns the lines that an agent is told about a pin. Each is a line of its note with the name of the pinned node in front,
 * unless one of the two contains the other. Without a note, the only line is the name.
 */
export function keptTexts({ name, text }: Pick<Note, 'name' | 'text'>): string[] {
  // The end of a sentence is left out of a name.
  const isSaid = (line: string): boolean => line.startsWith(name) || name.includes(line.replace(/[.!?…]+$/, ''))
  const lines = linesOf(text).map((line) => (isSaid(line) ? line : `${name} – ${line}`))
  return lines.length > 0 ? lines : [name].filter((one) => one !== '')
}
