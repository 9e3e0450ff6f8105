import type { RenderedContext } from '../contract/context.ts'
import type { Call, Turn } from './turns.ts'

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object }
  | { readonly type: 'tool_result'; readonly tool_use_id: string; readonly content: string; readonly is_error?: true }

type Message = { readonly role: 'user' | 'assistant'; readonly content: Block[] }

/**
 * Renders for the Messages API: the system messages at the beginning of the conversation become `system`, followed by
 * turns of alternating roles. A later system message stays in its position as marked user text, because moving it up
 * would change what was sent before. https://docs.anthropic.com/en/api/messages
 */
export function renderAnthropic(turns: readonly Turn[]): RenderedContext {
  const begin = turns.findIndex((turn) => turn.kind !== 'system')
  const leading = begin < 0 ? turns : turns.slice(0, begin)
  const system = leading.flatMap((turn) => (turn.kind === 'system' ? turn.text : [])).join('\n\n')
  const messages: Message[] = []
  for (const turn of begin < 0 ? [] : turns.slice(begin)) {
    const role = turn.kind === 'assistant' ? 'assistant' : 'user'
    const last = messages.at(-1)
    if (last?.role === role) last.content.push(...blocksOf(turn))
    else {
      if (!last && role === 'assistant') messages.push({ role: 'user', content: [{ type: 'text', text: OPENING }] })
      messages.push({ role, content: blocksOf(turn) })
    }
  }
  return { provider: 'anthropic', system: system || null, messages }
}

/** The API requires a user's turn first, and a window may begin with the assistant's. */
const OPENING = '[start of the context window]'

function blocksOf(turn: Turn): Block[] {
  switch (turn.kind) {
    case 'system':
      return [{ type: 'text', text: `[system]\n${turn.text}` }]
    case 'user':
      return [{ type: 'text', text: turn.text }]
    case 'assistant':
      return [
        ...(turn.text === '' ? [] : [{ type: 'text', text: turn.text } as const]),
        ...turn.calls.map(
          (call) => ({ type: 'tool_use', id: call.id, name: call.name, input: inputOf(call) }) as const,
        ),
      ]
    case 'result': {
      const result = { type: 'tool_result', tool_use_id: turn.callId, content: turn.text } as const
      return [turn.isError ? { ...result, is_error: true } : result]
    }
  }
}

/** The API requires an object. Any other value is passed under one name, so that it is not lost. */
function inputOf(call: Call): object {
  if (call.input === null || call.input.trim() === '') return {}
  try {
    const parsed: unknown = JSON.parse(call.input)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : { input: parsed }
  } catch {
    // Invalid JSON in one row is passed as text. It is not an error of the whole window.
    return { input: call.input }
  }
}
