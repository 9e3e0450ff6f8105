import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { HostServer, runLcm } from '../host-server.ts'

type Json = Readonly<Record<string, unknown>>

/** A home for opencode, with a scripted model. */
export type OpenCodeHome = {
  readonly program: string
  readonly folder: string
  readonly url: string
  /** In tokens; the model answers with at most 500. */
  readonly contextTokens: number
}

export type Message = {
  readonly info: { readonly id: string; readonly role: string; readonly sessionID: string; readonly summary?: unknown }
  readonly parts: readonly { readonly type: string; readonly text?: string }[]
}

export const memoryOf = ({ folder }: OpenCodeHome): string => join(folder, 'home/lcm.db')
export const databaseOf = ({ folder }: OpenCodeHome): string => join(folder, 'home/.local/share/opencode/opencode.db')

const environment = ({ folder }: OpenCodeHome): NodeJS.ProcessEnv => ({
  ...{ PATH: process.env.PATH, HOME: join(folder, 'home'), LANG: 'C.UTF-8', TERM: 'dumb' },
  ...{ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
  ...{ LCM_DATA_DIR: join(folder, 'home/lcm-data'), LCM_LEAF_CHUNK_TOKENS: '2000' },
})

export function writeHome(home: OpenCodeHome): void {
  const work = join(home.folder, 'work')
  for (const made of [work, join(home.folder, 'home/.config/opencode')]) mkdirSync(made, { recursive: true })
  const options = { baseURL: `${home.url}/v1`, apiKey: 'none' }
  const models = { m: { name: 'm', limit: { context: home.contextTokens, output: 500 } } }
  const provider = { scripted: { npm: '@ai-sdk/openai-compatible', options, models } }
  const settings = { provider, model: 'scripted/m', autoupdate: false, share: 'disabled', permission: 'allow' }
  writeFileSync(join(work, 'opencode.json'), JSON.stringify(settings))
}

export const lcm = (home: OpenCodeHome, args: readonly string[]): string => runLcm(environment(home), args)

/** opencode as a server, as its window starts it. */
export class RunningOpenCode {
  readonly #server: HostServer
  readonly #url: string

  private constructor(server: HostServer, url: string) {
    this.#server = server
    this.#url = url
  }

  static async start(home: OpenCodeHome): Promise<RunningOpenCode> {
    const port = await freePort()
    const surroundings = { cwd: join(home.folder, 'work'), env: environment(home) }
    const server = new HostServer(
      home.program,
      ['serve', '--port', String(port), '--print-logs', '--log-level', 'WARN'],
      surroundings,
    )
    const running = new RunningOpenCode(server, `http://127.0.0.1:${port}`)
    // A request that comes before the server is ready is never answered.
    for (let look = 0; look < 60; look += 1) {
      try {
        await running.#ask('GET', '/session', undefined, 4_000)
        return running
      } catch {
        await setTimeout(500)
      }
    }
    throw new Error(`opencode does not answer: ${running.log.slice(-500)}`)
  }

  get log(): string {
    return this.#server.log
  }

  async #ask(method: string, path: string, body?: Json, timeoutMs = 60_000): Promise<unknown> {
    const answer = await fetch(this.#url + path, {
      method,
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (!answer.ok) throw new Error(`opencode refused ${method} ${path}: ${(await answer.text()).slice(0, 300)}`)
    return answer.json()
  }

  async newSession(): Promise<string> {
    return ((await this.#ask('POST', '/session', {})) as { id: string }).id
  }

  async sessions(): Promise<string[]> {
    return ((await this.#ask('GET', '/session')) as { id: string }[]).map(({ id }) => id)
  }

  /** Has a prompt answered to its end. */
  async prompt(session: string, text: string): Promise<void> {
    const { info } = (await this.#ask('POST', `/session/${session}/message`, { parts: [{ type: 'text', text }] })) as {
      info?: { error?: unknown }
    }
    if (info?.error) throw new Error(`opencode failed: ${JSON.stringify(info.error).slice(0, 300)}`)
  }

  async messages(session: string): Promise<Message[]> {
    return (await this.#ask('GET', `/session/${session}/message`)) as Message[]
  }

  async fork(session: string, messageID?: string): Promise<string> {
    const given = messageID === undefined ? {} : { messageID }
    return ((await this.#ask('POST', `/session/${session}/fork`, given)) as { id: string }).id
  }

  revert(session: string, messageID: string): Promise<unknown> {
    return this.#ask('POST', `/session/${session}/revert`, { messageID })
  }

  /** What `/compact` does. */
  compact(session: string): Promise<unknown> {
    return this.#ask('POST', `/session/${session}/summarize`, { providerID: 'scripted', modelID: 'm' })
  }

  kill(): Promise<void> {
    return this.#server.end('SIGKILL')
  }

  /** Ends it as it ends by itself: its plugins are told. */
  async close(): Promise<void> {
    await this.#ask('POST', '/instance/dispose', {}).catch(() => undefined)
    await this.#server.end('SIGTERM')
  }
}
