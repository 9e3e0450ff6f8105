import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { migrations } from '#core/sqlite/native.ts'

/** What takes long to make, or to install, is kept here for the next run. */
export const keptPath = (name: string): string => join(tmpdir(), 'lcm-inspector-bench', name)

/**
 * The name of a memory of our own that is kept, with every version of its tables: a build must not be measured on a file
 * that another build made in a different version.
 */
export const withSchema = (name: string): string =>
  `${name}-${createHash('sha256').update(migrations.join('')).digest('hex').slice(0, 8)}`

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
