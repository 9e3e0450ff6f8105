import type { NewPart } from '#core/ingest/new-message.ts'
import { type BlockPart, unknownBlock } from '#core/ingest/transcripts/content-blocks.ts'
import {
  amountAt,
  countAt,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  textAt,
} from '#core/ingest/transcripts/json-value.ts'
import { callBlock, finishPart, jsonText, reasoningBlock, textBlock } from '#core/ingest/transcripts/parts.ts'

const family = (name: string, kinds: string): string[] => kinds.split(/\s+/).map((kind) => `${name}.${kind}`)

/** Events that say what the program did. Their texts stand in messages, or were never sent to the model. */
const bookkeeping: ReadonlySet<string> = new Set([
  'abort',
  ...family('session', 'start resume shutdown idle error info warning handoff task_complete completion_receipt'),
  ...family('session', 'usage_record usage_info usage_checkpoint compaction_start compaction_complete snapshot_rewind'),
  ...family('session', 'model_change mode_changed mode_notice_delivered title_changed context_changed plan_changed'),
  ...family('session', 'permissions_changed todos_changed remote_steerable_changed session_limits_changed'),
  ...family('session', 'autopilot_objective_changed background_tasks_changed workspace_file_changed'),
  ...family('session', 'auto_mode_resolved auto_tier_recommendation auto_tier_switch_failed custom_agents_updated'),
  ...family('session', 'custom_notification tools_updated skills_loaded extensions_loaded mcp_servers_loaded'),
  ...family('session', 'mcp_server_needs_reconnect mcp_server_removed mcp_server_status_changed binary_asset'),
  ...family('session', 'schedule_created schedule_cancelled schedule_rearmed extensions.attachments_pushed'),
  ...family('session', 'managed_settings_enforced managed_settings_resolved'),
  ...family('session', 'context_cleared model_deselected permission_recovery request_body_compression_disabled'),
  ...family('session', 'fusion_change_checkpoint fusion_commit_started'),
  ...family('session', 'fusion_completed fusion_resolved fusion_route_started fusion_route_failed'),
  ...family('session.canvas', 'opened closed recorded removed registry_changed unavailable'),
  ...family('assistant', 'turn_start turn_end intent usage idle server_tool_progress message_start message_delta'),
  ...family('assistant', 'reasoning_delta tool_call_delta streaming_delta'),
  ...family('assistant', 'fusion_phase_started fusion_phase_activity fusion_phase_completed fusion_phase_failed'),
  ...family('tool', 'execution_start execution_partial_result execution_progress search_activated user_requested'),
  ...family('tool_search', 'activated'),
  ...family('permission', 'requested completed assentDetected carriedForward contextualAuthorization'),
  ...family('permission', 'messageAuthorization messageAuthorizationDegraded messageAuthorizationRead'),
  ...family('hook', 'start progress end'),
  ...family('model', 'turn_started turn_ended turn_failed response message messages_snapshot'),
  ...family('model', 'model_call_started model_call_success model_call_failure call_failure call_finished'),
  ...family('subagent', 'configured selected deselected started completed failed'),
  ...family('pending_messages', 'modified'),
  ...family('user_input', 'requested completed'),
  ...family('elicitation', 'requested completed'),
  ...family('sampling', 'requested completed'),
  ...family(
    'mcp',
    'oauth_required oauth_completed oauth_recovery_completed headers_refresh_required headers_refresh_completed',
  ),
  ...family('mcp', 'tools.list_changed resources.list_changed prompts.list_changed'),
  ...family('mcp_app', 'tool_call_complete'),
  ...family('external_tool', 'requested completed'),
  ...family('command', 'queued execute completed'),
  ...family('commands', 'changed'),
  ...family('capabilities', 'changed'),
  ...family('auto_mode_switch', 'requested completed'),
  ...family('session_limits_exhausted', 'requested completed'),
  ...family('exit_plan_mode', 'requested completed'),
  ...family('factory', 'run_started run_updated run_settled'),
  ...family('ui', 'ephemeral_query'),
  ...family('human_response', 'recorded'),
  ...family('skill', 'invoked_ref'),
])

export const isBookkeeping = (type: string): boolean => bookkeeping.has(type)

/**
 * What a person said, as the model was given it, and what was attached. Files and folders are named behind the words.
 * Pictures come after that, each behind its path.
 */
export function userBlocks(data: JsonObject): BlockPart[] {
  const said = textAt(data, 'transformedContent') ?? textAt(data, 'content')
  const attached = listAt(data, 'attachments').filter(isObject)
  const tagged = attached.flatMap((one) => textAt(one, 'taggedFilesEntry') ?? [])
  const files = tagged.length === 0 ? '' : `\n\n\n\n<tagged_files>\n${tagged.join('\n')}\n</tagged_files>`
  const others = attached.filter((one) => textAt(one, 'taggedFilesEntry') === null)
  return [...(said === null ? [] : [textBlock(said + files)]), ...others.flatMap(attachedBlocks)]
}

/** What the person typed, where the model was sent something else, such as a skill for `/name`. */
export function typedInstead(data: JsonObject): { readonly typed?: string } {
  const [typed, sent] = [textAt(data, 'content'), textAt(data, 'transformedContent')]
  return typed === null || sent === null || sent.includes(typed) ? {} : { typed }
}

function attachedBlocks(attachment: JsonObject): BlockPart[] {
  const [path, fileMime, assetId] = ['path', 'mimeType', 'assetId'].map((field) => textAt(attachment, field))
  if (path == null || assetId == null || !fileMime?.startsWith('image/')) return [unknownBlock(attachment)]
  const fileName = textAt(attachment, 'displayName')
  const bytes = countAt(attachment, 'byteLength') ?? undefined
  const metadata = JSON.stringify({ bytes, sha256: assetId.replace(/^sha256:/, '') })
  const label = ['image', fileMime, fileName, bytes === undefined ? null : `${bytes} bytes`].filter((word) => word)
  const picture = { part: { type: 'file' as const, fileMime, fileName, metadata }, text: `[${label.join(' ')}]` }
  return [textBlock(`Image file at path ${path}`), picture]
}

/** What the model thought, said and called in one event. */
export function answerBlocks(data: JsonObject): BlockPart[] {
  const thought = textAt(data, 'reasoningText')
  const said = textAt(data, 'content')
  return [
    ...(thought === null ? [] : [reasoningBlock(thought)]),
    ...(said === null ? [] : [textBlock(said)]),
    ...listAt(data, 'toolRequests')
      .filter(isObject)
      .map((call) =>
        callBlock({
          id: textAt(call, 'toolCallId'),
          name: textAt(call, 'name'),
          input: jsonText(call.arguments),
          title: textAt(call, 'toolTitle'),
        }),
      ),
  ]
}

/** What the model was given for a call. */
export function resultOf(data: JsonObject): { readonly output: string; readonly isError: boolean } {
  const told = textAt(objectAt(data, 'result'), 'content') ?? textAt(objectAt(data, 'error'), 'message')
  return { output: told ?? '', isError: data.success === false }
}

/** Returns the text of a command that the person ran, as the model is sent it with the next prompt. */
export function shellText(command: string, data: JsonObject): string {
  const { output, isError } = resultOf(data)
  const code = isError ? 'non-zero exit code' : 'exit code 0'
  const said = `The user executed a shell command directly in their terminal (${code}).`
  return `<user_shell_command_output>\n${said}\n\nCommand:\n${command}\n\nOutput:\n${output}\n</user_shell_command_output>`
}

/** Model and usage of an answer. The input tokens include those from the cache. */
export function answerFinish(data: JsonObject, usage: JsonObject | undefined): NewPart | null {
  const model = textAt(data, 'model')
  if (model === null && usage === undefined) return null
  const told = usage ?? {}
  return finishPart({
    model,
    stepTokensIn: countAt(told, 'inputTokens'),
    stepTokensOut: countAt(told, 'outputTokens'),
    cacheRead: countAt(told, 'cacheReadTokens'),
    cacheWrite: countAt(told, 'cacheWriteTokens'),
    reasoning: countAt(told, 'reasoningTokens'),
    stepCost: amountAt(told, 'cost'),
  })
}
