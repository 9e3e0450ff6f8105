import { rmSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { FileStore, StagedFile } from './file-store.ts'

/**
 * The large files of a memory that is being made. They get their places in the store when the memory gets its name, so
 * that a memory that is given up, or whose process is killed, leaves no files that no row names.
 */
export class NewMemoryStore {
  readonly #store: FileStore
  /** By the path that a file will have. */
  readonly #waiting = new Map<string, StagedFile>()
  /** Paths at which nothing was before, with the inodes that stand there now. */
  readonly #placed = new Map<string, bigint>()

  constructor(store: FileStore) {
    this.#store = store
  }

  stage(pieces: Iterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<void, StagedFile> {
    return this.#store.stage(pieces, signal)
  }

  discard(staged: StagedFile): void {
    this.#store.discard(staged)
  }

  /** Returns the path that the file will have. */
  place(staged: StagedFile, conversationId: number, name: string): string {
    const path = this.#store.pathOf(conversationId, name)
    this.#waiting.set(path, staged)
    return path
  }

  /** There is nothing to be synced before `placeAll`. */
  syncPlaces(): void {}

  /** See `FileStore.holds`. A file that waits for its place counts as if it were there. */
  holds(
    path: string,
    expected: { readonly bytes: number; readonly hash: string },
    signal: AbortSignal,
  ): AsyncGenerator<void, boolean> {
    return this.#store.holds(this.#waiting.get(path)?.path ?? path, expected, signal)
  }

  /** Gives all files their places. @throws LcmError disk_full, file_not_readable */
  placeAll(): void {
    for (const [path, staged] of this.#waiting) {
      const isNew = inodeAt(path) === null
      this.#store.place(staged, Number(basename(dirname(path))), basename(path))
      this.#waiting.delete(path)
      const inode = inodeAt(path)
      if (isNew && inode !== null) this.#placed.set(path, inode)
    }
    this.#store.syncPlaces()
  }

  /** Removes all files of a memory that was given up, but none that was there before or that another process put there. */
  removeAll(): void {
    for (const staged of this.#waiting.values()) this.#store.discard(staged)
    for (const [path, inode] of this.#placed) if (inodeAt(path) === inode) rmSync(path, { force: true })
    this.#waiting.clear()
    this.#placed.clear()
  }
}

const inodeAt = (path: string): bigint | null => statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null
