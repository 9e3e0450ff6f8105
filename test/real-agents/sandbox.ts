import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { nodeBinary } from '#scripts/project.mjs'
import type { Agent, Command, Place } from './agents.ts'

/** An agent that could not be installed or did not do what it was asked, in one line. */
export class NotRun extends Error {}

const SECONDS_AT_MOST = 240

/** A folder of its own for one agent: its program, its home and its work. */
export class Sandbox {
  readonly #folder: string
  /** Where the agent is installed. */
  readonly #programs: string
  readonly #agent: Agent
  /** When everything with this agent has to have ended, on the clock of the process. */
  readonly #untilMs: number
  readonly home: string
  readonly work: string

  /** @param programs the folder of another sandbox, whose agent is used instead of installing one */
  constructor(folder: string, agent: Agent, programs = folder) {
    this.#folder = folder
    this.#programs = programs
    this.#agent = agent
    this.#untilMs = performance.now() + 1000 * (agent.secondsAtMost ?? SECONDS_AT_MOST)
    this.home = join(folder, 'home')
    this.work = join(folder, 'work')
    for (const made of [this.home, this.work]) mkdirSync(made, { recursive: true })
  }

  place(url: string): Place {
    return { home: this.home, work: this.work, url }
  }

  /** Installs a version of the agent, and returns the version that was installed. */
  async install(wanted: string): Promise<string> {
    const { package: name, needs } = this.#agent
    const args = [
      'install',
      '--prefix',
      this.#folder,
      '--no-audit',
      '--no-fund',
      `${name}@${wanted}`,
      ...(needs ? [needs] : []),
    ]
    await this.#run('npm', args, { ...process.env, ...this.#home() }, this.#folder)
    const manifest = join(this.#folder, 'node_modules', name, 'package.json')
    if (!existsSync(manifest)) throw new NotRun(`npm installed no ${name}@${wanted}`)
    return JSON.parse(readFileSync(manifest, 'utf8')).version
  }

  /** Runs a command of the agent to its end, in a home that it has for itself. */
  async run({ args, env = {} }: Command): Promise<void> {
    const { program, own } = this.#program(env)
    await this.#run(program, args, own, this.work)
  }

  /** Runs a command of the agent, and kills it with all that it has started when it has not ended after a time. */
  async runAndKill({ args, env = {} }: Command, afterMs: number): Promise<void> {
    const { program, own } = this.#program(env)
    const child = spawn(program, args, { cwd: this.work, env: own, detached: true, stdio: 'ignore' })
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const timer = setTimeout(() => endGroup(child), afterMs)
    await ended
    clearTimeout(timer)
    endGroup(child)
  }

  #program(env: NonNullable<Command['env']>) {
    const program = join(this.#programs, 'node_modules', '.bin', this.#agent.program)
    const path = [dirname(program), dirname(nodeBinary), process.env.PATH ?? ''].join(delimiter)
    return { program, own: { PATH: path, LANG: 'C.UTF-8', TERM: 'dumb', ...this.#home(), ...env } }
  }

  #home(): Readonly<Record<string, string>> {
    const cache = join(homedir(), '.npm')
    return { HOME: this.home, USERPROFILE: this.home, TMPDIR: this.#folder, npm_config_cache: cache }
  }

  /** Ends what an agent left running: programs whose home is that of this sandbox. */
  endAll(): void {
    if (!existsSync('/proc')) return
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
        if (variables.includes(`HOME=${this.home}`)) process.kill(Number(pid), 'SIGKILL')
      } catch {
        // It has ended, or belongs to somebody else.
      }
    }
  }

  #run(program: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<void> {
    return new Promise((resolve, reject) => {
      // A group of its own, so that its children end with it.
      const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
      let said = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8')
        stream.on('data', (text: string) => {
          said = (said + text).slice(-4000)
        })
      }
      const timer = setTimeout(
        () => {
          endGroup(child)
          const command = [program.split('/').at(-1), ...args].join(' ').slice(0, 60)
          reject(
            new NotRun(`"${command}" had not ended after ${this.#agent.secondsAtMost ?? SECONDS_AT_MOST} s in all`),
          )
        },
        Math.max(0, this.#untilMs - performance.now()),
      )
      child.on('error', (error) => {
        clearTimeout(timer)
        reject(new NotRun(error.message))
      })
      // The streams may stay open in a child that was left behind.
      child.on('exit', (code, signal) => {
        clearTimeout(timer)
        endGroup(child)
        if (code === 0) resolve()
        else reject(new NotRun(`${program.split('/').at(-1)} ended with ${signal ?? code}: ${lastLine(said)}`))
      })
    })
  }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The whole group has ended.
  }
}

/** Behind what went wrong, npm says where its log is. */
function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  const said = lines.filter((line) => line !== '' && !line.includes('A complete log of this run'))
  const last = said.findLast((line) => line.includes('No matching version')) ?? said.at(-1)
  return last?.slice(0, 160) ?? 'no word'
}
