import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isNoRoomError, LcmError } from '../errors.ts'
import { startSha256 } from '../hashing.ts'
import { syncFolder } from '../platform.ts'
import { isAlive } from '../sqlite/process-mark.ts'
import { TimeSlice } from '../yielding.ts'
import { filePieces, fileWithin } from './stored-path.ts'

/** Content that stands on disk, under a name of its own, until a row names it. */
export type StagedFile = { readonly path: string }

/** A folder in the store in which content waits for its place. */
const INCOMING = '.incoming'
/** What an import that was killed has left there is removed after this time. */
const ABANDONED_MS = 3_600_000

/**
 * The folder of large files. A file is written once, as a whole, under a name that nobody else uses, and gets its name
 * when it is synced: whoever is killed meanwhile leaves a file without a row at worst, and no row without its file.
 */
export class FileStore {
  readonly root: string
  readonly #isBeside: boolean
  readonly #unsynced = new Set<string>()
  #isTidy = false

  /** @param isBeside the folder is the one beside the memory, which nobody has chosen: it may be no link */
  constructor(root: string, isBeside: boolean) {
    this.root = resolve(root)
    this.#isBeside = isBeside
  }

  /** Writes content piece by piece, so that others have their turn. @throws LcmError disk_full, file_not_readable, cancelled */
  async *stage(
    pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): AsyncGenerator<void, StagedFile> {
    const folder = this.#folder(INCOMING)
    this.#tidy(folder)
    const path = join(folder, `${process.pid}-${randomBytes(8).toString('hex')}`)
    const slice = new TimeSlice(signal)
    const file = this.#try(path, () => openSync(path, 'wx', 0o600))
    let isWhole = false
    try {
      for await (const piece of pieces) {
        this.#try(path, () => writeAll(file, piece))
        if (!slice.isOver) continue
        yield
        await slice.yield()
      }
      this.#try(path, () => fsyncSync(file))
      isWhole = true
    } finally {
      closeSync(file)
      if (!isWhole) rmSync(path, { force: true })
    }
    return { path }
  }

  pathOf(conversationId: number, name: string): string {
    return join(this.root, String(conversationId), basename(name))
  }

  /**
   * Gives a staged file its place, which replaces what an import that was killed has left there. Short enough to stand
   * in a transaction.
   * @returns its path
   */
  place(staged: StagedFile, conversationId: number, name: string): string {
    const folder = this.#folder(String(conversationId))
    const path = this.pathOf(conversationId, name)
    this.#try(path, () => renameSync(staged.path, path))
    this.#unsynced.add(folder)
    return path
  }

  /** Makes sure that files that were given their place keep it. To be called before the rows that name them stand. */
  syncPlaces(): void {
    for (const folder of this.#unsynced) this.#try(folder, () => syncFolder(folder))
    this.#unsynced.clear()
  }

  /** Says whether a file of this store has this content. */
  async *holds(
    path: string,
    expected: { readonly bytes: number; readonly hash: string },
    signal: AbortSignal,
  ): AsyncGenerator<void, boolean> {
    const real = fileWithin(path, this.root)
    if (real === null || statSync(real).size !== expected.bytes) return false
    const slice = new TimeSlice(signal)
    const hash = startSha256()
    for (const piece of filePieces(real)) {
      hash.update(piece)
      if (!slice.isOver) continue
      yield
      await slice.yield()
    }
    return hash.digest('hex') === expected.hash
  }

  discard(staged: StagedFile): void {
    rmSync(staged.path, { force: true })
  }

  /** The real folder below the root, made where it is missing. @throws LcmError when a link leads out of the store */
  #folder(name: string): string {
    const folder = join(this.root, name)
    return this.#try(folder, () => {
      if (this.#isBeside && isLink(this.root)) throw this.#refused(this.root, 'it is a link')
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      if (realpathSync(folder) !== join(realpathSync(this.root), name)) throw this.#refused(folder, 'it is a link')
      syncFolder(this.root)
      return folder
    })
  }

  #tidy(folder: string): void {
    if (this.#isTidy) return
    this.#isTidy = true
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      const stat = lstatSync(path, { throwIfNoEntry: false })
      const isOld = stat?.isFile() && Date.now() - stat.mtimeMs > ABANDONED_MS
      // Files of a large working copy may wait for longer.
      if (isOld && !isAlive(Number.parseInt(name, 10))) unlinkSync(path)
    }
  }

  #try<T>(path: string, body: () => T): T {
    try {
      return body()
    } catch (error) {
      if (error instanceof LcmError) throw error
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
      if (isNoRoomError(error)) {
        throw new LcmError(
          'disk_full',
          `A large file cannot be stored at ${path}: there is no room. Free some space.`,
          {
            path,
          },
        )
      }
      throw this.#refused(path, code)
    }
  }

  #refused(path: string, why: string): LcmError {
    return new LcmError(
      'file_not_readable',
      `Large files cannot be stored at ${path} (${why}). Name another folder with LCM_FILES_DIR, or raise LCM_LARGE_FILE_TOKEN_THRESHOLD.`,
      { path },
    )
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false

/** Where the large files of a memory lie when nothing else is said. */
export const storeBeside = (databasePath: string): string => join(dirname(resolve(databasePath)), 'lcm-files')
