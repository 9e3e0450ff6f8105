import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** What takes long to make, or to install, is kept here for the next run. */
export const keptPath = (name: string): string => join(tmpdir(), 'lcm-inspector-bench', name)

/** A file or folder that is being made. It gets its name when it is complete, and is removed when it never is. */
export class Draft implements Disposable {
  readonly path: string
  readonly #kept: string

  constructor(kept: string) {
    this.#kept = kept
    this.path = `${kept}-draft-${process.pid}`
    mkdirSync(dirname(kept), { recursive: true })
  }

  keep(): void {
    renameSync(this.path, this.#kept)
  }

  [Symbol.dispose](): void {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${this.path}${suffix}`, { recursive: true, force: true })
  }
}
