import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { type Clock, systemClock } from '../clock.ts'
import type { FleetQuery, FleetReport } from '../contract/fleet.ts'
import type { JobProgress } from '../contract/job.ts'
import type { ChangedTables, FetchReport, PullReport, PushReport, RemoteHits } from '../contract/remote.ts'
import type {
  ConnectInput,
  ObjectsKeys,
  ObjectsPlace,
  OpenRemoteInput,
  ServerList,
  ServerSearchInput,
} from '../contract/servers.ts'
import type { ConversationKey, DatabaseServers, Revision, ServersOptions } from '../database.ts'
import { type DatabaseAddress, parseAddress, passwordInEnvironment, replicaOf, serverOf } from '../database-address.ts'
import { LcmError } from '../errors.ts'
import type { Environment, UserFolders } from '../folders.ts'
import { sha256 } from '../hashing.ts'
import type { KeyStore } from '../settings/key-store.ts'
import { UserFile } from '../settings/user-file.ts'
import { fileError } from '../sqlite/memory-file.ts'
import { openNative } from '../sqlite/native.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readPulledFrom } from '../systems/opening/pulled-from.ts'
import type { Postgres } from './postgres/connect.ts'

const MOST = 20
/** An unused connection is closed after this time. */
const IDLE_MS = 30_000

const Known = z.array(z.object({ address: z.string().refine(isAddress), openedAtMs: z.number() }))
type Known = z.infer<typeof Known>

/** The slot of a password in the keychain: one for each server, database and user. */
const ownerOf = (address: DatabaseAddress) => ({
  name: `PostgreSQL ${serverOf(address)}`,
  baseUrl: 'postgres://server',
})

/** Returns the password for a server; the environment comes first, as with every setting. */
const findPassword = async (
  address: DatabaseAddress,
  env: Environment,
  keys: KeyStore | null,
): Promise<string | null> => passwordInEnvironment(address, env) ?? (await keys?.get(ownerOf(address))) ?? null

/** The folder of the files that this program keeps in step with their conversations. */
const cachedFolder = ({ cache }: Pick<UserFolders, 'cache'>): string => join(cache, 'pulled')

/** Where a conversation is kept in the cache. Its folder is made. */
export function cachedPath(
  folders: Pick<UserFolders, 'cache'>,
  address: DatabaseAddress,
  { tenant, conversationId }: ConversationKey,
): string {
  const name = sha256(JSON.stringify([serverOf(address), tenant])).slice(0, 16)
  const path = join(cachedFolder(folders), name, `${conversationId}.db`)
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw fileError(error, dirname(path))
  }
  return path
}

type Options = ServersOptions & {
  readonly clock?: Clock
  readonly connect?: (address: DatabaseAddress, password: string | null) => Promise<Postgres>
}

/** A connection with the work that waits for it: it runs one transaction after another. */
type Open = { readonly db: Promise<Postgres>; last: Promise<unknown>; idle: NodeJS.Timeout | null }

/**
 * The PostgreSQL databases that the user has connected to, and conversations in them as files of the cache. Passwords
 * come from the environment or the keychain; what is stored and shown has none.
 */
export class Servers implements DatabaseServers {
  readonly #options: Options
  readonly #file: UserFile<Known>
  readonly #open = new Map<string, Open>()

  constructor(options: Options) {
    this.#options = options
    const path = join(options.folders.data, 'servers.json')
    this.#file = new UserFile({ path, schema: Known, content: 'a list of databases', empty: [] })
  }

  /** @throws LcmError invalid_argument when the list is damaged; file_not_readable */
  list(): ServerList {
    const { env, keys } = this.#options
    const servers = this.#file.read().map(({ address: shown, openedAtMs }) => {
      const { address } = parseAddress(shown, 'argument')
      const isKept = keys?.has(ownerOf(address)) ?? false
      const isGiven = passwordInEnvironment(address, env) !== null
      return { address: shown, openedAtMs, secret: isGiven ? 'environment' : isKept ? 'keychain' : 'none' } as const
    })
    return { servers, canKeepSecrets: keys !== null }
  }

  #isKnown(shown: string): boolean {
    const server = serverOf(parseAddress(shown, 'argument').address)
    return this.#file.read().some((one) => serverOf(parseAddress(one.address, 'argument').address) === server)
  }

  /**
   * Connects for the first time, or with another password, and remembers the server.
   * @returns its address without a password
   * @throws LcmError invalid_argument, unsupported where a password cannot be kept, and what connecting may throw
   */
  async connect({ address: text, password: typed }: ConnectInput): Promise<{ address: string }> {
    const { address, password: within } = parseAddress(text.trim(), 'environment')
    const { keys } = this.#options
    const given = typed ?? within
    if (given !== null && keys === null) {
      throw new LcmError(
        'unsupported',
        'A password cannot be kept here: put it into the variable PGPASSWORD, and start LCM Inspector again.',
      )
    }
    this.#close(address.shown)
    const db = await this.#connect(address, given ?? (await this.#password(address)))
    await db.close()
    if (given !== null) await keys?.set(ownerOf(address), given)
    await this.remember(address.shown)
    return { address: address.shown }
  }

  async remember(shown: string): Promise<void> {
    const openedAtMs = (this.#options.clock ?? systemClock)()
    await this.#file.change((before) =>
      [{ address: shown, openedAtMs }, ...before.filter(({ address }) => address !== shown)].slice(0, MOST),
    )
  }

  /** Takes a server off the list, and its password out of the keychain. */
  async forget(shown: string): Promise<void> {
    const { address } = parseAddress(shown, 'argument')
    this.#close(shown)
    await this.#options.keys?.set(ownerOf(address), null)
    await this.#file.change((before) => before.filter((one) => one.address !== shown))
  }

  async fleet(shown: string, asked: FleetQuery, budgetTokens: number): Promise<FleetReport> {
    const { readFleet } = await import('./fleet.ts')
    const nowMs = (this.#options.clock ?? systemClock)()
    return this.#with(shown, (db) => readFleet(db, asked, { budgetTokens, nowMs }))
  }

  async search({ address, ...asked }: ServerSearchInput, signal: AbortSignal): Promise<RemoteHits> {
    const { searchTenant } = await import('./search-tenant.ts')
    return this.#with(address, (db) => searchTenant(db, asked, signal))
  }

  /** How often something was written to a conversation; null when it is not there, or not to be seen. */
  async revision({ address, tenant, conversationId }: OpenRemoteInput): Promise<Revision | null> {
    const { storeIn } = await import('./remote-stores.ts')
    return this.#with(address, async (db) => {
      const { rows } = await storeIn(db)
      return db.read(tenant, async (query) => (await rows.head(query, { tenant, conversationId }))?.revision ?? null)
    })
  }

  async ownChanges(db: ReadDb, conversationId: number): Promise<ChangedTables | null> {
    const { ownChanges } = await import('./pulled-file.ts')
    return ownChanges(db, conversationId)
  }

  get folder(): string {
    return cachedFolder(this.#options.folders)
  }

  pathOf({ address, ...key }: OpenRemoteInput): string {
    return cachedPath(this.#options.folders, parseAddress(address, 'argument').address, key)
  }

  async pathAsStored(asked: OpenRemoteInput): Promise<string> {
    const { pathAsStored } = await import('./pull-in-turn.ts')
    return pathAsStored(this.pathOf(asked))
  }

  /** Copies the rows of a conversation into its file, or brings the file up to date. */
  async *pull(
    { address, tenant, conversationId }: OpenRemoteInput,
    to: string,
    signal: AbortSignal,
  ): AsyncGenerator<JobProgress, PullReport> {
    const { pullInTurn } = await import('./pull-in-turn.ts')
    return yield* this.#connected({ shown: address, signal }, (from) =>
      pullInTurn({ from, key: { tenant, conversationId }, to, contents: 'on_demand' }, signal),
    )
  }

  /** Fetches the content of a large file of a pulled conversation. @throws LcmError as `fetchFile` */
  async *fetch(path: string, id: string, signal: AbortSignal): AsyncGenerator<JobProgress, FetchReport> {
    const { fetchFile } = await import('./pull-files.ts')
    const { configuredObjects } = await import('./objects/configured.ts')
    const objects = await configuredObjects(this.#options.env, this.#options.keys)
    return yield* this.#connected({ shown: originOf(path), signal }, (from) =>
      fetchFile({ from, path, id, objects }, signal),
    )
  }

  /**
   * Writes the changes of a pulled file back to the database that it names, if the user has connected to that.
   * @throws LcmError as `pushChanges`, and cancelled
   */
  async *push(path: string, signal: AbortSignal): AsyncGenerator<JobProgress, PushReport> {
    const { pushFile } = await import('./push.ts')
    const { configuredObjects } = await import('./objects/configured.ts')
    const { reported } = await import('./reported-steps.ts')
    const objects = await configuredObjects(this.#options.env, this.#options.keys)
    return yield* this.#connected({ shown: originOf(path), signal, to: 'write' }, (to) =>
      reported(() => pushFile(to, path, objects)),
    )
  }

  /** Where large files lie; null where nothing is named. */
  async objects(): Promise<ObjectsPlace | null> {
    const { shownObjects } = await import('./objects/configured.ts')
    return shownObjects(this.#options.env, this.#options.keys)
  }

  /** Keeps the keys for large files in the keychain. Null forgets them. */
  async setObjectsKeys(keys: ObjectsKeys | null): Promise<void> {
    const { keepObjectsKeys } = await import('./objects/configured.ts')
    await keepObjectsKeys(this.#options.env, this.#options.keys, keys)
  }

  close(): void {
    for (const shown of this.#open.keys()) this.#close(shown)
  }

  /** Runs a read on the kept connection of a server. After a failure the next one connects anew. */
  async #with<T>(shown: string, body: (db: Postgres) => Promise<T>): Promise<T> {
    const open = this.#open.get(shown) ?? { db: this.#connectKnown(shown), last: Promise.resolve(), idle: null }
    this.#open.set(shown, open)
    if (open.idle) clearTimeout(open.idle)
    const work = open.last.then(async () => body(await open.db))
    open.last = work.catch(() => undefined)
    try {
      const result = await work
      open.idle = setTimeout(() => this.#close(shown), IDLE_MS).unref()
      return result
    } catch (error) {
      if (this.#open.get(shown) === open) this.#close(shown)
      throw error
    }
  }

  /**
   * Runs long work on a connection of its own. When the signal aborts, the connection is cut, so that a silent server
   * holds nobody; it undoes what was under way.
   */
  async *#connected<T>(
    { shown, signal, to = 'read' }: { shown: string; signal: AbortSignal; to?: 'read' | 'write' },
    work: (db: Postgres) => AsyncGenerator<JobProgress, T>,
  ): AsyncGenerator<JobProgress, T> {
    const { withSilences } = await import('./reported-steps.ts')
    yield { done: 0, total: 0, unit: 'messages', note: `connecting to ${shown}` }
    let db: Postgres | null = null
    try {
      db = await this.#connectKnown(shown, to, signal)
      yield { done: 0, total: 0, unit: 'messages', note: `waiting for ${shown}` }
      return yield* withSilences(db, work(db))
    } catch (error) {
      if (!signal.aborted) throw error
      throw new LcmError(
        'cancelled',
        `Cancelled before ${shown} had answered: start it again, it goes on where it was.`,
      )
    } finally {
      await db?.close()
    }
  }

  #close(shown: string): void {
    const open = this.#open.get(shown)
    this.#open.delete(shown)
    if (open?.idle) clearTimeout(open.idle)
    void open?.last.then(async () => (await open.db).close()).catch(() => undefined)
  }

  /** A password is sent only to a server that the user has connected to. */
  async #connectKnown(shown: string, to: 'read' | 'write' = 'read', signal?: AbortSignal): Promise<Postgres> {
    const { address } = parseAddress(shown, 'argument')
    if (!this.#isKnown(shown)) {
      throw new LcmError('not_found', `${address.shown} is not among your databases: connect to it first.`)
    }
    const replica = to === 'read' ? replicaOf(address, this.#options.env) : null
    if (replica === null) return this.#connect(address, await this.#password(address), signal)
    // What is copied from the replica is pushed to the database itself.
    return { ...(await this.#connect(replica.address, replica.password, signal)), shown: address.shown }
  }

  #password(address: DatabaseAddress): Promise<string | null> {
    return findPassword(address, this.#options.env, this.#options.keys)
  }

  async #connect(address: DatabaseAddress, password: string | null, signal?: AbortSignal): Promise<Postgres> {
    const connect = this.#options.connect ?? (await import('./postgres/connect.ts')).connectPostgres
    return connect(address, password, { signal })
  }
}

function isAddress(text: string): boolean {
  try {
    parseAddress(text, 'argument')
    return true
  } catch {
    return false
  }
}

/** The address that a pulled file names. */
function originOf(path: string): string {
  const db = openNative(path)
  try {
    return readPulledFrom(db)?.address ?? path
  } finally {
    db.close()
  }
}
