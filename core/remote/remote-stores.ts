import type { SystemId } from '../contract/memory.ts'
import { LcmError } from '../errors.ts'
import type { Postgres, Query } from './postgres/connect.ts'
import {
  readConversations,
  readHead,
  readPartIds,
  readTable,
  readTokens,
  readUnits,
} from './postgres/conversation-rows.ts'
import { countAlarm, countFleet, readFleetPage, readStalled } from './postgres/fleet-rows.ts'
import { checkVersion, schemaVersion } from './postgres/migrate.ts'
import type { ForeignStore, RemoteStore } from './remote-store.ts'
import { voltStore } from './volt/volt-store.ts'

/** What keeps the memories in a database. `foreign` is null for our own tables. */
export type Store = RemoteStore & { readonly foreign: ForeignStore | null }

/** Systems that keep their memories in PostgreSQL. */
const foreignStores: readonly ForeignStore[] = [voltStore]

const ours: Store = {
  foreign: null,
  rows: {
    conversations: readConversations,
    head: readHead,
    table: (query, key, table, _local, after = null) => readTable(query, key, table, after),
    parts: readUnits,
    tokens: readTokens,
    partIds: readPartIds,
  },
  fleet: { page: readFleetPage, count: countFleet, countAlarm, stalled: readStalled },
}

/**
 * Our tables come first: their roles see them even where another system lies beside them.
 * @throws LcmError newer_version, server_refused
 */
export async function storeIn(db: Postgres): Promise<Store> {
  const version = await schemaVersion(db)
  const foreign = version > 0 ? null : await db.read(null, recognised)
  if (foreign === null) {
    checkVersion(db, version)
    return ours
  }
  await foreign.require(db)
  return { ...foreign, foreign }
}

async function recognised(query: Query): Promise<ForeignStore | null> {
  for (const store of foreignStores) if (await store.recognise(query)) return store
  return null
}

/**
 * @param why a sentence without its end: what needs our tables
 * @throws LcmError unsupported for a database of another system, newer_version, server_refused
 */
export async function requireOurs(db: Postgres, why: string): Promise<void> {
  const { foreign } = await storeIn(db)
  if (foreign === null) return
  throw new LcmError(
    'unsupported',
    `${why}, and ${db.shown} is a database of ${foreign.label}, which is only read. "lcm pull" copies a conversation of it into a file.`,
    { system: foreign.id },
  )
}

export const readOnlySystem = (id: SystemId): LcmError =>
  new LcmError(
    'unsupported',
    `The file was pulled from ${foreignStores.find((one) => one.id === id)?.label ?? id}, whose memories are only read: nothing is pushed there. The changes stay in the file.`,
    { system: id },
  )
