import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Asked = {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Record<string, unknown>
  /** Of the request; the time when the client's connection closed before an answer was sent is resolved into it. */
  readonly atMs: number
  closedAtMs: number | null
}

/** What the server does with its n-th request, from 0. */
export type Behaviour = (response: ServerResponse, asked: Asked, n: number) => void

export type ModelServer = {
  readonly url: string
  readonly asked: readonly Asked[]
  behave(next: Behaviour): void
  close(): Promise<void>
}

/** A real HTTP server on this machine in the place of a model. */
export async function startModelServer(first: Behaviour): Promise<ModelServer> {
  const asked: Asked[] = []
  let behaviour = first
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const entry: Asked = {
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>,
        atMs: performance.now(),
        closedAtMs: null,
      }
      response.on('close', () => {
        if (!response.writableFinished) entry.closedAtMs = performance.now()
      })
      asked.push(entry)
      behaviour(response, entry, asked.length - 1)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    behave: (next) => {
      behaviour = next
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

export const json = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export const openAiBody = (content: string, finish: string | null = 'stop') => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'served',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }],
  usage: { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 },
})

export const anthropicBody = (text: string, stop = 'end_turn') => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'served',
  content: [{ type: 'text', text }],
  stop_reason: stop,
  stop_sequence: null,
  usage: { input_tokens: 120, output_tokens: 30 },
})

/** The text of the user's and the system's message, whichever wire format it is. */
export function promptOf({ body }: Asked): { readonly system: string; readonly prompt: string } {
  const messages = body.messages as { role: string; content: string | { text: string }[] }[]
  const textOf = (content: string | { text: string }[] | undefined): string =>
    typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('')
  const system = body.system as string | { text: string }[] | undefined
  return {
    system: textOf(system ?? messages.find(({ role }) => role === 'system')?.content),
    prompt: textOf(messages.findLast(({ role }) => role === 'user')?.content),
  }
}

/** The code that a prompt asks to mark the summary with. */
export const codeOf = (asked: Asked): string => /<summary-([0-9a-f]{32})>/.exec(promptOf(asked).prompt)?.[1] ?? ''

export const marked = (asked: Asked, text: string): string => {
  const code = codeOf(asked)
  return `<summary-${code}>\n${text}\n</summary-${code}>`
}

/** Answers well, in the format that was asked in. */
export const good =
  (text = 'A summary.'): Behaviour =>
  (response, asked) => {
    const answer = marked(asked, text)
    json(response, 200, asked.path.endsWith('/messages') ? anthropicBody(answer) : openAiBody(answer))
  }
