/** Content that is kept under its SHA-256. The time is null where the store does not say it readably. */
export type StoredObject = { readonly hash: string; readonly bytes: number; readonly modifiedAtMs: number | null }

/** Content that is in use again becomes new, so that nobody takes it for left over: see `orphans.ts`. */
export const RENEWED_AFTER_MS = 12 * 3_600_000

/** A store of large files beside PostgreSQL: in a folder, or behind the protocol of S3. */
export type ObjectStore = {
  /** Where it is, for people. It holds no key. */
  readonly shown: string
  stat(hash: string): Promise<StoredObject | null>
  /**
   * Stores content, unless it is there already. `open` may be called more than once.
   * @throws LcmError server_failed when the store does not hold afterwards what it was given
   */
  put(
    content: { readonly hash: string; readonly bytes: number; open(): Iterable<Uint8Array> },
    signal: AbortSignal,
  ): Promise<void>
  /**
   * The content, a piece at a time. Whoever reads it compares the hash.
   * @throws LcmError not_found when it is not there, server_failed when it is longer or shorter than `bytes`
   */
  get(hash: string, bytes: number, signal: AbortSignal): AsyncIterable<Uint8Array>
  list(signal: AbortSignal): AsyncIterable<StoredObject>
  remove(hash: string): Promise<void>
}
