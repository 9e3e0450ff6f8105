import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { TranscriptFormatId } from '#core/contract/import.ts'
import type { ConnectedAgent } from '#core/host/connections/agents.ts'
import { HookFolder } from '#core/host/hooks/hook-folder.ts'
import { nodeBinary } from '#scripts/project.mjs'
import { cliPath } from '#test/builders/built-program.ts'
import { type Agent, agents } from '#test/real-agents/agents.ts'
import type { ModelServer } from '#test/real-agents/model-server.ts'
import { NotRun, Sandbox } from '#test/real-agents/sandbox.ts'

/** How an agent with hooks is tried. */
export type HookedHost = {
  readonly format: ConnectedAgent
  /** Makes a session compact after each turn, where that is a setting. */
  readonly prepare: (box: Sandbox) => void
  readonly compact: (agent: Agent, turn: number, place: ReturnType<Sandbox['place']>) => ReturnType<Agent['ask']> | null
  /** What lets hooks run that nobody has looked at. */
  readonly trust: readonly string[]
}

const hosts: readonly HookedHost[] = [
  {
    format: 'claude-code',
    prepare: () => undefined,
    compact: (agent, turn, place) => agent.ask('/compact', turn, place),
    trust: [],
  },
  {
    format: 'codex',
    // Each request costs 1,200 tokens and 10 for each message: every session that goes on is above this.
    prepare: ({ home }) => {
      const settings = join(home, '.codex/config.toml')
      writeFileSync(settings, `model_auto_compact_token_limit = 1220\n${readFileSync(settings, 'utf8')}`)
    },
    compact: () => null,
    trust: ['--dangerously-bypass-hook-trust'],
  },
]

/** @throws Error for a format that no agent here writes */
export function agentOf(format: TranscriptFormatId): Agent {
  const agent = agents.find((one) => one.format === format)
  if (agent === undefined) throw new Error(`${format} is no agent that is tried.`)
  return agent
}

/** The programs of the agents that can be tried. */
export const hookedPrograms: readonly string[] = hosts.map(({ format }) => agentOf(format).program)

/** An agent by its program, or as "lcm install" calls it. */
export const hookedHost = (name: string): HookedHost | undefined =>
  hosts.find(({ format }) => format === name || agentOf(format).program === name)

/** For everything that is done in one home. */
const SECONDS_AT_MOST = 3600
/** What hooks have left is imported after this time. */
const SETTLED_LOOKS = 240
const LOOK_MS = 250

export type RunOptions = {
  readonly server: ModelServer
  readonly folder: string
  /** The folder in which the agent is installed. */
  readonly programs: string
  readonly isConnected: boolean
  readonly compacts: boolean
}

/** An agent with hooks in a home of its own, and its one session. */
export class HookedRun {
  readonly #host: HookedHost
  readonly #agent: Agent
  readonly #box: Sandbox
  readonly #options: RunOptions
  readonly memory: string
  #turn = 0

  constructor(host: HookedHost, options: RunOptions) {
    this.#host = host
    this.#options = options
    this.#agent = { ...agentOf(host.format), secondsAtMost: SECONDS_AT_MOST }
    this.#box = new Sandbox(options.folder, this.#agent, options.programs)
    this.memory = join(this.#box.home, 'lcm.db')
  }

  get sessions(): string {
    return join(this.#box.home, this.#agent.sessions)
  }

  get format(): ConnectedAgent {
    return this.#host.format
  }

  /** Writes the settings of the agent, and connects it as its page in docs/hosts says. */
  async begin(): Promise<void> {
    for (const command of this.#agent.prepare(this.#place)) await this.#box.run(command)
    if (this.#options.compacts) this.#host.prepare(this.#box)
    if (!this.#options.isConnected) return
    // An agent has its settings once it was started.
    if (this.#host.format === 'claude-code') await this.ask('Hello.')
    const { status, stderr } = this.lcm(['install', this.#host.format, '--db', this.memory, '--yes'])
    if (status !== 0) throw new NotRun(`lcm install: ${stderr.trim()}`)
  }

  /** Has a prompt answered to its end. */
  async ask(prompt: string): Promise<void> {
    await this.#box.run(this.#command(this.#agent.ask(prompt, this.#turn, this.#place)))
    this.#turn += 1
  }

  async compact(): Promise<void> {
    const command = this.#host.compact(this.#agent, this.#turn, this.#place)
    if (command !== null) await this.#box.run(this.#command(command))
  }

  /** Kills the agent and its hooks at a moment of a turn. */
  askAndKill(prompt: string, afterMs: number): Promise<void> {
    return this.#box.runAndKill(this.#command(this.#agent.ask(prompt, this.#turn, this.#place)), afterMs)
  }

  lcm(args: readonly string[]) {
    const env = { PATH: process.env.PATH, HOME: this.#box.home, LCM_DATA_DIR: this.#data }
    return spawnSync(nodeBinary, [cliPath, ...args], { env, encoding: 'utf8' })
  }

  /** The last hook leaves its import to a process that ends after the agent. */
  async settled(): Promise<void> {
    const hooks = new HookFolder(this.#data, this.memory)
    for (let look = 0; look < SETTLED_LOOKS && (hooks.isBeingEmptied || hooks.isWaiting); look += 1)
      await setTimeout(LOOK_MS)
  }

  end(): void {
    this.#box.endAll()
  }

  get #place(): ReturnType<Sandbox['place']> {
    return this.#box.place(this.#options.server.url)
  }

  get #data(): string {
    return join(this.#box.home, 'lcm-data')
  }

  #command({ args, env }: ReturnType<Agent['ask']>): ReturnType<Agent['ask']> {
    return {
      args: [...args, ...(this.#options.isConnected ? this.#host.trust : [])],
      env: { ...env, LCM_DATA_DIR: this.#data },
    }
  }
}
