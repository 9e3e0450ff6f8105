import { ROLES } from '../../contract/lists.ts'
import { isAsked } from '../../systems/scanned-memory.ts'
import type { RuleContext } from './rule.ts'

/** What some messages of a conversation lack or have is the rule there, or an exception, of which there are few. */
const FEW = 0.1
const LEAST = 10

export type MessageOf = { readonly messageId: number; readonly conversationId: number }

/** Messages of one conversation that differ from the others of it. */
export type Exceptions = { readonly conversationId: number; readonly ids: readonly number[] }

/**
 * The exceptions among `rows`, which come in the order of their ids; null now and then. Conversations in which they are
 * the rule are left out, and no more ids are remembered than can be exceptions.
 */
export function* exceptionsAmong(context: RuleContext, rows: Iterable<MessageOf | null>): Generator<Exceptions | null> {
  const { ranges } = context.facts.messages
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
    const isRule = ids.length > (most.get(conversationId) ?? 0)
    yield isRule || !isAsked(context, conversationId) ? null : { conversationId, ids }
  }
}

const TOOL = ROLES.indexOf('tool')

/** Without what a writer of its own put behind the rest: it stores less with a message, and loses nothing by it. */
export function beforePlainEnd({ facts }: RuleContext, { conversationId, ids }: Exceptions): readonly number[] {
  const { messages } = facts
  const range = messages.ranges.find((one) => one.conversationId === conversationId)
  const left = new Set(ids)
  for (let place = (range?.to ?? 0) - 1; place >= (range?.from ?? 0); place -= 1) {
    if (messages.roles[place] === TOOL || !left.delete(messages.ids[place] as number)) break
  }
  return [...left]
}
