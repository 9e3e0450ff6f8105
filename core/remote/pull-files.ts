import { statSync } from 'node:fs'
import type { JobProgress } from '../contract/job.ts'
import type { FetchReport } from '../contract/remote.ts'
import type { ConversationKey } from '../database.ts'
import { LcmError } from '../errors.ts'
import { FileStore, storeBeside } from '../files/file-store.ts'
import { startSha256 } from '../hashing.ts'
import { openNative } from '../sqlite/native.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { nameOnServer, readPulledFrom } from '../systems/opening/pulled-from.ts'
import { fileRow, type StoredFileRow } from '../systems/records/files.ts'
import type { Objects } from './objects/configured.ts'
import type { Postgres } from './postgres/connect.ts'
import { type Store, storeIn } from './remote-stores.ts'
import { type Report, reported } from './reported-steps.ts'

type Files = {
  readonly db: ReadDb
  /** Where the memory will stand; large files lie beside it. */
  readonly to: string
  readonly from: Postgres
  readonly key: ConversationKey
  readonly store: Store
  readonly objects: Objects | null
}

/** A file whose content could not be had, and why. */
type Unavailable = { readonly id: string; readonly reason: string }

/** The content of a file, a piece at a time; null where nobody keeps it. */
type Contents = (file: StoredFileRow) => AsyncIterable<Uint8Array> | null

/**
 * Fetches large files that are not beside the memory yet, a piece at a time, and compares them with their hashes. No
 * transaction is open meanwhile, but where the database itself keeps the contents.
 * @returns those whose content is not to be had; the conversation is whole without them
 * @throws LcmError server_unavailable, server_refused, disk_full, cancelled
 */
export async function fetchContents(
  files: Files,
  wanted: readonly StoredFileRow[],
  signal: AbortSignal,
  report: Report,
): Promise<Unavailable[]> {
  const { from, key, store, objects } = files
  const { contents } = store.rows
  if (contents !== undefined) {
    return from.read(key.tenant, (query) =>
      fetchEach(files, wanted, ({ id }) => contents(query, key, id), signal, report),
    )
  }
  const inStore: Contents = ({ hash, bytes }) =>
    objects !== null && hash !== null && bytes !== null ? objects.store.get(hash, bytes, signal) : null
  return fetchEach(files, wanted, inStore, signal, report)
}

/**
 * Fetches the content of one file of a memory that was pulled without contents.
 * @throws LcmError not_found, server_failed when it is not what its row says, invalid_argument when no store is named,
 * and what fetching may throw
 */
export async function* fetchFile(
  { from, path, id, objects }: { from: Postgres; path: string; id: string; objects: Objects | null },
  signal: AbortSignal,
): AsyncGenerator<JobProgress, FetchReport> {
  const db = openNative(path)
  try {
    const [origin, file] = [readPulledFrom(db), fileRow(db, id)]
    if (origin === null || file === undefined) {
      throw new LcmError('not_found', `${id} is no large file of a pulled conversation.`, { id })
    }
    if (nameOnServer(file, origin) === null) {
      throw new LcmError('not_found', `${id} has no content on the server: only its row is there.`, { id })
    }
    const { tenant, conversationId } = origin
    const store = await storeIn(from)
    if (store.rows.contents === undefined && objects === null) {
      throw new LcmError(
        'invalid_argument',
        'Contents of large files lie in the store that LCM_OBJECTS names, and it is not set here: set it, and start LCM Inspector again.',
      )
    }
    const files = { db, to: path, from, key: { tenant, conversationId }, store, objects }
    const [unavailable] = yield* reported((report) => fetchContents(files, [file], signal, report))
    if (unavailable !== undefined) throw new LcmError('server_failed', unavailable.reason, { id })
    return { id, bytes: file.bytes ?? 0 }
  } finally {
    db.close()
  }
}

async function fetchEach(
  { to, key, store: { foreign } }: Files,
  wanted: readonly StoredFileRow[],
  contents: Contents,
  signal: AbortSignal,
  report: Report,
): Promise<Unavailable[]> {
  const store = new FileStore(storeBeside(to), true)
  const unavailable: Unavailable[] = []
  for (const file of wanted) {
    const name = nameOnServer(file, foreign === null ? {} : { system: foreign.id })
    const pieces = name === null ? null : contents(file)
    if (name === null || pieces === null || isThere(store, file, name)) continue
    try {
      await fetchOne(store, counted(pieces, file, report), { file, name, conversationId: key.conversationId }, signal)
    } catch (error) {
      if (!(error instanceof LcmError) || !UNAVAILABLE.has(error.code)) throw error
      unavailable.push({ id: file.id, reason: error.message })
    }
  }
  store.syncPlaces()
  return unavailable
}

const UNAVAILABLE: ReadonlySet<string> = new Set(['not_found', 'server_failed'])

async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  { bytes }: StoredFileRow,
  report: Report,
): AsyncGenerator<Uint8Array> {
  let done = 0
  for await (const piece of pieces) {
    done += piece.length
    report({ done, total: bytes ?? 0, unit: 'bytes', note: 'fetching a large file' })
    yield piece
  }
}

async function fetchOne(
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
