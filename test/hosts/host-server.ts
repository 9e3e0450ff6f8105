import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { nodeBinary } from '#scripts/project.mjs'
import { cliPath } from '#test/builders/built-program.ts'

type Surroundings = { readonly cwd: string; readonly env: NodeJS.ProcessEnv }

/** opencode now and then does not end when it is asked to. */
const PATIENCE_MS = 20_000

/** The server of an agent, as a process, and what it has written of itself and its plugins. */
export class HostServer {
  readonly #child: ChildProcess
  readonly #said: string[] = []

  constructor(command: string, args: readonly string[], { cwd, env }: Surroundings) {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => this.#said.push(text))
  }

  get log(): string {
    return this.#said.join('')
  }

  /** Sends a signal, and waits until the process has ended. One that does not end by itself is killed. */
  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const killing = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE_MS)
    await new Promise<void>((resolve) => {
      this.#child.once('exit', () => resolve())
      this.#child.kill(signal)
    })
    clearTimeout(killing)
  }
}

/** Runs a command of the program that a user has installed. */
export function runLcm(env: NodeJS.ProcessEnv, args: readonly string[]): string {
  const given = { env, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(nodeBinary, [cliPath, ...args], given)
  if (status !== 0 && args[0] !== 'doctor') throw new Error(`lcm ${args.join(' ')}: ${stderr.trim()}`)
  return stdout
}
