import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/**
 * @typedef {import('#core/doors/library/api.ts').Lcm} Lcm
 * @typedef {Pick<Lcm, 'ingest' | 'assemble' | 'compact' | 'recall' | 'stored' | 'status' | 'job' | 'call' | 'close'>} Memory
 * @typedef {{ readonly signal?: AbortSignal }} CallOptions
 */

/** At most this long is waited for the engine to end by itself. */
const PATIENCE_MS = 20_000

/**
 * Starts `lcm engine`, for hosts in which the library cannot be loaded (docs/engine.md). What it answers is the same. One
 * that ends after it has answered is started again with the next call.
 * @param {{ readonly node: string, readonly cli: string, readonly memory: string, readonly agent: string,
 *   readonly summarizer?: string }} given
 * @returns {Memory}
 */
export function startEngine({ node, cli, memory, agent, summarizer = 'deterministic' }) {
  const args = [cli, 'engine', '--stdio', '--db', memory, '--agent', agent, '--summarizer', summarizer]
  const start = () => new EngineProcess(node, [...args, '--no-auto-compact'])
  let engine = start()
  let isClosed = false

  /**
   * @param {string} method
   * @param {unknown} params
   * @param {CallOptions} [options]
   * @returns {Promise<any>}
   */
  const ask = (method, params, options) => {
    if (!isClosed && engine.hasEnded && engine.hasAnswered) engine = start()
    return engine.ask(method, params, options)
  }

  return {
    ingest: (input, options) => ask('ingest', input, options),
    assemble: (input, options) => ask('assemble', input, options),
    compact: (input, options) => ask('compact', input, options),
    recall: (input, options) => ask('recall', input, options),
    stored: (input, options) => ask('stored', input, options),
    status: (input) => ask('status', input),
    job: /** @type {Lcm['job']} */ ((spec, options) => ask('job', spec, options)),
    call: (name, input, options) => ask(name, input, options),
    close() {
      isClosed = true
      return engine.close()
    },
  }
}

class EngineProcess {
  #engine
  /** @type {readonly { ref?(): void, unref?(): void }[]} */
  #streams
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  #open = new Map()
  #lastId = 0
  #said = ''
  /** @type {Error | null} */
  #ended = null
  /** @type {Promise<void>} */
  #exited
  hasAnswered = false

  /**
   * @param {string} node
   * @param {readonly string[]} args
   */
  constructor(node, args) {
    const engine = spawn(node, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#engine = engine
    this.#streams = /** @type {any[]} */ ([engine, engine.stdin, engine.stdout, engine.stderr])
    engine.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      this.#said = (this.#said + text).slice(-1000)
    })
    engine.stdin.on('error', () => undefined)
    this.#exited = new Promise((resolve) => {
      /** @param {string} why */
      const end = (why) => {
        this.#end(why)
        resolve()
      }
      engine.once('error', (error) => end(error.message))
      engine.once('close', (code) => end(`lcm engine ended with ${code}`))
    })
    createInterface({ input: engine.stdout }).on('line', (line) => this.#take(line))
    this.#hold()
  }

  get hasEnded() {
    return this.#ended !== null
  }

  /**
   * @param {string} method
   * @param {unknown} params
   * @param {CallOptions} [options]
   * @returns {Promise<any>}
   */
  async ask(method, params, { signal } = {}) {
    if (this.#ended !== null) throw this.#ended
    this.#lastId += 1
    const id = this.#lastId
    const answered = new Promise((resolve, reject) => this.#open.set(id, { resolve, reject }))
    this.#hold()
    this.#write({ id, method, params: params ?? {} })
    const cancel = () => this.#write({ method: '$/cancelRequest', params: { id } })
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return await answered
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  async close() {
    for (const one of this.#streams) one.ref?.()
    this.#engine.stdin.end()
    const timer = setTimeout(() => this.#engine.kill(), PATIENCE_MS)
    await this.#exited
    clearTimeout(timer)
  }

  /** @param {string} why */
  #end(why) {
    this.#ended = new Error(this.#said.trim().split('\n').at(-1) || why)
    for (const { reject } of this.#open.values()) reject(this.#ended)
    this.#open.clear()
  }

  /** @param {string} line */
  #take(line) {
    const answer = answerIn(line)
    const asked = this.#open.get(answer?.id)
    if (!asked) return
    this.hasAnswered = true
    this.#open.delete(answer.id)
    this.#hold()
    const { result, error } = answer
    if (error) asked.reject(Object.assign(new Error(error.message), { code: error.data?.code }))
    else asked.resolve(result)
  }

  /** A host that has nothing else to do ends, and the engine with it. While something is asked, the host waits for it. */
  #hold() {
    for (const one of this.#streams)
      if (this.#open.size > 0) one.ref?.()
      else one.unref?.()
  }

  /** @param {object} request */
  #write(request) {
    this.#engine.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`)
  }
}

/**
 * An engine that is killed in the middle of a line leaves the beginning of it.
 * @param {string} line
 * @returns {any} null for such a line
 */
function answerIn(line) {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
