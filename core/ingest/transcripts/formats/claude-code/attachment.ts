import { isOnlyRecalled, withoutRecalled } from '#core/ingest/recalled-text.ts'
import { type BlockPart, toPart } from '#core/ingest/transcripts/content-blocks.ts'
import { isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'

/** These are shown to the person only. */
export const unseenByModel: ReadonlySet<string> = new Set(['hook_system_message', 'command_permissions'])

/** Fields with text for the model, in the order in which they are tried. */
const textFields = ['prompt', 'content', 'snippet', 'addedBlocks', 'addedLines', 'message'] as const

/** What an attachment put before the model, and whether as words of the user or of the system. */
export type Attached = { readonly role: 'user' | 'system'; readonly blocks: readonly BlockPart[] }

/**
 * Newer versions write beside an attachment how the model was sent it. Text that a person typed while the agent was busy
 * is taken as it was typed. The system prompt is an attachment of its own.
 */
export function attachedBy(record: JsonObject): Attached {
  const attachment = objectAt(record, 'attachment')
  const type = textAt(attachment, 'type') ?? ''
  if (unseenByModel.has(type)) return { role: 'user', blocks: [] }
  // What a hook of ours told the model is in the memory already.
  if (type === 'hook_additional_context' && isOnlyRecalled(textsAt(attachment, 'content')))
    return { role: 'system', blocks: [] }
  if (type === 'prompt_snapshot') return { role: 'system', blocks: promptBlocks(attachment) }
  const rendered = listAt(record, 'rendered').filter(isObject)
  const blocks = rendered.flatMap(({ content }) => blocksIn(content))
  if (blocks.length === 0 || type === 'queued_command') return { role: 'user', blocks: blocksWithText(attachment) }
  return { role: record.renderedRole === 'system' ? 'system' : 'user', blocks }
}

/** A text is the same as a list of it. */
const textsAt = (object: JsonObject, key: string): readonly unknown[] =>
  typeof object[key] === 'string' ? [object[key]] : listAt(object, key)

const promptBlocks = (attachment: JsonObject): BlockPart[] =>
  listAt(attachment, 'systemPrompt').flatMap((section) => blocksIn(section))

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
  if (typeof value === 'string') return [toPart({ type: 'text', text: withoutRecalled(value) })]
  if (!Array.isArray(value)) return []
  if (value.every((line) => typeof line === 'string')) return value.length === 0 ? [] : blocksIn(value.join('\n'))
  return value.map((block) => toPart(block)).filter(({ text }) => text !== null)
}
