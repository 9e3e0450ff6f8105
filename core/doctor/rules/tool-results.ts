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

/** Finds calls that have more than one result in a conversation. */
function* findDuplicateResults(context: RuleContext): Iterable<Finding | null> {
  const { messages } = context.memory
  let current: string | null = null
  let sides: number[] = []
  for (const [callId, messageId] of context.db.iterateRows<[string, number]>(queries.callSides)) {
    if (callId !== current) {
      yield* surplusResults(context, current ?? '', sides)
      yield null
      current = callId
      sides = []
    }
    const position = messages.positionOf(messageId)
    if (position >= 0) sides.push(position)
  }
  yield* surplusResults(context, current ?? '', sides)
}

function surplusResults(context: RuleContext, callId: string, sides: readonly number[]): Finding[] {
  const { messages } = context.memory
  if (sides.length < 2) return []
  const byConversation = Map.groupBy(sides, (position) => messages.conversationAt(position))
  return [...byConversation].flatMap(([conversationId, positions]): Finding[] => {
    const results = positions.filter((position) => messages.roles[position] === TOOL)
    const calls = positions.filter((position) => messages.roles[position] === ASSISTANT).length
    const last = results.at(-1)
    if (last === undefined || results.length <= Math.max(1, calls) || !isAsked(context, conversationId)) return []
    const made = calls === 1 ? 'once' : `${calls} times in this file`
    const detail = `${results.length} results of the call ${callId}, which was made ${made}`
    return [{ id: context.memory.messageId(last), conversationId, detail }]
  })
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
