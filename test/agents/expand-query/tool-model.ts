import { type Behaviour, json } from '#test/models/summarizers/model-server.ts'

export type ToolCall = { readonly name: 'describe' | 'expand' | string; readonly input: unknown }

/** What a model that uses tools was sent, in the OpenAI format. */
export type SentMessage = { readonly role: string; readonly content: string | null; readonly tool_call_id?: string }

export const sentMessages = (body: Record<string, unknown>): readonly SentMessage[] => body.messages as SentMessage[]

/** The code that quotes everything of the memory in a run. */
export const codeIn = (body: Record<string, unknown>): string =>
  /<memory-([0-9a-f]{32}) /.exec(sentMessages(body).find(({ role }) => role === 'system')?.content ?? '')?.[1] ?? ''

export const toolCallsBody = (calls: readonly ToolCall[], turn: number) => ({
  id: `chatcmpl-${turn}`,
  object: 'chat.completion',
  created: 1,
  model: 'served',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        tool_calls: calls.map(({ name, input }, place) => ({
          id: `call_${turn}_${place}`,
          type: 'function',
          function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
        })),
      },
      finish_reason: 'tool_calls',
    },
  ],
  usage: { prompt_tokens: 200, completion_tokens: 20, total_tokens: 220 },
})

export const answerBody = (content: string) => ({
  id: 'chatcmpl-9',
  object: 'chat.completion',
  created: 1,
  model: 'served',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 300, completion_tokens: 40, total_tokens: 340 },
})

/** Makes these calls, turn by turn, then says this. */
export const toolModel =
  (turns: readonly (readonly ToolCall[])[], answer: string): Behaviour =>
  (response, { body }) => {
    const turn = sentMessages(body).filter(({ role }) => role === 'assistant').length
    const calls = turns[turn]
    json(response, 200, calls ? toolCallsBody(calls, turn) : answerBody(answer))
  }
