import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** What `work.ts` says. */
export type Said = {
  readonly ready?: true
  readonly added?: number
  readonly created?: string | null
  readonly stopped?: string
  readonly undone?: string
  readonly refused?: string
}

/** A process of `work.ts`. It writes to its standard error only when something is wrong. */
export class Child {
  readonly said: Said[] = []
  errors = ''
  readonly #child: ChildProcess
  readonly #waiting = new Set<() => void>()

  constructor(work: 'append' | 'import' | 'compact' | 'undo', path: string, name: string) {
    this.#child = spawn(process.execPath, [join(import.meta.dirname, 'work.ts'), work, path, name], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const { stdout, stderr } = this.#child
    if (!stdout || !stderr) throw new Error('no pipe')
    stderr.on('data', (data) => {
      this.errors += String(data)
    })
    createInterface({ input: stdout }).on('line', (line) => {
      // The last line of a killed process may be half.
      if (!line.endsWith('}')) return
      this.said.push(JSON.parse(line) as Said)
      for (const look of this.#waiting) look()
    })
  }

  /** Resolves when it has said something like that. */
  async until(isIt: (said: Said) => boolean): Promise<void> {
    let look = (): void => {}
    const heard = new Promise<void>((resolve) => {
      look = () => {
        if (this.said.some(isIt)) resolve()
      }
    })
    this.#waiting.add(look)
    look()
    await Promise.race([heard, this.#gone()])
    this.#waiting.delete(look)
    if (!this.said.some(isIt)) throw new Error(`it ended before: ${this.errors}`)
  }

  /** As `kill -9` does. */
  async kill(): Promise<void> {
    const gone = this.#gone()
    this.#child.kill('SIGKILL')
    await gone
  }

  async #gone(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    await new Promise((done) => this.#child.once('close', done))
  }
}
