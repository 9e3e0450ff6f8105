import { z } from 'zod'
import { ConversationId, NodeId, Role, TimeMs } from './ids.ts'
import { MOST_NOTE_CHARS } from './lists.ts'

/** What a note is changed to. What is left out stays as it is, so that two windows do not undo each other's changes. */
export const NoteInput = z.object({
  id: NodeId,
  isPinned: z.boolean().optional().describe('whether it is pinned'),
  text: z.string().max(MOST_NOTE_CHARS).optional().describe('what is noted; an empty text removes the note'),
  keep: z
    .string()
    .trim()
    .min(1)
    .max(MOST_NOTE_CHARS)
    .optional()
    .describe('a sentence that is kept: it becomes a line of the note, and the node is pinned'),
  letGo: z
    .string()
    .trim()
    .min(1)
    .max(MOST_NOTE_CHARS)
    .optional()
    .describe('a sentence that is no longer kept; the pin goes with the last line of the note'),
})
export type NoteInput = z.infer<typeof NoteInput>

/** What the user keeps about a node: a pin, a note, or both. */
export const Note = z.object({
  id: NodeId,
  kind: z.enum(['message', 'leaf', 'condensed', 'file']),
  conversationId: ConversationId.nullable(),
  depth: z.int().nullable(),
  role: Role.nullable(),
  /** The first sentence of the node, or the name of the file; of what is gone, as it was last seen. */
  name: z.string(),
  isPinned: z.boolean(),
  /** Empty where there is only a pin. */
  text: z.string(),
  changedAtMs: TimeMs,
  /** `changed`: the node begins with other words than when it was noted. `missing`: it is not in the file. */
  state: z.enum(['there', 'changed', 'missing']),
})
export type Note = z.infer<typeof Note>
