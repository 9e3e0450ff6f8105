import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** What an agent says after each word. */
export type Told = {
  /** Steps of its story that it has written. */
  readonly next: number
  /** Times that SQLite refused it because of somebody else. */
  readonly busy: number
  readonly largestLog: number
  readonly refused?: number
}

/** An agent in a process of its own. */
export class Agent {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  private constructor(child: ChildProcess) {
    this.#child = child
    if (!child.stdout) throw new Error('no pipe')
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  }

  static async start(writer: string, path: string, seed: number, already = 0): Promise<Agent> {
    const args = [join(import.meta.dirname, 'agent.ts'), writer, path, String(seed), String(already)]
    const agent = new Agent(spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }))
    await agent.#told()
    return agent
  }

  tell(words: string): Promise<Told> {
    this.#child.stdin?.write(`${words}\n`)
    return this.#told()
  }

  async #told(): Promise<Told> {
    const { value } = await this.#lines.next()
    return JSON.parse(value as string) as Told
  }

  get isGone(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}
