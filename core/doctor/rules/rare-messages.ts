import { ROLES } from '#core/contract/lists.ts'
import type { RuleContext } from '#core/systems/rules/rule.ts'
import { isAsked } from '#core/systems/rules/scanned-memory.ts'

/** The largest share of a conversation that counts as rare. If more messages lack something, that is normal there. */
const FEW = 0.1
const LEAST = 10

export type MessageOf = { readonly messageId: number; readonly conversationId: number }

/** Messages of one conversation that differ from its other messages. */
export type RareMessages = { readonly conversationId: number; readonly ids: readonly number[] }

/**
 * Returns the messages of `rows`, which are sorted by id, in conversations where they are rare, and null now and then.
 * It keeps no more ids than can be rare.
 */
export function* rareMessages(context: RuleContext, rows: Iterable<MessageOf | null>): Generator<RareMessages | null> {
  const { ranges } = context.memory.messages
  const most = new Map(
    ranges.map(({ conversationId, from, to }) => [conversationId, to - from < LEAST ? 0 : (to - from) * FEW]),
  )
  const found = new Map<number, number[]>()
  for (const row of rows) {
    if (row === null) {
      yield null
      continue
    }
    const ids = found.get(row.conversationId) ?? []
    found.set(row.conversationId, ids)
    if (ids.length <= (most.get(row.conversationId) ?? 0) && ids.at(-1) !== row.messageId) ids.push(row.messageId)
  }
  for (const [conversationId, ids] of found) {
    const isUsual = ids.length > (most.get(conversationId) ?? 0)
    yield isUsual || !isAsked(context, conversationId) ? null : { conversationId, ids }
  }
}

const TOOL = ROLES.indexOf('tool')

/** Ignores plain messages at the end: a second writer appends them by design, and stores fewer fields with each. */
export function withoutPlainEnd({ memory }: RuleContext, { conversationId, ids }: RareMessages): readonly number[] {
  const { messages } = memory
  const range = messages.ranges.find((one) => one.conversationId === conversationId)
  const left = new Set(ids)
  for (let position = (range?.to ?? 0) - 1; position >= (range?.from ?? 0); position -= 1) {
    if (messages.roles[position] === TOOL || !left.delete(messages.ids[position] as number)) break
  }
  return [...left]
}
