import { z } from 'zod'
import { NodeId } from '#core/contract/ids.ts'
import { Note, NoteInput } from '#core/contract/notes.ts'
import type { Lcm } from '#core/lcm.ts'
import { defineQuestion } from '../command.ts'
import { oneLine, table } from '../output/text.ts'

const Pins = z.object({ pins: z.array(Note) })
type Pins = z.infer<typeof Pins>

/** Pins a node, so that connected agents are told of it first after a compaction. Without an id, lists all pins. */
export const pin = defineQuestion({
  name: 'pin',
  example: 'pin msg_12 --text "The port is 8443." --db sample.db',
  fields: z.object({
    id: NodeId.optional().describe('what is pinned; without it all pins are listed'),
    text: NoteInput.shape.keep.describe('a sentence of it that is kept (default: how it begins)'),
  }),
  positional: ['id'],
  prints: Pins,
  ask: (lcm, { id, text: keep }) => {
    if (id !== undefined) lcm.notes.set({ id, isPinned: true, keep })
    return pinsOf(lcm)
  },
  text: pinsText,
})

/** Takes a pin away, or one sentence of it. */
export const unpin = defineQuestion({
  name: 'unpin',
  example: 'unpin msg_12 --db sample.db',
  fields: z.object({
    id: NodeId.describe('what is pinned'),
    text: NoteInput.shape.letGo.describe('only this sentence is no longer kept'),
  }),
  positional: ['id'],
  prints: Pins,
  ask: (lcm, { id, text: letGo }) => {
    lcm.notes.set(letGo === undefined ? { id, isPinned: false } : { id, letGo })
    return pinsOf(lcm)
  },
  text: pinsText,
})

const pinsOf = ({ notes }: Lcm): Pins => ({ pins: notes.list().filter(({ isPinned }) => isPinned) })

function pinsText({ pins }: Pins): string {
  if (pins.length === 0) return 'Nothing is pinned.'
  return table(
    ['pinned', 'conversation', 'begins', 'kept'],
    pins.map(({ id, conversationId, name, text }) => [
      id,
      conversationId ?? 'gone',
      oneLine(name, 50),
      oneLine(text, 90),
    ]),
  )
}
