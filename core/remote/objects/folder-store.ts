import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { LcmError } from '#core/errors.ts'
import { filePieces } from '#core/files/stored-path.ts'
import { isHash } from '#core/hashing.ts'
import { fileError } from '#core/sqlite/memory-file.ts'
import { yieldToOthers } from '#core/yielding.ts'
import { type ObjectStore, RENEWED_AFTER_MS, type StoredObject } from './object-store.ts'

const CANCELLED = 'A large file was not stored: it was cancelled.'

/** A folder, such as one that all machines of a cluster share. */
export class FolderStore implements ObjectStore {
  readonly shown: string

  constructor(folder: string) {
    this.shown = resolve(folder)
  }

  async stat(hash: string): Promise<StoredObject | null> {
    const found = statSync(this.#path(hash), { throwIfNoEntry: false })
    return found?.isFile() ? { hash, bytes: found.size, modifiedAtMs: found.mtimeMs } : null
  }

  async put({ hash, bytes, open }: Parameters<ObjectStore['put']>[0], signal: AbortSignal): Promise<void> {
    const path = this.#path(hash)
    const there = await this.stat(hash)
    if (there?.bytes === bytes) {
      const now = Date.now() / 1000
      if (Date.now() - (there.modifiedAtMs ?? 0) >= RENEWED_AFTER_MS) utimesSync(path, now, now)
      return
    }
    const waiting = `${path}.${randomBytes(8).toString('hex')}`
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      const file = openSync(waiting, 'wx', 0o600)
      try {
        for (const piece of open()) {
          for (let done = 0; done < piece.length; ) done += writeSync(file, piece, done)
          await yieldToOthers(signal, CANCELLED)
        }
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      renameSync(waiting, path)
    } catch (error) {
      rmSync(waiting, { force: true })
      throw fileError(error, path)
    }
  }

  async *get(hash: string, bytes: number): AsyncGenerator<Uint8Array> {
    const there = await this.stat(hash)
    if (there === null) throw new LcmError('not_found', `The large file ${hash} is not in ${this.shown}.`)
    if (there.bytes !== bytes) {
      throw new LcmError(
        'server_failed',
        `The large file ${hash} in ${this.shown} is not the one that was stored: it has ${there.bytes} bytes.`,
      )
    }
    yield* filePieces(this.#path(hash))
  }

  async *list(): AsyncGenerator<StoredObject> {
    for (const name of namesIn(this.shown)) {
      if (!/^[0-9a-f]{2}$/.test(name)) continue
      for (const hash of namesIn(join(this.shown, name))) {
        const found = isHash(hash) && hash.startsWith(name) ? await this.stat(hash) : null
        if (found !== null) yield found
      }
    }
  }

  async remove(hash: string): Promise<void> {
    rmSync(this.#path(hash), { force: true })
  }

  #path(hash: string): string {
    return join(this.shown, hash.slice(0, 2), hash)
  }
}

/** A folder that nothing was stored in yet is empty. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw fileError(error, folder)
  }
}
