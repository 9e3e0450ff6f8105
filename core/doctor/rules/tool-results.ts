import type { Sample } from '#core/contract/integrity.ts'
import { ROLES } from '#core/contract/lists.ts'
import { once } from '#core/keeping.ts'
import { messageNumber } from '#core/systems/reading/node-id.ts'
import type { FileDraft } from '#core/systems/rules/file-draft.ts'
import { onlyInTranscript, type Rule, type RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, isAsked } from '#core/systems/rules/scanned-memory.ts'

const queries = {
  /** Selects the first and the last message that name a call, and how many parts do. */
  ends: /* sql */ `
    SELECT tool_call_id, min(message_id), max(message_id), count(*)
    FROM message_parts
    WHERE tool_call_id IS NOT NULL
    GROUP BY tool_call_id
    ORDER BY tool_call_id`,
  /** Selects each message that names one of some calls, once. */
  sides: /* sql */ `
    SELECT DISTINCT tool_call_id, message_id
    FROM message_parts
    WHERE tool_call_id IN (SELECT value FROM json_each(:calls))
    ORDER BY tool_call_id`,
  /** Selects each message of a conversation that makes a call of one of its messages, once a call. */
  callers: /* sql */ `
    SELECT DISTINCT o.tool_call_id, o.message_id
    FROM message_parts AS p
    JOIN message_parts AS o ON o.tool_call_id = p.tool_call_id
    JOIN messages AS m ON m.message_id = o.message_id AND m.conversation_id = :conversationId
    WHERE p.message_id = :messageId AND p.tool_call_id IS NOT NULL AND m.role = 'assistant'`,
}

const TOOL = ROLES.indexOf('tool')
const ASSISTANT = ROLES.indexOf('assistant')

/** A call id that several messages of a conversation make, or that has several results there: positions in order. */
type RepeatedCall = {
  readonly callId: string
  readonly conversationId: number
  readonly calls: readonly number[]
  readonly results: readonly number[]
}

const known = new WeakMap<object, readonly RepeatedCall[]>()

/** Reads the calls of the whole file once a scan. Two rules ask for them. */
export function* repeatedCalls(context: RuleContext): Generator<null, readonly RepeatedCall[]> {
  const { messages } = context.memory
  const before = known.get(context.memory)
  if (before) return before
  const isPair = (first: number, last: number): boolean =>
    messages.roles[messages.positionOf(first)] !== messages.roles[messages.positionOf(last)]
  const calls: string[] = []
  for (const [callId, first, last, parts] of context.db.iterateRows<[string, number, number, number]>(queries.ends)) {
    // Most calls are named by two messages only: the one that makes the call and the one that has its result.
    if (first !== last && (parts > 2 || !isPair(first, last))) calls.push(callId)
    yield null
  }
  const rows = context.db.rows<[string, number]>(queries.sides, { calls: JSON.stringify(calls) })
  const sides = Map.groupBy(rows, ([callId]) => callId)
  const repeated = [...sides].flatMap(([callId, named]) => {
    const positions = named.map(([, messageId]) => messages.positionOf(messageId))
    return repeatedIn(
      context,
      callId,
      positions.filter((position) => position >= 0),
    )
  })
  known.set(context.memory, repeated)
  return repeated
}

function repeatedIn({ memory }: RuleContext, callId: string, sides: readonly number[]): RepeatedCall[] {
  if (sides.length < 2) return []
  const { messages } = memory
  const byConversation = Map.groupBy(sides, (position) => messages.conversationAt(position))
  return [...byConversation].flatMap(([conversationId, positions]): RepeatedCall[] => {
    const of = (role: number) => positions.filter((position) => messages.roles[position] === role).sort((a, b) => a - b)
    const [calls, results] = [of(ASSISTANT), of(TOOL)]
    return calls.length > 1 || results.length > 1 ? [{ callId, conversationId, calls, results }] : []
  })
}

/** Finds calls that have more than one result in a conversation. */
function* findDuplicateResults(context: RuleContext): Iterable<Finding | null> {
  for (const { callId, conversationId, calls, results } of yield* repeatedCalls(context)) {
    const last = results.at(-1)
    if (last === undefined || results.length <= Math.max(1, calls.length) || !isAsked(context, conversationId)) continue
    const made = calls.length === 1 ? 'once' : `${calls.length} times in this file`
    const detail = `${results.length} results of the call ${callId}, which was made ${made}`
    yield { id: context.memory.messageId(last), conversationId, detail }
  }
}

/** Finds calls that are sent more than once, because several messages in a window make them. */
function* findRepeatedCalls(context: RuleContext): Iterable<Finding | null> {
  const { memory } = context
  const isInWindow = (position: number): boolean => memory.window.messageCounts[position] !== 0
  const repeated = yield* repeatedCalls(context)
  const sent = repeated.filter(({ calls }) => calls.filter(isInWindow).length > 1)
  for (const [first, ...others] of Map.groupBy(sent, ({ calls }) => calls.join(' ')).values()) {
    if (!first || !isAsked(context, first.conversationId)) {
      yield null
      continue
    }
    const callIds = [first, ...others].map(({ callId }) => callId)
    const named = callIds.length === 1 ? `the call ${callIds[0]} stands` : `the calls ${listed(callIds)} stand`
    const messages = first.calls.map((position) => memory.messageId(position))
    const detail = `${named} in ${messages.length} messages: ${listed(messages)}`
    yield { id: memory.messageId(first.calls[0] as number), conversationId: first.conversationId, detail }
  }
}

/** True when no call of this message stands twice in this state of the window. */
function isSentOnce({ id, conversationId }: Sample, draft: FileDraft): boolean {
  const messageId = messageNumber(id ?? '')
  if (messageId === null || conversationId === null) return false
  const shown = new Set(draft.window(conversationId).map((entry) => entry.messageId))
  const callers = draft.db.rows<[string, number]>(queries.callers, { messageId, conversationId })
  const sent = callers.flatMap(([callId, caller]) => (shown.has(caller) ? callId : []))
  return new Set(sent).size === sent.length
}

const MOST_LISTED = 6
const list = once(() => new Intl.ListFormat('en'))

function listed(names: readonly string[]): string {
  const rest = names.length - MOST_LISTED
  return list().format(rest > 0 ? [...names.slice(0, MOST_LISTED), `${rest} more`] : names)
}

export const toolResultRules = [
  {
    id: 'tool_call_repeated',
    group: 'context',
    severity: 'warning',
    phase: 'text',
    invariant: 'The id of a tool call stands in one message of the window.',
    explanation:
      'A message with tool calls was stored more than once, or an id was used again. Providers refuse a request in which two calls have one id.',
    settledAlong: { reads: ['window'], isGone: isSentOnce },
    advice:
      'Where the messages are equal, the step for "duplicate_message" takes the second ones out of the window. A window that is rendered here has each id once already.',
    consequenceOf: ['duplicate_message'],
    notApplicable: ({ info }) => (info.capabilities.parts ? null : `${info.systemLabel} stores no tool calls.`),
    find: findRepeatedCalls,
  },
  {
    id: 'duplicate_tool_result',
    group: 'operations',
    severity: 'warning',
    phase: 'text',
    invariant: 'A tool call has one result.',
    explanation: 'A result was stored more than once: the model is shown it twice, and providers may refuse that.',
    ...onlyInTranscript('Compare with the transcript which result is the right one.'),
    consequenceOf: ['tool_pair_split'],
    notApplicable: ({ info }) => (info.capabilities.parts ? null : `${info.systemLabel} stores no tool calls.`),
    find: findDuplicateResults,
  },
] as const satisfies readonly Rule[]
