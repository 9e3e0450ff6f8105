import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { inProject, nodeBinary } from '#scripts/project.mjs'

type Surroundings = { readonly cwd: string; readonly env: NodeJS.ProcessEnv }

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

  /** Sends a signal, and waits until the process has ended. */
  end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return Promise.resolve()
    return new Promise((resolve) => {
      this.#child.once('exit', () => resolve())
      this.#child.kill(signal)
    })
  }
}

/** Runs a command of the program that a user has installed. */
export function runLcm(env: NodeJS.ProcessEnv, args: readonly string[]): string {
  const given = { env, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(nodeBinary, [inProject('out/main/cli.js'), ...args], given)
  if (status !== 0 && args[0] !== 'doctor') throw new Error(`lcm ${args.join(' ')}: ${stderr.trim()}`)
  return stdout
}
