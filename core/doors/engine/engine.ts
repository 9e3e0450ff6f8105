import { isUtf8 } from 'node:buffer'
import { LcmError } from '#core/errors.ts'
import { isObject } from '#core/ingest/transcripts/json-value.ts'
import { parsedJson } from '#core/parsed-json.ts'
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
  /** Whether it answers step by step until it is cancelled or the input ends. */
  readonly isEndless: (method: string) => boolean
  /** Writes a line. It resolves when there is room for the next one. */
  readonly write: (line: string) => Promise<void>
}

/** At most this many requests are under way, and this many bytes of them. Those behind them wait. */
const MOST_RUNNING = 32
const MOST_RUNNING_BYTES = 32 * 1024 * 1024
/** While this many wait, no input is read. What is read is looked at at once, so that what waits can be cancelled. */
const MOST_WAITING = 1_000
const MOST_WAITING_BYTES = 32 * 1024 * 1024
/** What never ends by itself would take the place of everything else. */
const MOST_ENDLESS = 32
/** The answers to a batch are held until the last one is there. */
const MOST_IN_BATCH = 1_000
const CANCEL = '$/cancelRequest'
const STEP = '$/progress'

type Open = {
  readonly id: RpcId | undefined
  readonly abort: AbortController
  readonly bytes: number
  readonly isEndless: boolean
}

/** A request whose turn has not come. */
type WaitingRequest = { readonly open: Open; readonly begin: () => void }

/**
 * Answers JSON-RPC 2.0, one document a line. Calls run beside each other, and each sees what the writes before it have
 * stored. While too much waits, because other requests are under way or whoever reads the answers does not follow,
 * `take` does not return.
 */
export class Engine {
  readonly #options: EngineOptions
  /** All that are not answered. */
  readonly #open = new Set<Open>()
  /** In their order. */
  #waiting: WaitingRequest[] = []
  #running = 0
  #runningBytes = 0
  readonly #unsent = new Set<Promise<void>>()
  /** Lines that are written and not taken yet. */
  #writing = 0
  #lastWrite: Promise<unknown> = Promise.resolve()
  #resume: (() => void)[] = []
  #isEnding = false

  constructor(options: EngineOptions) {
    this.#options = options
  }

  /** Takes one line. It returns when the next one may be read. */
  async take(line: Buffer): Promise<void> {
    const text = line.toString('utf8').trim()
    if (text === '') return
    const value = isUtf8(line) ? parsedJson(text) : undefined
    if (value === undefined) {
      return await this.#write(refusalOf(null, RPC_ERRORS.parse, 'This line is no JSON in UTF-8.'))
    }
    const isBatch = Array.isArray(value)
    const requests: unknown[] = Array.isArray(value) ? value : [value]
    if (requests.length === 0 || requests.length > MOST_IN_BATCH) {
      const why = `A batch has 1 to ${MOST_IN_BATCH} requests, not ${requests.length}.`
      return await this.#write(refusalOf(null, RPC_ERRORS.request, why))
    }
    const bytes = line.length / requests.length
    const answers = requests.map((request) => this.#answer(request, bytes))
    this.#send(answers, isBatch)
    await this.#until(() => this.#mayRead())
  }

  /** Says that a line was too long to be kept. */
  refuseLine(mostBytes: number): void {
    const message = `A request has at most ${mostBytes} bytes, so this line is left out and the next one is read: send its messages in several requests.`
    void this.#write(refusalOf(null, RPC_ERRORS.parse, message))
  }

  /** Ends what would never end by itself, and waits until everything else is answered. */
  async end(): Promise<void> {
    this.#isEnding = true
    for (const { abort, isEndless } of this.#open) if (isEndless) abort.abort()
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
    if (method === CANCEL) {
      this.#cancel(params)
      return id === undefined ? null : answerOf(id, null)
    }
    const isEndless = this.#options.isEndless(method)
    const open: Open = { id, abort: new AbortController(), bytes, isEndless }
    const isTooMany = isEndless && [...this.#open].filter((one) => one.isEndless).length >= MOST_ENDLESS
    this.#open.add(open)
    try {
      if (isTooMany) throw tooManyEndless(method)
      const result = isEndless ? await this.#result(method, params, open) : await this.#inTurn(method, params, open)
      return id === undefined ? null : answerOf(id, result)
    } catch (error) {
      if (isEndless && this.#isEnding && open.abort.signal.aborted && id !== undefined) return answerOf(id, null)
      const answer = failureOf(id ?? null, error)
      if ('error' in answer && answer.error.code === RPC_ERRORS.internal) console.error(error)
      return id === undefined ? null : answer
    } finally {
      this.#open.delete(open)
      this.#notice()
    }
  }

  /** Makes a call when there is room for it and those before it have begun. */
  async #inTurn(method: string, params: unknown, open: Open): Promise<unknown> {
    const { signal } = open.abort
    await new Promise<void>((begin) => {
      this.#waiting.push({ open, begin })
      // One that is cancelled before its turn is answered at once.
      signal.addEventListener('abort', () => this.#begin(this.#waiting.find((one) => one.open === open)), {
        once: true,
      })
      this.#beginNext()
    })
    try {
      if (signal.aborted) throw notBegun()
      return await this.#result(method, params, open)
    } finally {
      this.#running -= 1
      this.#runningBytes -= open.bytes
    }
  }

  async #result(method: string, params: unknown, open: Open): Promise<unknown> {
    if (!this.#options.isKnown(method)) {
      throw new RpcFailure(
        RPC_ERRORS.method,
        `There is no method ${JSON.stringify(method)}: docs/engine.md lists them.`,
      )
    }
    if (!isObject(params)) throw new RpcFailure(RPC_ERRORS.params, 'Parameters are given by name, in an object.')
    const { signal } = open.abort
    const run = this.#lastWrite.then(() => {
      if (signal.aborted) throw notBegun()
      return this.#options.call(method, params, signal)
    })
    if (this.#options.isWrite(method)) this.#lastWrite = run.catch(() => undefined)
    const result = await run
    if (!isIterable(result)) return result
    if (this.#isEnding && open.isEndless) open.abort.abort()
    for await (const value of result) {
      if (open.id !== undefined) await this.#write({ jsonrpc: '2.0', method: STEP, params: { id: open.id, value } })
    }
    // Whoever gave the steps may have ended without an error.
    if (signal.aborted) throw new LcmError('cancelled', 'The request was cancelled before its last step.')
    return null
  }

  /** Whatever has that id is asked to stop, and is still answered. */
  #cancel(params: unknown): void {
    const id = isObject(params) ? params.id : undefined
    for (const open of this.#open) if (id !== undefined && open.id === id) open.abort.abort()
  }

  #begin(next: WaitingRequest | undefined): void {
    if (next === undefined) return
    this.#waiting = this.#waiting.filter((one) => one !== next)
    this.#running += 1
    this.#runningBytes += next.open.bytes
    next.begin()
  }

  #beginNext(): void {
    for (let [next] = this.#waiting; next !== undefined && this.#hasRoom(next.open.bytes); [next] = this.#waiting) {
      this.#begin(next)
    }
  }

  async #write(document: unknown): Promise<void> {
    this.#writing += 1
    await this.#options.write(`${JSON.stringify(document)}\n`)
    this.#writing -= 1
    this.#notice()
  }

  #hasRoom(bytes: number): boolean {
    if (this.#writing > 0) return false
    if (this.#running === 0) return true
    return this.#running < MOST_RUNNING && this.#runningBytes + bytes <= MOST_RUNNING_BYTES
  }

  #mayRead(): boolean {
    let bytes = 0
    for (const { open } of this.#waiting) bytes += open.bytes
    return this.#waiting.length < MOST_WAITING && bytes < MOST_WAITING_BYTES
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resume) => this.#resume.push(resume))
  }

  #notice(): void {
    this.#beginNext()
    for (const resume of this.#resume.splice(0)) resume()
  }
}

const notBegun = (): LcmError => new LcmError('cancelled', 'The request was cancelled before it began.')

const tooManyEndless = (method: string): LcmError =>
  new LcmError(
    'locked',
    `${MOST_ENDLESS} requests of ${method} are open, and no more are taken: cancel one first, or use what one of them tells.`,
  )

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value
