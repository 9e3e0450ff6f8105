import type { NewPart } from '../../../new-message.ts'
import { type BlockPart, unknownBlock } from '../../content-blocks.ts'
import { amountAt, countAt, isObject, type JsonObject, listAt, objectAt, textAt } from '../../json-value.ts'
import { callBlock, jsonText, reasoningBlock, textBlock } from '../../parts.ts'

/** Families of events that say what the program did. Their texts stand in messages, or were never sent to the model. */
const bookkeeping =
  /^(?:(?:session|permission|hook|model|subagent|pending_messages|user_input|elicitation|sampling|mcp|mcp_app|external_tool|command|commands|capabilities|auto_mode|session_limits|exit_plan_mode|factory|canvas|extensions|managed_settings|abort|binary)(?:\.|$)|assistant\.(?:turn_|intent|usage|idle|fusion_|server_tool|streaming_|message_start|message_delta|reasoning_delta|tool_call_delta)|tool\.(?:execution_start|execution_partial_result|execution_progress|search_activated|user_requested))/

/** Events that change the window in a way that they do not tell. */
const untold: Readonly<Record<string, string>> = {
  'session.truncation': 'the agent took messages out of its window here, and the file does not say which',
  'session.context_cleared': 'the window was cleared here, which an import does not follow yet',
}

export const isBookkeeping = (type: string): boolean => bookkeeping.test(type)

export const whyUntold = (type: string): string | null => untold[type] ?? null

/** What a person said, as the model was given it, and what was attached. */
export function userBlocks(data: JsonObject): BlockPart[] {
  const text = textAt(data, 'transformedContent') ?? textAt(data, 'content')
  const attached = listAt(data, 'attachments').map(unknownBlock)
  return [...(text === null ? [] : [textBlock(text)]), ...attached]
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

/** Model and usage of an answer. The input tokens include those from the cache. */
export function answerFinish(data: JsonObject, usage: JsonObject | undefined): NewPart | null {
  const model = textAt(data, 'model')
  if (model === null && usage === undefined) return null
  const told = usage ?? {}
  return {
    type: 'step_finish',
    stepTokensIn: countAt(told, 'inputTokens'),
    stepTokensOut: countAt(told, 'outputTokens'),
    stepCost: amountAt(told, 'cost'),
    metadata: JSON.stringify({
      model: model ?? undefined,
      cacheReadTokens: countAt(told, 'cacheReadTokens') ?? undefined,
      cacheWriteTokens: countAt(told, 'cacheWriteTokens') ?? undefined,
      reasoningTokens: countAt(told, 'reasoningTokens') ?? undefined,
    }),
  }
}
