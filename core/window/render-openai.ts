import type { RenderedContext } from '../contract/context.ts'
import type { Call, Turn } from './turns.ts'

type ToolCall = {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: ToolCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

/**
 * Renders for Chat Completions: system messages in their positions, calls as `tool_calls`, each result as a `tool`
 * message. https://platform.openai.com/docs/api-reference/chat/create
 */
export function renderOpenAI(turns: readonly Turn[]): RenderedContext {
  const messages: Message[] = []
  for (const turn of turns) {
    const last = messages.at(-1)
    // Results must follow the message with their calls, so further calls of the same turn join that message.
    if (turn.kind === 'assistant' && turn.text === '' && last?.role === 'assistant' && last.tool_calls) {
      last.tool_calls.push(...turn.calls.map(toolCall))
    } else messages.push(messageOf(turn))
  }
  return { provider: 'openai', system: null, messages }
}

function messageOf(turn: Turn): Message {
  switch (turn.kind) {
    case 'system':
    case 'user':
      return { role: turn.kind, content: turn.text }
    case 'assistant': {
      const content = turn.text === '' ? null : turn.text
      return turn.calls.length === 0
        ? { role: 'assistant', content }
        : { role: 'assistant', content, tool_calls: turn.calls.map(toolCall) }
    }
    case 'result':
      return { role: 'tool', tool_call_id: turn.callId, content: turn.text }
  }
}

function toolCall(call: Call): ToolCall {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.input || '{}' } }
}
