import { countAt, isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'

/** Accepts an action of the agent or of a person, or the observation after one. */
export const isEvent = (event: JsonObject): boolean =>
  (typeof event.action === 'string' && (isObject(event.args) || !('observation' in event))) ||
  typeof event.observation === 'string'

/** Returns the arguments of an action. In the old layout these are its own fields, without settings. */
export function argumentsOf(event: JsonObject): JsonObject {
  if (isObject(event.args)) return event.args
  const { action: _, ...rest } = event
  return rest
}

/** These settings say nothing about what is done. */
const settings: ReadonlySet<string> = new Set([
  'thought',
  'action_risk',
  'security_risk',
  'is_confirmed',
  'confirmation_state',
  'keep_prompt',
  'hidden',
  'kernel_init_code',
  'include_extra',
  'is_input',
  'is_static',
  'cwd',
])

export type Call = { readonly id: string | null; readonly name: string; readonly input: unknown }

/** Returns the call as the model made it when the event has that, and otherwise the action with its arguments. */
export function callOf(event: JsonObject): Call {
  const metadata = objectAt(event, 'tool_call_metadata')
  const id = textAt(metadata, 'tool_call_id')
  const name = textAt(metadata, 'function_name') ?? textAt(event, 'action') ?? 'action'
  const made = callsIn(metadata).find((call) => textAt(call, 'id') === id)
  const input = made ? objectAt(made, 'function').arguments : undefined
  return { id: id ?? actionId(event), name, input: input ?? withoutSettings(argumentsOf(event)) }
}

const withoutSettings = (args: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(args).filter(([key, value]) => !settings.has(key) && value !== null && value !== ''),
  )

const responseOf = (event: JsonObject): JsonObject => objectAt(objectAt(event, 'tool_call_metadata'), 'model_response')

function callsIn(metadata: JsonObject): JsonObject[] {
  const [choice] = listAt(objectAt(metadata, 'model_response'), 'choices').filter(isObject)
  return listAt(objectAt(choice ?? {}, 'message'), 'tool_calls').filter(isObject)
}

/** Names a call that has no id. Observations name the event that caused them. */
const actionId = (event: JsonObject): string | null => {
  const id = countAt(event, 'id')
  return id === null ? null : `event-${id}`
}

/** Returns model, usage and id of the answer that came with an action. */
export function answerOf(event: JsonObject): {
  readonly id: string | null
  readonly model: string | null
  readonly tokensIn: number | null
  readonly tokensOut: number | null
  readonly reasoning: string | null
} {
  const response = responseOf(event)
  const usage = objectAt(response, 'usage')
  const [choice] = listAt(response, 'choices').filter(isObject)
  return {
    id: textAt(response, 'id'),
    model: textAt(response, 'model'),
    tokensIn: countAt(usage, 'prompt_tokens'),
    tokensOut: countAt(usage, 'completion_tokens'),
    reasoning: textAt(objectAt(choice ?? {}, 'message'), 'reasoning_content'),
  }
}
