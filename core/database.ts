import type { FleetQuery, FleetReport } from './contract/fleet.ts'
import type { JobProgress } from './contract/job.ts'
import type {
  ChangedTables,
  FetchReport,
  ObjectsReport,
  PullReport,
  PushReport,
  RemoteGrepInput,
  RemoteHits,
  SendReport,
  TenantReport,
  WorkerOutcome,
} from './contract/remote.ts'
import type {
  ConnectInput,
  ObjectsKeys,
  ObjectsPlace,
  OpenRemoteInput,
  ServerList,
  ServerSearchInput,
} from './contract/servers.ts'
import type { DatabaseAddress } from './database-address.ts'
import type { Environment, UserFolders } from './folders.ts'
import type { KeyStore } from './settings/key-store.ts'
import type { ReadDb, WriteDb } from './sqlite/read-db.ts'

/** Identifies a conversation of a database. */
export type ConversationKey = { readonly tenant: string; readonly conversationId: number }

/** How often messages were appended to a conversation, and how often something else of it was changed. */
export type Revision = { readonly appends: number; readonly changes: number }

type Steps<Result> = AsyncGenerator<JobProgress, Result>

/** How a database is reached. */
export type Connecting = {
  readonly address: DatabaseAddress
  readonly password: string | null
  /** The address that is shown and stored, where it is not the one that is connected to. */
  readonly shown?: string
}

export type ServersOptions = {
  readonly folders: Pick<UserFolders, 'data' | 'cache'>
  readonly env: Environment
  /** The keychain; null where there is none. */
  readonly keys: KeyStore | null
}

type HostingOptions = Connecting & { readonly tenant: string; readonly env: Environment }

/** Which conversations are due for a worker, and how it compacts them. */
export type WorkOptions = {
  /** Names this worker among others. */
  readonly worker: string
  /** Null for all tenants that the role may see. */
  readonly tenant: string | null
  /** Windows with at least this many tokens are compacted. */
  readonly minWindowTokens: number
  readonly now: () => number
  /** Compacts the conversation in a file. Returns the summaries that were made. */
  readonly compact: (path: string, conversationId: number, signal: AbortSignal) => Promise<number>
  /** Calls back again and again until the returned function is called. */
  readonly every: (ms: number, body: () => void) => () => void
}

export type CheckOptions = {
  readonly limit: number
  /** Null for all tenants that the role may see. */
  readonly tenant: string | null
  /** Returns how many errors and warnings the memory in this file has. */
  readonly scan: (path: string, signal: AbortSignal) => Promise<number>
  readonly now: () => number
}

/** All that this program does with memories in a kind of database. `core/databases.ts` says which kinds there are. */
export type DatabaseKind = {
  /** The newest version of its tables. */
  readonly newestVersion: number
  /** The statements that make roles for people and programs. */
  readonly roles: string
  /** @throws LcmError server_unavailable, server_refused */
  connect(asked: Connecting): Promise<Database>
  /** For windows and their jobs. */
  servers(options: ServersOptions): DatabaseServers
  /**
   * For programs that run an agent.
   * @throws LcmError invalid_argument when the place of large files is not one
   */
  hosting(options: HostingOptions): Promise<HostedConversations>
}

/** An open connection. */
export type Database = {
  /** The address without a password. */
  readonly shown: string
  /** For how long a statement has waited for its answer, in milliseconds; 0 while none does. */
  waitsMs(): number
  close(): Promise<void>
  /** The version of our tables; 0 where there are none. */
  version(): Promise<number>
  /** @throws LcmError when our tables are missing or of another version */
  requireVersion(): Promise<void>
  /** Makes our tables, or brings them to the newest version. */
  migrate(partitions: number | undefined): Promise<{ readonly from: number; readonly to: number }>
  /** Copies a conversation into a file, or brings that up to date. */
  pull(key: ConversationKey, to: string, compare: 'written' | 'everything', signal: AbortSignal): Steps<PullReport>
  /** Copies a conversation of this address into a file of the cache, or brings that up to date. */
  pullForReading(
    of: ConversationKey & { readonly address: DatabaseAddress },
    folders: Pick<UserFolders, 'cache'>,
    signal: AbortSignal,
  ): Steps<PullReport>
  /** Writes what was changed in a pulled file back. */
  push(path: string): Promise<PushReport>
  /** Copies a memory of any system into a tenant. */
  copyInto(tenant: string, path: string, signal: AbortSignal): Steps<SendReport>
  /** Copies one conversation of a tenant, or all, into a file. */
  copyOutOf(
    of: { readonly tenant: string; readonly conversationId: number | null },
    to: string,
    signal: AbortSignal,
  ): Steps<TenantReport>
  search(asked: RemoteGrepInput & { readonly tenant: string }, signal: AbortSignal): Promise<RemoteHits>
  fleet(asked: FleetQuery, at: { readonly budgetTokens: number; readonly nowMs: number }): Promise<FleetReport>
  /** Checks conversations that were written to since they were last checked. */
  check(options: CheckOptions, signal: AbortSignal): Steps<number>
  /** Does one job of a worker; null when none is due. */
  workOnce(options: WorkOptions, signal: AbortSignal): Promise<WorkerOutcome | null>
  /** Finds large files that no row names. */
  orphans(isRemoving: boolean, signal: AbortSignal): Steps<ObjectsReport>
}

/** The databases that the user has connected to, and conversations in them as files of the cache. */
export type DatabaseServers = {
  /** The folder of files that are kept in step with their conversations. */
  readonly folder: string
  list(): ServerList
  connect(asked: ConnectInput): Promise<{ address: string }>
  /** Puts an address on the list that the user has named. */
  remember(address: string): Promise<void>
  forget(address: string): Promise<void>
  fleet(address: string, asked: FleetQuery, budgetTokens: number): Promise<FleetReport>
  search(asked: ServerSearchInput, signal: AbortSignal): Promise<RemoteHits>
  /** Null when the conversation is not there, or not to be seen. */
  revision(asked: OpenRemoteInput): Promise<Revision | null>
  /** Counts the rows of a pulled file that were changed and not pushed. Null when all rows would have to be compared. */
  ownChanges(db: ReadDb, conversationId: number): Promise<ChangedTables | null>
  pathOf(asked: OpenRemoteInput): string
  pathAsStored(asked: OpenRemoteInput): Promise<string>
  pull(asked: OpenRemoteInput, to: string, signal: AbortSignal): Steps<PullReport>
  fetch(path: string, id: string, signal: AbortSignal): Steps<FetchReport>
  push(path: string, signal: AbortSignal): Steps<PushReport>
  objects(): Promise<ObjectsPlace | null>
  setObjectsKeys(keys: ObjectsKeys | null): Promise<void>
  close(): void
}

/** The conversations of a tenant, for a program that runs an agent. */
export type HostedConversations = {
  readonly tenant: string
  /** The address without a password. */
  readonly shown: string
  /** Whether there is a place for large files. */
  readonly keepsLargeFiles: boolean
  /** @throws LcmError when our tables are missing or of another version, and what connecting may throw */
  open(): Promise<void>
  /** The conversation of a session; null where there is none. */
  find(session: Session): Promise<number | null>
  /** Makes the conversation of a session, or finds the one that another program has made since. */
  claim(session: Session, about: NewConversation): Promise<number>
  /** Null when it is not there, or may not be seen. */
  revision(conversationId: number): Promise<Revision | null>
  pull(conversationId: number, to: string, signal: AbortSignal): Promise<void>
  /** @throws LcmError conflict when others wrote to the conversation */
  push(db: WriteDb): Promise<void>
  close(): Promise<void>
}

export type Session = { readonly agent: string; readonly sessionId: string }
export type NewConversation = { readonly title: string | null; readonly tokenEstimator: string; readonly atMs: number }
