import { type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { typeName } from '#core/ingest/transcripts/read-lines.ts'

const names = (text: string): string[] => text.trim().split(/\s+/)

/**
 * Events of the program, which repeat the items of the model, tell of progress or say what the program did. Events that
 * the first versions wrote are among them.
 */
const events: ReadonlySet<string> = new Set([
  ...names('user_message agent_message agent_message_delta agent_message_content_delta token_count'),
  ...names('agent_reasoning agent_reasoning_delta agent_reasoning_raw_content agent_reasoning_raw_content_delta'),
  ...names('agent_reasoning_section_break reasoning_content_delta reasoning_raw_content_delta plan_delta plan_update'),
  ...names('task_started task_complete turn_started turn_complete turn_aborted turn_diff turn_moderation_metadata'),
  ...names('item_started item_completed raw_response_item raw_response_completed'),
  ...names('exec_command_begin exec_command_output_delta exec_command_end terminal_interaction view_image_tool_call'),
  ...names('patch_apply_begin patch_apply_updated patch_apply_end mcp_tool_call_begin mcp_tool_call_end'),
  ...names('web_search_begin web_search_end image_generation_begin image_generation_end'),
  ...names('dynamic_tool_call_request dynamic_tool_call_response hook_started hook_completed'),
  ...names('exec_approval_request apply_patch_approval_request elicitation_request request_permissions'),
  ...names('request_user_input guardian_assessment guardian_warning safety_buffering'),
  ...names('collab_agent_spawn_begin collab_agent_spawn_end collab_agent_interaction_begin'),
  ...names('collab_agent_interaction_end collab_waiting_begin collab_waiting_end collab_close_begin'),
  ...names('collab_close_end collab_resume_begin collab_resume_end sub_agent_activity'),
  ...names('context_compacted thread_rolled_back thread_name_updated thread_goal_updated thread_queue_changed'),
  ...names('thread_settings_applied session_configured shutdown_complete undo_started undo_completed'),
  ...names('entered_review_mode exited_review_mode model_reroute model_verification environment_connected'),
  ...names('environment_disconnected mcp_startup_update mcp_startup_complete skills_update_available'),
  ...names('get_history_entry_response mcp_list_tools_response list_custom_prompts_response list_skills_response'),
  ...names('realtime_conversation_started realtime_conversation_realtime realtime_conversation_closed'),
  ...names('realtime_conversation_sdp realtime_conversation_list_voices_response'),
  ...names('error warning stream_error deprecation_notice background_event'),
])

/** Items that an event names begun or completed. What they say stands in response items. */
const items: ReadonlySet<string> = new Set([
  ...names('UserMessage HookPrompt AgentMessage Plan Reasoning CommandExecution FileChange McpToolCall'),
  ...names('DynamicToolCall CollabAgentToolCall SubAgentActivity WebSearch ImageView ImageGeneration Sleep'),
  ...names('EnteredReviewMode ExitedReviewMode ContextCompaction'),
])

/** Says why an event cannot be passed over, and returns null for one that is known. */
export function whyUnknown(event: JsonObject): string | null {
  const type = textAt(event, 'type')
  if (type === null || !events.has(type)) return `unknown type of event: ${typeName(event.type)}`
  if (type !== 'item_started' && type !== 'item_completed') return null
  const item = objectAt(event, 'item')
  return items.has(textAt(item, 'type') ?? '') ? null : `unknown type of item in an event: ${typeName(item.type)}`
}
