import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { LcmError } from '../errors.ts'
import { FileStore, storeBeside } from '../files/file-store.ts'
import { startSha256 } from '../hashing.ts'
import type { Query } from '../postgres/connect.ts'
import type { ConversationKey } from '../postgres/conversation-rows.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { fileRows, type StoredFileRow } from '../systems/records/files.ts'
import { isHash, type ObjectStore } from './objects/object-store.ts'
import type { Store } from './remote-stores.ts'

type Files = {
  readonly db: ReadDb
  /** Where the memory will stand; large files lie beside it. */
  readonly to: string
  readonly query: Query
  readonly key: ConversationKey
  readonly rows: Store['rows']
  readonly objects: ObjectStore | null
}

/** A file whose content could not be had, and why. */
type Unavailable = { readonly id: string; readonly reason: string }

/**
 * Fetches the large files that are not beside the memory yet, a piece at a time, and compares them with their hashes.
 * @returns those whose content is not to be had; the conversation is whole without them
 * @throws LcmError server_unavailable, server_refused, disk_full, cancelled
 */
export async function pullFiles(files: Files, signal: AbortSignal): Promise<Unavailable[]> {
  const { db, to, key } = files
  const store = new FileStore(storeBeside(to), true)
  const unavailable: Unavailable[] = []
  for (const file of fileRows(db)) {
    const name = nameBeside(file, files.rows.contents !== undefined)
    const pieces = name === null ? null : contentsOf(files, file, signal)
    if (name === null || pieces === null || isThere(store, file, name)) continue
    try {
      await fetchFile(store, pieces, { file, name, conversationId: key.conversationId }, signal)
    } catch (error) {
      if (!(error instanceof LcmError) || !UNAVAILABLE.has(error.code)) throw error
      unavailable.push({ id: file.id, reason: error.message })
    }
  }
  store.syncPlaces()
  return unavailable
}

const UNAVAILABLE: ReadonlySet<string> = new Set(['not_found', 'server_failed'])

/** From where the content of a file comes; null where nobody keeps it. */
function contentsOf({ query, key, rows, objects }: Files, file: StoredFileRow, signal: AbortSignal) {
  if (rows.contents !== undefined) return rows.contents(query, key, file.id)
  return objects !== null && isHash(file.hash) && file.bytes !== null
    ? objects.get(file.hash, file.bytes, signal)
    : null
}

async function fetchFile(
  store: FileStore,
  pieces: AsyncIterable<Uint8Array>,
  { file, name, conversationId }: { file: StoredFileRow; name: string; conversationId: number },
  signal: AbortSignal,
): Promise<void> {
  const hash = startSha256()
  const staging = store.stage(hashed(pieces, hash), signal)
  let step = await staging.next()
  while (!step.done) step = await staging.next()
  if (hash.digest('hex') !== file.hash) {
    store.discard(step.value)
    throw new LcmError(
      'server_failed',
      `The large file ${file.id} of conversation ${conversationId} came with other content than its row says.`,
      { file: file.id },
    )
  }
  store.place(step.value, conversationId, name)
}

/**
 * The name under which a file is found in the folder beside the memory. A system of which only some files have content
 * names those by their place; null for its others.
 */
function nameBeside({ uri, conversationId }: StoredFileRow, isNamedByPlace: boolean): string | null {
  const name = basename(uri.replaceAll('\\', '/'))
  if (isNamedByPlace && uri !== `lcm-files/${conversationId}/${name}`) return null
  return PLAIN_NAME.test(name) ? name : null
}

const PLAIN_NAME = /^[A-Za-z0-9_-]{1,100}(\.[A-Za-z0-9_-]{1,20})?$/

/** A file was compared with its hash when it was fetched, and gets its place whole. */
const isThere = (store: FileStore, { bytes, conversationId }: StoredFileRow, name: string): boolean =>
  statSync(store.pathOf(conversationId, name), { throwIfNoEntry: false })?.size === bytes

async function* hashed(
  pieces: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof startSha256>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece)
    yield piece
  }
}
