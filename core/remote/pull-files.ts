import { basename } from 'node:path'
import { LcmError } from '../errors.ts'
import { FileStore, storeBeside } from '../files/file-store.ts'
import { startSha256 } from '../hashing.ts'
import type { Query } from '../postgres/connect.ts'
import type { ConversationKey } from '../postgres/conversation-rows.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { fileRows, type StoredFileRow } from '../systems/records/files.ts'
import type { Store } from './remote-stores.ts'

type Files = {
  readonly db: ReadDb
  /** Where the memory will stand; large files lie beside it. */
  readonly to: string
  readonly query: Query
  readonly key: ConversationKey
  readonly rows: Store['rows']
}

/**
 * Fetches the large files that are not beside the memory yet, a piece at a time, and compares them with their hashes.
 * @throws LcmError server_failed when what came is not what the row says, disk_full, cancelled
 */
export async function pullFiles({ db, to, query, key, rows }: Files, signal: AbortSignal): Promise<void> {
  if (rows.contents === undefined) return
  const store = new FileStore(storeBeside(to), true)
  for (const file of fileRows(db)) {
    const name = nameBeside(file)
    if (name === null || (await isThere(store, file, name, signal))) continue
    const hash = startSha256()
    const pieces = hashed(rows.contents(query, key, file.id), hash)
    const staging = store.stage(pieces, signal)
    let step = await staging.next()
    while (!step.done) step = await staging.next()
    if (hash.digest('hex') !== file.hash) {
      store.discard(step.value)
      throw new LcmError(
        'server_failed',
        `The large file ${file.id} of conversation ${key.conversationId} came with other content than its row says: pull again.`,
        { file: file.id },
      )
    }
    store.place(step.value, key.conversationId, name)
  }
  store.syncPlaces()
}

/** The name of a file that lies in the folder beside the memory; null where its row names another place. */
function nameBeside({ uri, conversationId }: StoredFileRow): string | null {
  const name = basename(uri)
  return uri === `lcm-files/${conversationId}/${name}` && PLAIN_NAME.test(name) ? name : null
}

const PLAIN_NAME = /^[A-Za-z0-9_-]{1,100}\.[a-z]{1,10}$/

async function isThere(store: FileStore, file: StoredFileRow, name: string, signal: AbortSignal): Promise<boolean> {
  const { bytes, hash, conversationId } = file
  if (bytes === null || hash === null) return false
  const holds = store.holds(store.pathOf(conversationId, name), { bytes, hash }, signal)
  let step = await holds.next()
  while (!step.done) step = await holds.next()
  return step.value
}

async function* hashed(
  pieces: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof startSha256>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece)
    yield piece
  }
}
