import { ROLES } from '../../contract/lists.ts'
import { onlyInTranscript, type Rule, type RuleContext } from '../../systems/rule.ts'
import { type Finding, isAsked } from '../../systems/scanned-memory.ts'

const queries = {
  /** Selects each message that names a call, once. */
  callSides: /* sql */ `
    SELECT DISTINCT tool_call_id, message_id
    FROM message_parts
    WHERE tool_call_id IS NOT NULL
    ORDER BY tool_call_id`,
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
  const repeated: RepeatedCall[] = []
  let current: string | null = null
  let sides: number[] = []
  for (const [callId, messageId] of context.db.iterateRows<[string, number]>(queries.callSides)) {
    if (callId !== current) {
      repeated.push(...repeatedIn(context, current ?? '', sides))
      yield null
      current = callId
      sides = []
    }
    const position = messages.positionOf(messageId)
    if (position >= 0) sides.push(position)
  }
  repeated.push(...repeatedIn(context, current ?? '', sides))
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

export const toolResultRules = [
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
