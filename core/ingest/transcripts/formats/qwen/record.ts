import type { NewPart } from '#core/ingest/new-message.ts'
import { countAt, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { finishPart } from '#core/ingest/transcripts/parts.ts'

export const recordTypes: ReadonlySet<string> = new Set(['user', 'assistant', 'tool_result', 'system'])

/** Records of the program for itself. They are counted and not stored. */
export const bookkeeping: ReadonlySet<string> = new Set([
  'ui_telemetry',
  'attribution_snapshot',
  'file_history_snapshot',
  'custom_title',
  'session_source',
  'session_sources_snapshot',
  'session_model',
  'session_recording_degraded',
  'session_artifact_event',
  'session_artifact_snapshot',
  'parent_session',
  'branch_checkpoint',
  'rewind',
  'slash_command',
  'at_command',
  'goal_state',
  'goal_turn_end',
  'turn_result',
  'user_text_elements',
  'background_task_completed',
  'agent_session_ready',
  'agent_launch_prompt',
  'agent_retry',
])

/** True for a record that becomes a message. */
export const isSpoken = (record: JsonObject): boolean =>
  record.type === 'system' ? record.subtype === 'chat_compression' : Array.isArray(objectAt(record, 'message').parts)

/** Text that the program wrote in the name of the user: reminders, notices, and what resumes a task. */
export const isHarnessText = (text: string): boolean =>
  /^\s*<(?:system-reminder|task-notification|session_context|state_snapshot|command-)/.test(text)

/** Model and usage of an answer. The prompt tokens include those from the cache. */
export function qwenFinish(record: JsonObject): NewPart | null {
  const usage = objectAt(record, 'usageMetadata')
  const model = textAt(record, 'model')
  const input = countAt(usage, 'promptTokenCount')
  if (model === null && input === null) return null
  return finishPart({
    model,
    stepTokensIn: input,
    stepTokensOut: countAt(usage, 'candidatesTokenCount'),
    cacheRead: countAt(usage, 'cachedContentTokenCount'),
    reasoning: countAt(usage, 'thoughtsTokenCount'),
  })
}

export type FunctionResult = {
  readonly callId: string | null
  readonly name: string | null
  readonly output: string
  readonly isError: boolean
}

/** The results in a record: what the model was given for each call. */
export function resultsOf(record: JsonObject): FunctionResult[] {
  const status = textAt(objectAt(record, 'toolCallResult'), 'status')
  return listAt(objectAt(record, 'message'), 'parts').flatMap((part): FunctionResult[] => {
    const given = objectAt(part as JsonObject, 'functionResponse')
    if (Object.keys(given).length === 0) return []
    const response = objectAt(given, 'response')
    const told = textAt(response, 'output') ?? textAt(response, 'error')
    return [
      {
        callId: textAt(given, 'id'),
        name: textAt(given, 'name'),
        output: told ?? (Object.keys(response).length === 0 ? '' : JSON.stringify(response)),
        isError: status === 'error' || status === 'cancelled' || textAt(response, 'error') !== null,
      },
    ]
  })
}
