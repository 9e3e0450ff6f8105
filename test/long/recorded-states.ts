import { statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { copyOf } from './copied-folder.ts'
import { memoryIn, runWork, type Work } from './works.ts'
import { type Write, watchingWrites } from './write-points.ts'

/** The files of a work right before a write. */
export type State = {
  readonly folder: string
  readonly write: number
  /** Paths in the folder whose content, or whose name, was not synced. */
  readonly contents: readonly string[]
  readonly names: readonly string[]
  /** So many bytes of the log were synced when it was copied into the memory. */
  readonly keptLogBytes: number
}

/** Does a work, and copies its folder right before one of `every` writes. */
export async function recordStates(work: Work, folder: string, every: number): Promise<State[]> {
  const states: State[] = []
  const unsynced = new Unsynced(folder)
  let writes = 0
  const onWrite = (write: Write): void => {
    writes += 1
    unsynced.look()
    if (writes % every === 0) states.push({ folder: copyOf(folder), write: writes, ...unsynced.now() })
    unsynced.follow(write)
  }
  await watchingWrites(onWrite, () => runWork(work, folder))
  return states
}

/** Follows which contents and names the disk need not have yet. */
class Unsynced {
  readonly #folder: string
  readonly #contents = new Set<string>()
  readonly #names = new Set<string>()
  #memory = ''
  #keptLogBytes = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  /** When the memory itself changed, SQLite had synced its log before. */
  look(): void {
    const path = memoryIn(this.#folder)
    const stat = statSync(path, { throwIfNoEntry: false })
    const now = stat === undefined ? '' : `${stat.mtimeMs} ${stat.size}`
    const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (now !== this.#memory || logBytes < this.#keptLogBytes) this.#keptLogBytes = logBytes
    this.#memory = now
  }

  follow(write: Write): void {
    if (write.kind === 'statement') return
    const { kind, path } = write
    if (kind === 'create') this.#names.add(path)
    if (kind === 'write') this.#contents.add(path)
    if (kind === 'remove') this.#names.delete(path)
    if (kind === 'sync') {
      this.#contents.delete(path)
      for (const name of this.#names) if (join(name, '..') === path) this.#names.delete(name)
    }
    if (kind !== 'rename' && kind !== 'link') return
    if (this.#contents.has(path)) this.#contents.add(write.to)
    this.#names.add(write.to)
    if (kind === 'rename') for (const known of [this.#contents, this.#names]) known.delete(path)
  }

  now(): Pick<State, 'contents' | 'names' | 'keptLogBytes'> {
    const inside = (paths: ReadonlySet<string>): string[] => [...paths].map((path) => relative(this.#folder, path))
    return { contents: inside(this.#contents), names: inside(this.#names), keptLogBytes: this.#keptLogBytes }
  }
}
