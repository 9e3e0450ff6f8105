import type { Role } from '#core/contract/ids.ts'
import type { NewFile } from '#core/files/large-file-service.ts'
import type { NewMessage, NewPart } from '../new-message.ts'
import { type BlockPart, contentOf } from './content-blocks.ts'
import { type MessageDetails, withDetails } from './message-details.ts'

/** An answer of an agent consists of several blocks that belong to one call of the model. */
export type Answer = {
  readonly externalId: string
  readonly blocks: readonly BlockPart[]
  readonly createdAtMs: number
  readonly finish: NewPart | null
  readonly details: MessageDetails
  /** The role is assistant by default. */
  readonly role?: Role
  /** The large files that its texts refer to. */
  readonly files?: readonly NewFile[]
}

/** Gives the external id of an answer's message (link 0) or of one of its continuations. */
const linkId = (externalId: string, link: number): string => (link === 0 ? externalId : `${externalId}#${link + 1}`)

/** Gives the id of the message that a continuation continues. Any other id is returned unchanged. */
export const stemOfLink = (externalId: string): string => externalId.replace(/#\d+$/, '')

/** Lists what `storedOf` returns for an answer's message, then for each of its continuations. */
export function storedLinks<T>(externalId: string, storedOf: (externalId: string) => T | undefined): T[] {
  const links: T[] = []
  for (;;) {
    const stored = storedOf(linkId(externalId, links.length))
    if (stored === undefined) return links
    links.push(stored)
  }
}

/** Cuts an answer where earlier imports cut it. What they did not have becomes the last link. */
export function cutAnswer(answer: Answer, links: readonly number[], firstLink = 0): NewMessage[] {
  const messages: NewMessage[] = []
  let rest = answer.blocks
  for (let link = firstLink; rest.length > 0 || (link === 0 && messages.length === 0); link += 1) {
    const length = links[link] ?? rest.length
    messages.push(linkMessage(answer, rest.slice(0, length), link))
    rest = rest.slice(length)
  }
  return messages
}

export function linkMessage(answer: Answer, blocks: readonly BlockPart[], link: number): NewMessage {
  const parts = withDetails(
    blocks.map(({ part }) => part),
    answer.details,
  )
  return {
    externalId: linkId(answer.externalId, link),
    role: answer.role ?? 'assistant',
    content: contentOf(blocks),
    createdAtMs: answer.createdAtMs,
    ...(answer.files ? { files: answer.files } : {}),
    // A continuation has no usage of its own: usage belongs to the whole answer and must not be counted twice.
    parts: link === 0 && answer.finish !== null ? [...parts, answer.finish] : parts,
  }
}
