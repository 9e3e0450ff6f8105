import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { nodeBinary } from '#scripts/project.mjs'
import { freePort } from '../free-port.ts'
import { HostServer, runLcm } from '../host-server.ts'

/** A home for OpenClaw, with a scripted model. */
export type OpenClawHome = {
  readonly program: string
  readonly folder: string
  readonly url: string
  /** In tokens. */
  readonly contextTokens: number
}

export const memoryOf = ({ folder }: OpenClawHome): string => join(folder, 'home/lcm.db')
export const databaseOf = ({ folder }: OpenClawHome): string =>
  join(folder, 'home/.openclaw/agents/main/agent/openclaw-agent.sqlite')

const environment = ({ folder }: OpenClawHome): NodeJS.ProcessEnv => ({
  ...{ PATH: process.env.PATH, HOME: join(folder, 'home'), LANG: 'C.UTF-8', TERM: 'dumb' },
  ...{ OPENCLAW_SKIP_CHANNELS: '1', NO_COLOR: '1' },
  ...{ LCM_DATA_DIR: join(folder, 'home/lcm-data'), LCM_LEAF_CHUNK_TOKENS: '2000' },
})

export function writeHome({ folder, url, contextTokens }: OpenClawHome): void {
  const settings = join(folder, 'home/.openclaw')
  for (const made of [settings, join(folder, 'work')]) mkdirSync(made, { recursive: true })
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  const model = {
    id: 'm',
    name: 'm',
    reasoning: false,
    input: ['text'],
    contextWindow: contextTokens,
    maxTokens: 500,
    cost,
  }
  const provider = { baseUrl: `${url}/v1`, apiKey: 'none', api: 'openai-completions', models: [model] }
  const document = {
    models: { mode: 'merge', providers: { scripted: provider } },
    agents: {
      defaults: {
        model: { primary: 'scripted/m' },
        workspace: join(folder, 'work'),
        // A summary that says none of the facts is taken as it is.
        compaction: { qualityGuard: { enabled: false } },
      },
    },
    gateway: {
      ...{ mode: 'local', bind: 'loopback', auth: { mode: 'token', token: 'local' } },
      http: { endpoints: { chatCompletions: { enabled: true } } },
    },
    // Its tools stand in the request, not behind a search for tools.
    tools: { toolSearch: false },
  }
  writeFileSync(join(settings, 'openclaw.json'), JSON.stringify(document))
}

export const lcm = (home: OpenClawHome, args: readonly string[]): string => runLcm(environment(home), args)

const MOST_REFUSED = 5

/** OpenClaw's gateway. */
export class RunningOpenClaw {
  readonly #server: HostServer
  readonly #url: string

  private constructor(server: HostServer, url: string) {
    this.#server = server
    this.#url = url
  }

  static async start(home: OpenClawHome): Promise<RunningOpenClaw> {
    const port = await freePort()
    const surroundings = { cwd: join(home.folder, 'work'), env: environment(home) }
    const server = new HostServer(nodeBinary, [home.program, 'gateway', 'run', '--port', String(port)], surroundings)
    const running = new RunningOpenClaw(server, `http://127.0.0.1:${port}`)
    for (let look = 0; look < 480; look += 1) {
      if (/\[gateway\] ready/.test(running.log)) return running
      await setTimeout(500)
    }
    throw new Error(`OpenClaw does not begin: ${running.log.slice(-800)}`)
  }

  get log(): string {
    return this.#server.log
  }

  /**
   * Has a prompt answered to its end. After a kill OpenClaw mends its sessions when it starts again, and refuses a prompt
   * that comes meanwhile: it is given once more then.
   */
  async prompt(session: string, content: string): Promise<string> {
    for (let refused = 0; ; refused += 1) {
      const { ok, text } = await this.#ask(session, content)
      if (ok) return JSON.parse(text).choices?.[0]?.message?.content ?? ''
      const said = this.log.slice(-2_000)
      if (refused === MOST_REFUSED || !/SessionWorkStartChanged/.test(said))
        throw new Error(`OpenClaw refused: ${text.slice(0, 300)} It said: ${said}`)
      await setTimeout(1_000)
    }
  }

  async #ask(session: string, content: string): Promise<{ readonly ok: boolean; readonly text: string }> {
    const answer = await fetch(`${this.#url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        ...{ authorization: 'Bearer local', 'content-type': 'application/json' },
        'x-openclaw-session-key': `agent:main:explicit:${session}`,
      },
      signal: AbortSignal.timeout(120_000),
      body: JSON.stringify({ model: 'openclaw', messages: [{ role: 'user', content }] }),
    })
    return { ok: answer.ok, text: await answer.text() }
  }

  kill(): Promise<void> {
    return this.#server.end('SIGKILL')
  }

  close(): Promise<void> {
    return this.#server.end('SIGTERM')
  }
}
