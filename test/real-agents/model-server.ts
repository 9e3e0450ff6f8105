import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Json = Readonly<Record<string, unknown>>

/** What a request asked for, and what it was answered. */
export type Asked = {
  readonly path: string
  /** The messages of the request in order, without the system prompt: who speaks, and all that is said and called. */
  readonly messages: readonly { readonly role: string; readonly text: string }[]
  /** The system prompt, where it stands apart from the messages. */
  readonly system: string
  readonly hasTools: boolean
  readonly inputTokens: number
  readonly outputTokens: number
  readonly answer: Answer
  /** The request as it was sent. */
  readonly body: string
}

export type Answer = { readonly text: string; readonly call: Call | null }
type Call = { readonly name: string; readonly input: Json }

/** Decides what the model says, given the texts of the messages and the tools that are offered. */
export type Script = (asked: Pick<Asked, 'messages' | 'hasTools'>, tools: readonly Tool[]) => Answer

export type Tool = { readonly name: string; readonly parameters: readonly Parameter[] }
export type Parameter = { readonly name: string; readonly type: string; readonly isRequired: boolean }

export type InputTokens = (messages: Asked['messages'], body: string) => number

export type ModelServer = {
  readonly url: string
  readonly asked: readonly Asked[]
  close(): Promise<void>
}

/**
 * A model that follows a script, on the loopback address. It speaks the protocols of OpenAI (chat completions and
 * responses), Anthropic and Gemini. Each request costs 1,200 tokens and 10 for each message, and each answer another
 * number of tokens, so that the usage in a transcript says which request it is of.
 * @param inputTokensOf says otherwise what a request costs, from its messages and its text
 */
export async function startModelServer(
  script: Script,
  inputTokensOf: InputTokens = ({ length }) => 1200 + 10 * length,
): Promise<ModelServer> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => {
      body += piece
    })
    request.on('end', () => answer(request, body, response, asked, script, inputTokensOf))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answer(
  request: IncomingMessage,
  text: string,
  response: ServerResponse,
  asked: Asked[],
  script: Script,
  inputTokensOf: InputTokens,
): void {
  const path = (request.url ?? '').split('?')[0] ?? ''
  const protocol = protocols.find(({ matches }) => matches.test(path))
  const body = protocol ? parsed(text) : null
  if (!protocol || !body || request.method !== 'POST') {
    response
      .writeHead(404, { 'content-type': 'application/json' })
      .end('{"error": {"message": "there is no such page"}}')
    return
  }
  const { messages, system, tools } = protocol.read(body)
  const said = { messages, hasTools: tools.length > 0 }
  const turn: Turn = {
    number: asked.length + 1,
    model: String(body.model ?? 'scripted'),
    inputTokens: inputTokensOf(messages, text),
    // Up to here, so that a session of hundreds of turns takes no more for its answers.
    outputTokens: 100 + (asked.length % 100),
    answer: script(said, tools),
  }
  asked.push({ path, system, ...said, ...turn, body: text })
  const isStream = body.stream === true || path.includes('stream')
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
  response.end(isStream ? protocol.stream(turn) : JSON.stringify(protocol.whole(turn)))
}

function parsed(text: string): Json | null {
  try {
    return JSON.parse(text) as Json
  } catch {
    // It is no request to a model.
    return null
  }
}

type Turn = Pick<Asked, 'inputTokens' | 'outputTokens' | 'answer'> & { readonly number: number; readonly model: string }
type Read = Pick<Asked, 'messages' | 'system'> & { readonly tools: readonly Tool[] }

type Protocol = {
  readonly matches: RegExp
  readonly read: (body: Json) => Read
  readonly stream: (turn: Turn) => string
  readonly whole: (turn: Turn) => Json
}

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [])

function toolOf(name: unknown, schema: unknown): Tool {
  const { properties, required } = (schema ?? {}) as Readonly<Record<string, Json | undefined>>
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  const parameters = Object.entries(properties ?? {}).map(([key, value]) => ({
    name: key,
    type: String((value as Json).type ?? 'string').toLowerCase(),
    isRequired: needed.includes(key),
  }))
  return { name: String(name), parameters }
}

/** All strings in a value, in their order. Ids and types are among them. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value).map(textIn).join('\n')
}

const events = (all: readonly Json[]): string =>
  all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

const chatCompletions: Protocol = {
  matches: /\/chat\/completions$/,
  read: ({ messages, tools }) => {
    const all = list(messages)
    const isSystem = ({ role }: Json): boolean => role === 'system' || role === 'developer'
    return {
      system: all.filter(isSystem).map(textIn).join('\n'),
      messages: all.filter((one) => !isSystem(one)).map((one) => ({ role: String(one.role), text: textIn(one) })),
      tools: list(tools).map((tool) => toolOf((tool.function as Json)?.name, (tool.function as Json)?.parameters)),
    }
  },
  stream: (turn) => {
    const { text, call } = turn.answer
    const base = { id: `chat-${turn.number}`, object: 'chat.completion.chunk', created: 1, model: turn.model }
    const calls = call ? { tool_calls: [{ index: 0, ...chatCall(turn, call) }] } : {}
    const chunks = [
      { ...base, choices: [{ index: 0, delta: { role: 'assistant', content: text } }] },
      ...(call ? [{ ...base, choices: [{ index: 0, delta: calls }] }] : []),
      { ...base, choices: [{ index: 0, delta: {}, finish_reason: call ? 'tool_calls' : 'stop' }] },
      { ...base, choices: [], usage: chatUsage(turn) },
    ]
    return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`
  },
  whole: (turn) => {
    const { text, call } = turn.answer
    const message = { role: 'assistant', content: text, ...(call ? { tool_calls: [chatCall(turn, call)] } : {}) }
    const choices = [{ index: 0, message, finish_reason: call ? 'tool_calls' : 'stop' }]
    const base = { id: `chat-${turn.number}`, object: 'chat.completion', created: 1, model: turn.model }
    return { ...base, choices, usage: chatUsage(turn) }
  },
}

const chatCall = ({ number }: Turn, { name, input }: Call): Json => ({
  id: `call_${number}`,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
})
const chatUsage = ({ inputTokens, outputTokens }: Turn): Json => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
})

const responses: Protocol = {
  matches: /\/responses$/,
  read: ({ input, instructions, tools }) => ({
    system: textIn(instructions),
    messages: list(input).map((item) => ({ role: String(item.role ?? item.type), text: textIn(item) })),
    tools: list(tools).map((tool) => toolOf(tool.name, tool.parameters)),
  }),
  stream: (turn) => {
    const items = responseItems(turn)
    const id = `resp_${turn.number}`
    return events([
      { type: 'response.created', response: { id } },
      ...items.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
      { type: 'response.completed', response: responses.whole(turn) },
    ])
  },
  whole: (turn) => ({
    id: `resp_${turn.number}`,
    object: 'response',
    status: 'completed',
    model: turn.model,
    output: responseItems(turn),
    usage: {
      input_tokens: turn.inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: turn.outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: turn.inputTokens + turn.outputTokens,
    },
  }),
}

function responseItems({ number, answer: { text, call } }: Turn): Json[] {
  const content = [{ type: 'output_text', text, annotations: [] }]
  const message = { type: 'message', role: 'assistant', id: `msg_${number}`, content, status: 'completed' }
  if (!call) return [message]
  const [id, callId, input] = [`fc_${number}`, `call_${number}`, JSON.stringify(call.input)]
  return [message, { type: 'function_call', id, call_id: callId, name: call.name, arguments: input }]
}

const anthropic: Protocol = {
  matches: /\/messages$/,
  read: ({ messages, system, tools }) => ({
    system: textIn(system),
    messages: list(messages).map((one) => ({ role: String(one.role), text: textIn(one.content) })),
    tools: list(tools).map((tool) => toolOf(tool.name, tool.input_schema)),
  }),
  stream: (turn) => {
    const usage = { input_tokens: turn.inputTokens, output_tokens: turn.outputTokens }
    const blocks = anthropicBlocks(turn)
    const message = { ...anthropic.whole(turn), content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } }
    return events([
      { type: 'message_start', message },
      ...blocks.flatMap(({ start, delta }, index) => [
        { type: 'content_block_start', index, content_block: start },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason: turn.answer.call ? 'tool_use' : 'end_turn' }, usage },
      { type: 'message_stop' },
    ])
  },
  whole: (turn) => ({
    id: `msg_${turn.number}`,
    type: 'message',
    role: 'assistant',
    model: turn.model,
    content: anthropicBlocks(turn).map(({ whole }) => whole),
    stop_reason: turn.answer.call ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: turn.inputTokens, output_tokens: turn.outputTokens },
  }),
}

function anthropicBlocks({ number, answer: { text, call } }: Turn) {
  const said = {
    whole: { type: 'text', text },
    start: { type: 'text', text: '' },
    delta: { type: 'text_delta', text },
  }
  if (!call) return [said]
  const use = { type: 'tool_use', id: `toolu_${number}`, name: call.name }
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }
  return [said, { whole: { ...use, input: call.input }, start: { ...use, input: {} }, delta }]
}

const gemini: Protocol = {
  matches: /:(?:stream)?[gG]enerateContent$/,
  read: ({ contents, systemInstruction, tools }) => ({
    system: textIn(systemInstruction),
    messages: list(contents).map(({ role, parts }) => ({ role: String(role), text: textIn(parts) })),
    tools: list(tools)
      .flatMap(({ functionDeclarations }) => list(functionDeclarations))
      .map((tool) => toolOf(tool.name, tool.parametersJsonSchema ?? tool.parameters)),
  }),
  stream: (turn) => `data: ${JSON.stringify(gemini.whole(turn))}\n\n`,
  whole: (turn) => {
    const { text, call } = turn.answer
    const parts = [{ text }, ...(call ? [{ functionCall: { name: call.name, args: call.input } }] : [])]
    return {
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
      modelVersion: turn.model,
      usageMetadata: {
        promptTokenCount: turn.inputTokens,
        candidatesTokenCount: turn.outputTokens,
        totalTokenCount: turn.inputTokens + turn.outputTokens,
      },
    }
  },
}

const protocols: readonly Protocol[] = [chatCompletions, responses, anthropic, gemini]
