import { ROLES } from '../contract/lists.ts'
import { type CheckContext, type Finding, isAsked } from './check.ts'

const queries = {
  /** Calls and results of the messages that are in a window. */
  inWindows: /* sql */ `
    SELECT c.message_id, p.tool_call_id
    FROM context_items AS c
    JOIN message_parts AS p ON p.message_id = c.message_id
    WHERE c.message_id IS NOT NULL AND p.tool_call_id IS NOT NULL AND p.is_synthetic = 0
      AND (:conversation IS NULL OR c.conversation_id = :conversation)
    ORDER BY c.conversation_id, c.ordinal, p.ordinal`,
  elsewhere: /* sql */ `
    SELECT p.tool_call_id, p.message_id
    FROM message_parts AS p
    WHERE p.tool_call_id IN (SELECT value FROM json_each(:calls))`,
}

const TOOL = ROLES.indexOf('tool')
const ASSISTANT = ROLES.indexOf('assistant')

type Side = { readonly place: number; readonly callId: string }
type Pairs = {
  readonly calls: ReadonlyMap<string, Side>
  readonly results: readonly Side[]
  readonly answered: Set<string>
}

/** Calls and results in the windows. A call id belongs to its conversation. */
function pairsInWindows({ db, facts, conversationId }: CheckContext): Pairs {
  const calls = new Map<string, Side>()
  const results: Side[] = []
  const answered = new Set<string>()
  for (const [messageId, callId] of db.iterateRaw<[number, string]>(queries.inWindows, {
    conversation: conversationId,
  })) {
    const place = facts.messages.indexOf(messageId)
    if (place < 0) continue
    const side = { place, callId }
    const key = keyOf(facts.messageConversation(place), callId)
    if (facts.messages.roles[place] === TOOL) {
      results.push(side)
      answered.add(key)
    } else if (facts.messages.roles[place] === ASSISTANT && !calls.has(key)) {
      calls.set(key, side)
    }
  }
  return { calls, results, answered }
}

const keyOf = (conversationId: number, callId: string): string => `${conversationId} ${callId}`

/** Results in a window whose call is not there, with the place of the call where there is one. */
export function* findSplitPairs(context: CheckContext): Iterable<Finding | null> {
  const { facts } = context
  const { calls, results } = pairsInWindows(context)
  const alone = results.filter(({ place, callId }) => !calls.has(keyOf(facts.messageConversation(place), callId)))
  const homes = placesOfCalls(context, alone)
  for (const { place, callId } of alone) {
    const conversationId = facts.messageConversation(place)
    const home = homes.get(keyOf(conversationId, callId))
    const where = home === undefined ? 'does not exist' : `is in ${facts.messageId(home)}, which is not in the window`
    yield { id: facts.messageId(place), conversationId, detail: `the call ${callId} of this result ${where}` }
  }
}

function placesOfCalls({ db, facts }: CheckContext, alone: readonly Side[]): Map<string, number> {
  const homes = new Map<string, number>()
  if (alone.length === 0) return homes
  const calls = JSON.stringify([...new Set(alone.map(({ callId }) => callId))])
  for (const [callId, messageId] of db.iterateRaw<[string, number]>(queries.elsewhere, { calls })) {
    const place = facts.messages.indexOf(messageId)
    if (place >= 0 && facts.messages.roles[place] === ASSISTANT) {
      homes.set(keyOf(facts.messageConversation(place), callId), place)
    }
  }
  return homes
}

/** Calls in a window, before the newest message, whose result is not there. */
export function* findUnanswered(context: CheckContext): Iterable<Finding | null> {
  const { facts } = context
  const { calls, answered } = pairsInWindows(context)
  const newest = new Map(facts.messages.ranges.map(({ conversationId, to }) => [conversationId, to - 1]))
  for (const [key, { place, callId }] of calls) {
    const conversationId = facts.messageConversation(place)
    const isOpen = place === newest.get(conversationId)
    yield answered.has(key) || isOpen || !isAsked(context, conversationId)
      ? null
      : { id: facts.messageId(place), conversationId, detail: `no result of the call ${callId} is in the window` }
  }
}
