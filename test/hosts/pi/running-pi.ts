import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { nodeBinary } from '#scripts/project.mjs'

type Json = Readonly<Record<string, unknown>>

/** A home for Pi: its settings, a scripted model, and an extension file of one line that names the adapter. */
export type PiHome = {
  readonly program: string
  readonly home: string
  readonly work: string
  readonly url: string
  /** The adapter's file, or null for Pi alone. */
  readonly adapter: string | null
  readonly contextWindow: number
  readonly reserveTokens: number
  readonly keepRecentTokens: number
  readonly lcm?: Json
}

const agentFolder = ({ home }: Pick<PiHome, 'home'>): string => join(home, '.pi/agent')
export const sessionFiles = (home: Pick<PiHome, 'home'>): string[] => {
  const folder = join(agentFolder(home), 'sessions')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .map((name) => join(folder, name))
}

export function entriesOf(file: string): (Json & { type: string; id: string })[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line))
}

export function writeHome(given: PiHome): void {
  const agent = agentFolder(given)
  mkdirSync(join(agent, 'extensions'), { recursive: true })
  mkdirSync(given.work, { recursive: true })
  const { url, contextWindow, reserveTokens, keepRecentTokens, lcm } = given
  const model = { id: 'm', name: 'm', contextWindow, maxTokens: 1_000 }
  const provider = { baseUrl: `${url}/v1`, apiKey: 'none', api: 'openai-completions', models: [model] }
  write(join(agent, 'models.json'), { providers: { scripted: provider } })
  const compaction = { enabled: true, reserveTokens, keepRecentTokens }
  write(join(agent, 'settings.json'), { compaction, ...(lcm ? { lcm } : {}), quietStartup: true })
  // RPC has no command to go back in a session.
  const rewind = '(id, ctx) => ctx.navigateTree(id.trim(), { summarize: false })'
  const command = `pi.registerCommand('rewind', { description: 'go back', handler: ${rewind} })`
  writeFileSync(join(agent, 'extensions/rewind.js'), `export default function (pi) { ${command} }\n`)
  writeExtension(given)
}

/** Installs the adapter as a user does, or leaves it out. */
export function writeExtension({ adapter, ...home }: Pick<PiHome, 'home' | 'adapter'>): void {
  const text =
    adapter === null ? 'export default function () {}\n' : `export { default } from ${JSON.stringify(adapter)}\n`
  writeFileSync(join(agentFolder(home), 'extensions/lcm.js'), text)
}

const write = (path: string, value: unknown): void => writeFileSync(path, JSON.stringify(value))

/** Pi in its RPC mode. */
export class RunningPi {
  readonly #child: ChildProcess
  readonly #waiting = new Set<(event: Json) => void>()
  readonly #given = new Set<() => void>()
  readonly events: Json[] = []
  stderr = ''
  #number = 0

  constructor(given: PiHome, args: readonly string[] = []) {
    const path = [dirname(nodeBinary), process.env.PATH ?? ''].join(delimiter)
    const env = { PATH: path, HOME: given.home, LANG: 'C.UTF-8', TERM: 'dumb', PI_OFFLINE: '1' }
    const all = [given.program, '--mode', 'rpc', '--provider', 'scripted', '--model', 'm', ...args]
    this.#child = spawn(nodeBinary, all, { cwd: given.work, env, stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    // Who waits for a Pi that was killed waits no longer.
    this.#child.once('exit', () => {
      for (const giveUp of this.#given) giveUp()
    })
    if (!this.#child.stdout) throw new Error('Pi has no output')
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      if (!line.startsWith('{')) return
      const event = JSON.parse(line) as Json
      this.events.push(event)
      for (const take of this.#waiting) take(event)
    })
  }

  /** Waits for an event. */
  until(matches: (event: Json) => boolean, seconds = 60): Promise<Json> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(take)
        this.#given.delete(giveUp)
      }
      const take = (event: Json): void => {
        if (!matches(event)) return
        done()
        resolve(event)
      }
      const giveUp = (): void => {
        done()
        const last = this.events.slice(-3).map((event) => JSON.stringify(event).slice(0, 300))
        reject(
          new Error(`Pi ended, or did not answer within ${seconds} s. ${last.join('\n')}\n${this.stderr.slice(-1000)}`),
        )
      }
      const timer = setTimeout(giveUp, seconds * 1000)
      this.#waiting.add(take)
      this.#given.add(giveUp)
    })
  }

  async ask(command: Json): Promise<Json> {
    this.#number += 1
    const id = `ask-${this.#number}`
    const answered = this.until((event) => event.type === 'response' && event.id === id)
    this.#child.stdin?.write(`${JSON.stringify({ ...command, id })}\n`)
    const answer = await answered
    if (answer.success !== true) throw new Error(`Pi refused ${command.type}: ${JSON.stringify(answer)}`)
    return (answer.data ?? {}) as Json
  }

  /** Has a prompt answered to its end. */
  async prompt(message: string): Promise<void> {
    await Promise.all([this.until(({ type }) => type === 'agent_settled'), this.ask({ type: 'prompt', message })])
  }

  kill(): Promise<void> {
    return this.#ended(() => this.#child.kill('SIGKILL'))
  }

  close(): Promise<void> {
    return this.#ended(() => this.#child.stdin?.end())
  }

  #ended(end: () => void): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return Promise.resolve()
    return new Promise((resolve) => {
      this.#child.once('exit', () => resolve())
      end()
    })
  }
}
