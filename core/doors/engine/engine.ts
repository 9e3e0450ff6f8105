import { isUtf8 } from 'node:buffer'
import { LcmError } from '../../errors.ts'
import { isObject } from '../../ingest/transcripts/json-value.ts'
import {
  answerOf,
  failureOf,
  RPC_ERRORS,
  type RpcAnswer,
  RpcFailure,
  type RpcId,
  readRequest,
  refusalOf,
} from './rpc.ts'

export type EngineOptions = {
  /** Makes a call. What it answers step by step is an iterable. */
  readonly call: (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>
  readonly isKnown: (method: string) => boolean
  /** Whether later calls have to see what this one stores. */
  readonly isWrite: (method: string) => boolean
  /** Writes a line. It resolves when there is room for the next one. */
  readonly write: (line: string) => Promise<void>
}

/** So many requests are under way at most, and so many bytes of them. Until one is answered no input is read. */
const MOST_OPEN = 32
const MOST_OPEN_BYTES = 32 * 1024 * 1024
/** The answers to a batch are held until the last one is there. */
const MOST_IN_BATCH = 1_000
const CANCEL = '$/cancelRequest'
const STEP = '$/progress'

type Open = {
  readonly id: RpcId | undefined
  readonly abort: AbortController
  readonly bytes: number
  isStream: boolean
}

/**
 * Answers JSON-RPC 2.0, one document a line. Calls run beside each other, and each sees what the writes before it have
 * stored. While too much is unanswered, or whoever reads the answers does not follow, `take` does not return.
 */
export class Engine {
  readonly #options: EngineOptions
  readonly #open = new Set<Open>()
  readonly #unsent = new Set<Promise<void>>()
  /** Lines that are written and not taken yet. */
  #writing = 0
  #lastWrite: Promise<unknown> = Promise.resolve()
  #waiting: (() => void)[] = []
  #isEnding = false

  constructor(options: EngineOptions) {
    this.#options = options
  }

  /** Takes one line. It returns when the next one may be read. */
  async take(line: Buffer): Promise<void> {
    const text = line.toString('utf8').trim()
    if (text === '') return
    let value: unknown
    try {
      if (!isUtf8(line)) throw new SyntaxError('not UTF-8')
      value = JSON.parse(text)
    } catch {
      return await this.#write(refusalOf(null, RPC_ERRORS.parse, 'This line is no JSON in UTF-8.'))
    }
    const isBatch = Array.isArray(value)
    const requests: unknown[] = Array.isArray(value) ? value : [value]
    if (requests.length === 0 || requests.length > MOST_IN_BATCH) {
      const why = `A batch has 1 to ${MOST_IN_BATCH} requests, not ${requests.length}.`
      return await this.#write(refusalOf(null, RPC_ERRORS.request, why))
    }
    const bytes = line.length / requests.length
    const answers: Promise<RpcAnswer | null>[] = []
    for (const request of requests) {
      await this.#until(() => this.#hasRoom(bytes))
      answers.push(this.#answer(request, bytes))
    }
    this.#send(answers, isBatch)
    await this.#until(() => this.#hasRoom(0))
  }

  /** Says that a line was too long to be kept. */
  refuseLine(mostBytes: number): void {
    void this.#write(refusalOf(null, RPC_ERRORS.parse, `A line has at most ${mostBytes} bytes; this one is left out.`))
  }

  /** Ends what would never end by itself, and waits until everything else is answered. */
  async end(): Promise<void> {
    this.#isEnding = true
    for (const { abort, isStream } of this.#open) if (isStream) abort.abort()
    await this.#until(() => this.#open.size === 0 && this.#unsent.size === 0 && this.#writing === 0)
  }

  /** Cancels everything that is under way. */
  abort(): void {
    for (const { abort } of this.#open) abort.abort()
  }

  #send(answers: readonly Promise<RpcAnswer | null>[], isBatch: boolean): void {
    const sent = Promise.all(answers).then(async (all) => {
      const told = all.filter((answer) => answer !== null)
      if (told.length > 0) await this.#write(isBatch ? told : told[0])
      this.#unsent.delete(sent)
      this.#notice()
    })
    this.#unsent.add(sent)
  }

  /** Null for a notification. It never fails. */
  async #answer(value: unknown, bytes: number): Promise<RpcAnswer | null> {
    const request = readRequest(value)
    if ('jsonrpc' in request) return request
    const { id, method, params = {} } = request
    const open: Open = { id, abort: new AbortController(), bytes, isStream: false }
    this.#open.add(open)
    try {
      const result = await this.#result(method, params, open)
      return id === undefined ? null : answerOf(id, result)
    } catch (error) {
      if (open.isStream && this.#isEnding && id !== undefined) return answerOf(id, null)
      const answer = failureOf(id ?? null, error)
      if ('error' in answer && answer.error.code === RPC_ERRORS.internal) console.error(error)
      return id === undefined ? null : answer
    } finally {
      this.#open.delete(open)
      this.#notice()
    }
  }

  async #result(method: string, params: unknown, open: Open): Promise<unknown> {
    if (method === CANCEL) return this.#cancel(params)
    if (!this.#options.isKnown(method)) {
      throw new RpcFailure(
        RPC_ERRORS.method,
        `There is no method ${JSON.stringify(method)}: docs/engine.md lists them.`,
      )
    }
    if (!isObject(params)) throw new RpcFailure(RPC_ERRORS.params, 'Parameters are given by name, in an object.')
    const { signal } = open.abort
    const run = this.#lastWrite.then(() => {
      if (signal.aborted) throw new LcmError('cancelled', 'The request was cancelled before it began.')
      return this.#options.call(method, params, signal)
    })
    if (this.#options.isWrite(method)) this.#lastWrite = run.catch(() => undefined)
    const result = await run
    if (!isIterable(result)) return result
    open.isStream = true
    if (this.#isEnding) open.abort.abort()
    for await (const value of result) {
      if (open.id !== undefined) await this.#write({ jsonrpc: '2.0', method: STEP, params: { id: open.id, value } })
    }
    return null
  }

  /** Whatever has that id is asked to stop, and is still answered. */
  #cancel(params: unknown): null {
    const id = isObject(params) ? params.id : undefined
    for (const open of this.#open) if (id !== undefined && open.id === id) open.abort.abort()
    return null
  }

  async #write(document: unknown): Promise<void> {
    this.#writing += 1
    await this.#options.write(`${JSON.stringify(document)}\n`)
    this.#writing -= 1
    this.#notice()
  }

  #hasRoom(bytes: number): boolean {
    if (this.#writing > 0) return false
    if (this.#open.size === 0) return true
    let openBytes = bytes
    for (const open of this.#open) openBytes += open.bytes
    return this.#open.size < MOST_OPEN && openBytes <= MOST_OPEN_BYTES
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resume) => this.#waiting.push(resume))
  }

  #notice(): void {
    for (const resume of this.#waiting.splice(0)) resume()
  }
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value
