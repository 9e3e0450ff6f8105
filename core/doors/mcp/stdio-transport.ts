import { ClientRequestSchema, JSONRPCMessageSchema, RequestIdSchema } from '@modelcontextprotocol/core'
import { type JSONRPCMessage, ProtocolErrorCode, type RequestId, type Transport } from '@modelcontextprotocol/server'
import { parsedJson } from '#core/parsed-json.ts'
import { LineSplitter } from '../line-splitter.ts'

/** No request to these tools is larger. */
export const MAX_LINE_BYTES = 10 * 1024 * 1024

/** The schema of each request of the protocol, by its name. */
const REQUESTS = new Map(ClientRequestSchema.options.map((schema) => [schema.shape.method.value as string, schema]))

type Streams = { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream }

/**
 * Sends and receives one message of the protocol a line. Any other line is answered with an error, and the next line is
 * read. The transport of the SDK instead stops at a line that is too long, and does not answer one that is not JSON.
 * Pending requests are counted, so that a client that only writes and closes receives all answers.
 */
export class StdioTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #input: NodeJS.ReadableStream
  readonly #output: NodeJS.WritableStream
  readonly #open = new Set<RequestId>()
  #whenIdle: (() => void) | null = null
  readonly #lines = new LineSplitter({
    mostBytes: MAX_LINE_BYTES,
    onTooLong: () => {
      const message = `A request has at most ${MAX_LINE_BYTES} bytes, so this line is left out and the next one is read: ask for less at once, or send several requests.`
      this.#refuse(null, ProtocolErrorCode.ParseError, message)
    },
  })

  constructor({ input, output }: Streams) {
    this.#input = input
    this.#output = output
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#take)
    this.#input.once('end', this.#takeRest)
    this.#input.on('error', (error: Error) => this.onerror?.(error))
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#output.write(`${JSON.stringify(message)}\n`)) {
      await new Promise((resume) => this.#output.once('drain', resume))
    }
    if ('id' in message && !('method' in message) && message.id !== undefined) this.#open.delete(message.id)
    if (this.#open.size === 0) this.#whenIdle?.()
  }

  async close(): Promise<void> {
    this.#input.off('data', this.#take)
    this.#input.off('end', this.#takeRest)
    this.#input.pause()
    this.onclose?.()
  }

  /** Waits until every request is answered, for at most `limitMs`. */
  idle(limitMs: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, limitMs)
      this.#whenIdle = () => {
        clearTimeout(timer)
        done()
      }
      if (this.#open.size === 0) this.#whenIdle()
    })
  }

  readonly #take = (chunk: Buffer): void => this.#hearAll(this.#lines.take(chunk))

  /** The last line of the input is one without a line end, too. */
  readonly #takeRest = (): void => this.#hearAll(this.#lines.end())

  #hearAll(lines: Iterable<Buffer>): void {
    for (const bytes of lines) {
      const line = bytes.toString('utf8').trim()
      if (line !== '') this.#hear(line)
    }
  }

  #hear(line: string): void {
    const value = parsedJson(line)
    if (value === undefined) {
      this.#refuse(null, ProtocolErrorCode.ParseError, 'This line is no JSON.')
      return
    }
    const message = JSONRPCMessageSchema.safeParse(value)
    if (!message.success) {
      const isParams = typeof value === 'object' && value !== null && 'method' in value && 'params' in value
      const code = isParams && idOf(value) !== null ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InvalidRequest
      this.#refuse(idOf(value), code, 'This is no request of JSON-RPC 2.0 with an object for its parameters.')
      return
    }
    const { data } = message
    if ('method' in data && 'id' in data) {
      const problem = problemOf(data)
      if (problem !== null) {
        this.#refuse(data.id, ProtocolErrorCode.InvalidParams, problem)
        return
      }
      this.#open.add(data.id)
    }
    this.onmessage?.(data)
  }

  #refuse(id: RequestId | null, code: ProtocolErrorCode, message: string): void {
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`)
  }
}

/**
 * Says why the parameters of a request do not fit its method, or returns null when they do or the method is unknown.
 */
function problemOf(request: { readonly method: string; readonly params?: unknown }): string | null {
  const parsed = REQUESTS.get(request.method)?.safeParse(request)
  if (parsed === undefined || parsed.success) return null
  const places = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  return `The parameters of ${request.method} are not valid. ${places.slice(0, 5).join('; ')}`
}

function idOf(value: unknown): RequestId | null {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null
  return RequestIdSchema.safeParse(id).data ?? null
}
