import { type BlockPart, toPart } from '../../content-blocks.ts'
import { type JsonObject, objectAt, textAt } from '../../json-value.ts'

/** These are shown to the person only. */
export const unseenByModel: ReadonlySet<string> = new Set(['hook_system_message', 'command_permissions'])

/** Fields with text for the model, in the order in which they are tried. */
const textFields = ['prompt', 'content', 'snippet', 'addedBlocks', 'addedLines', 'message'] as const

/** Returns what an attachment put before the model as blocks, or none when it has no text. */
export function attachmentBlocks(attachment: JsonObject): BlockPart[] {
  return unseenByModel.has(textAt(attachment, 'type') ?? '') ? [] : blocksWithText(attachment)
}

/** Returns the text of an attachment, whether the model or the person saw it. */
export function blocksWithText(attachment: JsonObject): BlockPart[] {
  for (const field of textFields) {
    const blocks = blocksIn(attachment[field])
    if (blocks.some((block) => block.text !== null && block.text.trim() !== '')) return blocks
  }
  const file = textAt(objectAt(objectAt(attachment, 'content'), 'file'), 'content')
  return file === null ? [] : blocksIn(file)
}

function blocksIn(value: unknown): BlockPart[] {
  if (typeof value === 'string') return [toPart({ type: 'text', text: value })]
  if (!Array.isArray(value)) return []
  if (value.every((line) => typeof line === 'string')) return value.length === 0 ? [] : blocksIn(value.join('\n'))
  return value.map((block) => toPart(block)).filter(({ text }) => text !== null)
}
