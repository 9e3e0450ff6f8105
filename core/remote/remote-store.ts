import type { SystemId } from '../contract/memory.ts'
import type { ConversationKey } from '../database.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { Postgres, Query } from './postgres/connect.ts'
import type { ConversationHead } from './postgres/conversation-rows.ts'
import type { countAlarm, countFleet, readFleetPage, readStalled } from './postgres/fleet-rows.ts'
import type { StoredRow, StoredTable, StoredValue } from './postgres/tables.ts'

type Rows = AsyncIterable<readonly StoredRow[]>

/** The rows of conversations, as a native file holds them. */
type RemoteRows = {
  /** The conversations of a tenant, by their numbers. */
  conversations(query: Query, tenant: string): Promise<readonly number[]>
  /** Null when it is not there, or may not be seen. */
  head(query: Query, key: ConversationKey): Promise<ConversationHead | null>
  /**
   * Rows of one unit follow each other. Those of `messages` come in the order of their numbers, those of a window in its
   * order, and with `after` only those behind it. `local` is the file that is being filled: it has the messages already
   * when other tables are asked for.
   */
  table(query: Query, key: ConversationKey, table: StoredTable, local: ReadDb, after?: number | null): Rows
  /** The parts whose `column` has one of these values. */
  parts(
    query: Query,
    key: ConversationKey,
    table: StoredTable,
    values: readonly StoredValue[],
    column: 'part_id' | 'message_id',
  ): Promise<readonly StoredRow[]>
  /** The number and the tokens of every message. */
  tokens(query: Query, key: ConversationKey): Rows
  partIds(query: Query, key: ConversationKey): AsyncIterable<readonly string[]>
  /** The content of a large file whose `storage_uri` lies in the folder beside the memory, a piece at a time. */
  contents?(query: Query, key: ConversationKey, fileId: string): AsyncIterable<Uint8Array>
}

/** Sums of all conversations: see `core/remote/postgres/fleet-rows.ts`. */
type RemoteFleet = {
  readonly page: typeof readFleetPage
  readonly count: typeof countFleet
  readonly countAlarm: typeof countAlarm
  readonly stalled: typeof readStalled
}

/** How memories in a PostgreSQL database are listed, and copied into native files. */
export type RemoteStore = {
  readonly rows: RemoteRows
  readonly fleet: RemoteFleet
}

/** A system other than ours whose memories lie in PostgreSQL. They are only read. */
export type ForeignStore = RemoteStore & {
  readonly id: SystemId
  readonly label: string
  /** By the catalogue alone, which every role may read. */
  recognise(query: Query): Promise<boolean>
  /** @throws LcmError when its tables are of another version, or may not be read */
  require(db: Postgres): Promise<void>
}
