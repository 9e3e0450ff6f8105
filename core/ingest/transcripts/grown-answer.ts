import type { Role } from '#core/contract/ids.ts'
import { isOpaque, isSameCall, isSameText, type StoredPart } from '../known-parts.ts'
import type { NewMessage, NewPart } from '../new-message.ts'
import { type Answer, linkMessage } from './answer-links.ts'
import { type BlockPart, contentOf } from './content-blocks.ts'
import { textBlock } from './parts.ts'

/**
 * The key that marks a text as the beginning of something else whose rest has not arrived. When the rest arrives, the
 * whole is stored, and the text stays.
 */
export const HALF_WRITTEN = 'halfWritten'

/**
 * Cuts an answer where earlier imports cut it, between two blocks or within a text that was still being written. What
 * they did not have becomes the last link. A link whose text changed is returned in its new form.
 */
export function cutGrown(answer: Answer, stored: readonly (readonly StoredPart[])[]): NewMessage[] {
  const messages: NewMessage[] = []
  let rest = answer.blocks
  for (let link = 0; rest.length > 0 || link === 0; link += 1) {
    const parts = stored[link]?.filter((part) => !isOnlyDetails(part, answer))
    const known = rest.slice(0, parts?.length ?? rest.length)
    const cut = parts && cutBlocks(known, parts)
    messages.push(linkMessage(answer, cut?.before ?? known, link))
    rest = [...(cut?.beyond ?? []), ...rest.slice(known.length)]
  }
  return messages
}

/**
 * Splits a message into what is stored of it and the messages that continue it. Returns null when the message does not
 * begin with what is stored.
 */
export function continueMessage(
  message: NewMessage,
  storedRole: Role,
  stored: readonly (readonly StoredPart[])[],
): NewMessage[] | null {
  const { externalId, role, createdAtMs, files = [] } = message
  const [first = []] = stored
  const blocks = blocksOf(message)
  if (externalId === null || role !== storedRole || !blocks || !cutBlocks(blocks.slice(0, first.length), first)) {
    return null
  }
  const finish = message.parts.find(isFinish) ?? null
  return cutGrown({ externalId, role, blocks, createdAtMs, finish, details: {}, files }, stored)
}

const isFinish = (part: NewPart): boolean => part.type === 'step_finish'

/** The stored answer had no content yet. */
const isOnlyDetails = (part: StoredPart, { details }: Answer): boolean =>
  isOpaque(part) && part.metadata === JSON.stringify(details)

/** Returns null when the content of a message is more than the texts of its parts. */
function blocksOf({ role, content, parts }: NewMessage): BlockPart[] | null {
  const said = parts.filter((part) => !isFinish(part) && part.isSynthetic !== true)
  const blocks = said.map((part) => {
    const text = part.type === 'text' ? part.text : role === 'tool' && part.type === 'tool' ? part.toolOutput : null
    return { part, text: text ?? null }
  })
  return contentOf(blocks) === content ? blocks : null
}

type Cut = { readonly before: readonly BlockPart[]; readonly beyond: readonly BlockPart[] }

/** Returns null when a block neither equals nor continues what is stored. */
function cutBlocks(blocks: readonly BlockPart[], stored: readonly StoredPart[]): Cut | null {
  if (blocks.length < stored.length) return null
  const before: BlockPart[] = []
  const beyond: BlockPart[] = []
  for (const [at, part] of stored.entries()) {
    const block = blocks[at]
    const cut = block && cutBlock(block, part)
    if (!cut) return null
    before.push(...cut.slice(0, 1))
    beyond.push(...cut.slice(1))
  }
  return { before, beyond }
}

/** Splits a block into what is stored of it and, if there is more, its rest. */
function cutBlock(block: BlockPart, stored: StoredPart): readonly BlockPart[] | null {
  const { part } = block
  if (isOpaque(stored)) return [block]
  if (part.type !== stored.type) return isHalfWritten(stored) ? [textBlock(stored.text ?? ''), block] : null
  if (part.type === 'tool') return cutTool(block, stored)
  if (part.type !== 'text' && part.type !== 'reasoning') return [block]
  if (isSameText(stored.text, part.text)) return [block]
  // Agents remove blanks at the end of a text when it is finished.
  if (stored.text?.trimEnd() === part.text) return [withText(block, 'text', stored.text)]
  const rest = restOf(part.text, stored.text)
  if (rest === null && isHalfWritten(stored)) return [textBlock(stored.text ?? ''), block]
  return rest === null ? null : [withText(block, 'text', stored.text), withText(block, 'text', rest)]
}

function cutTool(block: BlockPart, stored: StoredPart): readonly BlockPart[] | null {
  const { part } = block
  // The arguments of the call had not arrived, so the call is stored once more with them.
  if (stored.toolStatus === 'pending' && !isSameCall(stored, part)) {
    return [{ ...block, part: { ...part, toolInput: stored.toolInput } }, block]
  }
  if (!isSameCall(stored, part)) return null
  if (isSameText(stored.toolOutput, part.toolOutput)) return [block]
  const rest = restOf(part.toolOutput, stored.toolOutput)
  if (rest === null) return null
  const { toolInput: _, ...further } = part
  return [withText(block, 'toolOutput', stored.toolOutput), withText({ ...block, part: further }, 'toolOutput', rest)]
}

const isHalfWritten = ({ metadata }: StoredPart): boolean => metadata?.includes(`"${HALF_WRITTEN}":true`) === true

const restOf = (text: string | null | undefined, stored: string | null): string | null =>
  stored !== null && text?.startsWith(stored) ? text.slice(stored.length) : null

const withText = ({ part, text }: BlockPart, field: 'text' | 'toolOutput', said: string | null): BlockPart => ({
  part: { ...part, [field]: said },
  text: text === null ? null : said,
})
