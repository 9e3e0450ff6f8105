import { Worker } from 'node:worker_threads'
import { LcmError } from '#core/errors.ts'
import type { Fields } from '../query/matcher.ts'

export type RegexSource = { readonly source: string; readonly flags: string }

type Places = readonly (readonly [start: number, end: number])[]

/** Matches texts with a pattern. */
export interface Judge {
  /** Returns for each row whether the pattern matches one of its fields. */
  test(rows: readonly Fields[]): Promise<readonly boolean[]>
  /** Returns where the pattern first matches in each text. Matches of length 0 are left out. */
  find(texts: readonly string[]): Promise<readonly Places[]>
  close(): void
}

type Reply = { readonly usedMs: number } & ({ readonly results: unknown } | { readonly failure: string })

/**
 * How much processor time one question may take, and all of a search when its pattern is slow. JavaScript's engine
 * counts nothing. Its processor time does not depend on what else the machine does, as the clock would.
 */
const LIMIT_MS = 5000
/** Characters a millisecond. A pattern that is faster may continue; ordinary patterns are a hundred times as fast. */
const SLOW = 1000
/** How often a thread is looked after that has not answered yet. */
const LOOK_MS = 200

/**
 * The program of the thread as a text, so that the bundle needs no other file. The thread lives as long as one search
 * and is ended when a pattern does not come to an end.
 */
const PROGRAM = /* js */ `
const { parentPort, workerData } = require('node:worker_threads')
const usedMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
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
    parentPort.postMessage({ usedMs: usedMs(), results })
  } catch (error) {
    parentPort.postMessage({ usedMs: usedMs(), failure: String(error) })
  }
})
`

/** The JavaScript engine in a thread of its own. It answers one question at a time. */
export class PatternThread implements Judge {
  readonly #pattern: RegexSource
  readonly #signal: AbortSignal | undefined
  #thread: Worker | null = null
  /** Processor time that the thread has used for what it answered, and the characters of that. */
  #usedMs = 0
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
    const reply = await this.#reply(thread, question)
    this.#usedMs = reply.usedMs
    if ('failure' in reply) throw tooSlow(`it could not be finished (${reply.failure})`)
    if (this.#usedMs > LIMIT_MS && this.#characters < this.#usedMs * SLOW) {
      this.close()
      throw stopped()
    }
    return reply.results as T
  }

  #start(): Worker {
    const limits = { maxOldGenerationSizeMb: 256 }
    const thread = new Worker(PROGRAM, { eval: true, execArgv: [], workerData: this.#pattern, resourceLimits: limits })
    // An 'error' event without a listener would end the process, and between two questions there is no other listener.
    thread.on('error', () => {})
    return thread
  }

  #reply(thread: Worker, question: object): Promise<Reply> {
    return new Promise((resolve, reject) => {
      let isWaiting = true
      const end = (settle: () => void): void => {
        isWaiting = false
        clearInterval(timer)
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
      const began = performance.now()
      const look = async (): Promise<void> => {
        const usedMs = (await usedBy(thread)) ?? this.#usedMs + performance.now() - began
        if (isWaiting && usedMs - this.#usedMs > LIMIT_MS) kill(stopped())
      }
      const timer = setInterval(() => void look(), LOOK_MS)
      thread.on('message', onReply)
      thread.on('error', onError)
      thread.on('exit', onExit)
      this.#signal?.addEventListener('abort', onAbort, { once: true })
      thread.postMessage(question)
      if (this.#signal?.aborted) onAbort()
    })
  }
}

/**
 * Returns the processor time that a thread has used, also while it is at a pattern, or null when that cannot be told: by
 * Node 24.0 to 24.5, and of a thread that has ended.
 */
async function usedBy(thread: Worker): Promise<number | null> {
  if (!('cpuUsage' in thread)) return null
  const used = await thread.cpuUsage().catch(() => null)
  return used && (used.user + used.system) / 1000
}

const stopped = (): LcmError => tooSlow(`it was stopped after ${LIMIT_MS / 1000} s of work`)

const tooSlow = (what: string): LcmError =>
  new LcmError(
    'pattern_too_slow',
    `This pattern goes back and forth in the text, and ${what}: nothing was left out of an answer, there is none. Write it without look-around and back-references, without repetitions within repetitions such as (a+)+, or narrow the search by a filter.`,
  )
