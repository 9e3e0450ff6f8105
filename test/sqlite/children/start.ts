import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { asOrdinaryUser } from '#test/builders/ordinary-user.ts'

/** Another process with a memory open. `tell` resolves when the process has obeyed. */
export class Writer {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  private constructor(child: ChildProcess) {
    this.#child = child
    if (!child.stdout) throw new Error('no pipe')
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  }

  static async start(path: string, journal: 'WAL' | 'DELETE' = 'WAL'): Promise<Writer> {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'writer.ts'), path, journal], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const writer = new Writer(child)
    await writer.#lines.next()
    return writer
  }

  async tell(...words: ('write' | 'begin' | 'spill' | 'commit' | 'checkpoint')[]): Promise<void> {
    for (const word of words) {
      this.#child.stdin?.write(`${word}\n`)
      await this.#lines.next()
    }
  }

  /** Has it write, close and open for ever; tell it nothing more but to crash. */
  work(): void {
    this.#child.stdin?.write('work\n')
  }

  /** Has it commit as often as it can; tell it nothing more but to crash. */
  hurry(): void {
    this.#child.stdin?.write('hurry\n')
  }

  /** Ends it as `kill -9` does, or in good order. */
  async end(how: 'crash' | 'close'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = new Promise((done) => this.#child.once('close', done))
    this.#child.stdin?.write(`${how}\n`)
    await gone
  }
}

export type Look = {
  readonly readOnly?: boolean
  readonly readOnlyReason?: string | null
  readonly access?: string
  readonly messages?: number
  readonly error?: { readonly code: string; readonly message: string }
}

/** Opens the memory in a process without special rights: root may read and write whatever it likes. */
export function lookAsOrdinaryUser(path: string, cacheDir: string): Look {
  const { command, args, options } = asOrdinaryUser([join(import.meta.dirname, 'look.ts'), path, cacheDir])
  const run = spawnSync(command, args, { encoding: 'utf8', ...options })
  if (run.status !== 0) throw new Error(run.stderr)
  return JSON.parse(run.stdout) as Look
}
