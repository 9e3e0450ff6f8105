import { Worker } from 'node:worker_threads'
import { LcmError } from '../errors.ts'
import type { Fields } from './matcher.ts'

export type RegexSource = { readonly source: string; readonly flags: string }

type Places = readonly (readonly [start: number, end: number])[]

/** Looks at texts with a pattern. */
export interface Judge {
  /** Whether the pattern stands in one of the fields of each row. */
  test(rows: readonly Fields[]): Promise<readonly boolean[]>
  /** Where the pattern stands first in each text; places of no length are left out. */
  find(texts: readonly string[]): Promise<readonly Places[]>
  close(): void
}

type Reply = { readonly results: unknown } | { readonly failure: string }

/** Longest that a pattern may take for some rows, and for all of them when it is slow. */
const LIMIT_MS = 5000
/** Characters a millisecond: whoever is quicker may go on. Ordinary patterns are a hundred times as quick. */
const SLOW = 1000

/**
 * A program of its own, which needs no file beside the bundle. It lives as long as one search, and dies of a pattern
 * that does not end.
 */
const PROGRAM = /* js */ `
const { parentPort, workerData } = require('node:worker_threads')
const pattern = new RegExp(workerData.source, workerData.flags)
const everywhere = new RegExp(workerData.source, workerData.flags + 'g')
const find = (text) => {
  const places = []
  for (const match of text.matchAll(everywhere)) {
    if (match[0].length > 0) places.push([match.index, match.index + match[0].length])
    if (places.length === 40) break
  }
  return places
}
parentPort.on('message', ({ kind, items }) => {
  try {
    const results = kind === 'test' ? items.map((fields) => fields.some((text) => pattern.test(text))) : items.map(find)
    parentPort.postMessage({ results })
  } catch (error) {
    parentPort.postMessage({ failure: String(error) })
  }
})
`

/** The JavaScript engine in a thread of its own. One question at a time. */
export class PatternThread implements Judge {
  readonly #pattern: RegexSource
  readonly #signal: AbortSignal | undefined
  #thread: Worker | null = null
  #spentMs = 0
  #characters = 0

  constructor(pattern: RegexSource, signal?: AbortSignal) {
    this.#pattern = pattern
    this.#signal = signal
  }

  test(rows: readonly Fields[]): Promise<readonly boolean[]> {
    for (const fields of rows) for (const field of fields) this.#characters += field.length
    return this.#ask({ kind: 'test', items: rows })
  }

  find(texts: readonly string[]): Promise<readonly Places[]> {
    for (const text of texts) this.#characters += text.length
    return this.#ask({ kind: 'find', items: texts })
  }

  close(): void {
    void this.#thread?.terminate()
    this.#thread = null
  }

  async #ask<T>(question: { readonly kind: 'test' | 'find'; readonly items: readonly unknown[] }): Promise<T> {
    const thread = this.#thread ?? this.#start()
    this.#thread = thread
    const began = performance.now()
    const reply = await this.#reply(thread, question)
    this.#spentMs += performance.now() - began
    if ('failure' in reply) throw tooSlow(`it could not be finished (${reply.failure})`)
    if (this.#spentMs > LIMIT_MS && this.#characters < this.#spentMs * SLOW) {
      this.close()
      throw tooSlow(`it was stopped after ${LIMIT_MS / 1000} s`)
    }
    return reply.results as T
  }

  #start(): Worker {
    const limits = { maxOldGenerationSizeMb: 256 }
    const thread = new Worker(PROGRAM, { eval: true, execArgv: [], workerData: this.#pattern, resourceLimits: limits })
    // Between two questions nobody listens, and an error that nobody hears ends the process.
    thread.on('error', () => {})
    return thread
  }

  #reply(thread: Worker, question: object): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer)
        thread.off('message', onReply)
        thread.off('error', onError)
        thread.off('exit', onExit)
        this.#signal?.removeEventListener('abort', onAbort)
        settle()
      }
      const kill = (error: LcmError): void =>
        end(() => {
          this.close()
          reject(error)
        })
      const onAbort = (): void => kill(new LcmError('cancelled', 'The search was cancelled.'))
      const onReply = (reply: Reply): void => end(() => resolve(reply))
      const onError = (error: Error): void => kill(tooSlow(`its thread ended (${error.message})`))
      const onExit = (): void => kill(tooSlow('its thread ended'))
      const timer = setTimeout(() => kill(tooSlow(`it was stopped after ${LIMIT_MS / 1000} s`)), LIMIT_MS)
      thread.on('message', onReply)
      thread.on('error', onError)
      thread.on('exit', onExit)
      this.#signal?.addEventListener('abort', onAbort, { once: true })
      thread.postMessage(question)
      if (this.#signal?.aborted) onAbort()
    })
  }
}

const tooSlow = (what: string): LcmError =>
  new LcmError(
    'pattern_too_slow',
    `This pattern goes back and forth in the text, and ${what}: nothing was left out of an answer, there is none. Write it without look-around and back-references, without repetitions within repetitions such as (a+)+, or narrow the search by a filter.`,
  )
