import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/**
 * @typedef {import('#core/doors/library/api.ts').Lcm} Lcm
 * @typedef {Pick<Lcm, 'ingest' | 'assemble' | 'compact' | 'recall' | 'status' | 'job' | 'call' | 'close'>} Memory
 * @typedef {{ readonly signal?: AbortSignal }} CallOptions
 */

/** At most this long is waited for the engine to end by itself. */
const PATIENCE_MS = 20_000

/**
 * Starts `lcm engine`, for hosts in which the library cannot be loaded (docs/engine.md). What it answers is the same.
 * @param {{ readonly node: string, readonly cli: string, readonly memory: string, readonly agent: string,
 *   readonly summarizer?: string }} given
 * @returns {Memory}
 */
export function startEngine({ node, cli, memory, agent, summarizer = 'deterministic' }) {
  const args = [cli, 'engine', '--stdio', '--db', memory, '--agent', agent, '--summarizer', summarizer]
  const engine = spawn(node, [...args, '--no-auto-compact'], { stdio: ['pipe', 'pipe', 'pipe'] })
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  const open = new Map()
  let lastId = 0
  let said = ''
  /** @type {Error | null} */
  let ended = null
  engine.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
    said = (said + text).slice(-1000)
  })
  engine.stdin.on('error', () => undefined)
  const exited = new Promise((resolve) => {
    /** @param {string} why */
    const end = (why) => {
      ended = new Error(said.trim().split('\n').at(-1) || why)
      for (const { reject } of open.values()) reject(ended)
      open.clear()
      resolve(undefined)
    }
    engine.once('error', (error) => end(error.message))
    engine.once('close', (code) => end(`lcm engine ended with ${code}`))
  })
  createInterface({ input: engine.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line)
    const asked = open.get(id)
    open.delete(id)
    hold()
    if (error) asked?.reject(Object.assign(new Error(error.message), { code: error.data?.code }))
    else asked?.resolve(result)
  })

  // A host that has nothing else to do ends, and the engine with it. While something is asked, the host waits for it.
  const streams = /** @type {readonly { ref?(): void, unref?(): void }[]} */ ([
    ...[engine, engine.stdin, engine.stdout, engine.stderr],
  ])
  const hold = () => {
    for (const one of streams)
      if (open.size > 0) one.ref?.()
      else one.unref?.()
  }
  hold()

  /** @param {unknown} request */
  const write = (request) => engine.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...Object(request) })}\n`)

  /**
   * @param {string} method
   * @param {unknown} params
   * @param {CallOptions} [options]
   * @returns {Promise<any>}
   */
  const ask = (method, params, { signal } = {}) =>
    new Promise((resolve, reject) => {
      if (ended !== null) return reject(ended)
      lastId += 1
      const id = lastId
      open.set(id, { resolve, reject })
      hold()
      signal?.addEventListener('abort', () => write({ method: '$/cancelRequest', params: { id } }), { once: true })
      write({ id, method, params: params ?? {} })
    })

  return {
    ingest: (input, options) => ask('ingest', input, options),
    assemble: (input, options) => ask('assemble', input, options),
    compact: (input, options) => ask('compact', input, options),
    recall: (input, options) => ask('recall', input, options),
    status: (input) => ask('status', input),
    job: /** @type {Lcm['job']} */ ((spec, options) => ask('job', spec, options)),
    call: (name, input, options) => ask(name, input, options),
    async close() {
      for (const one of streams) one.ref?.()
      engine.stdin.end()
      const timer = setTimeout(() => engine.kill(), PATIENCE_MS)
      await exited
      clearTimeout(timer)
    },
  }
}
