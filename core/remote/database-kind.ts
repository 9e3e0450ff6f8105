import type { Connecting, Database, DatabaseKind } from '../database.ts'
import { LcmError } from '../errors.ts'
import { configuredObjects } from './objects/configured.ts'
import type { Postgres } from './postgres/connect.ts'
import { migratePostgres, POSTGRES_VERSION, requireVersion, schemaVersion } from './postgres/migrate.ts'
import { ROLES } from './postgres/schema.ts'
import { cachedPath, Servers } from './servers.ts'

const objectsHere = () => configuredObjects(process.env)

/** Memories in PostgreSQL. The driver is loaded with the first connection. */
export const postgres: DatabaseKind = {
  newestVersion: POSTGRES_VERSION,
  roles: ROLES.trim(),
  connect: async (asked) => databaseOn(await connected(asked)),
  servers: (options) => new Servers(options),
  hosting: async ({ tenant, env, ...asked }) => {
    const { ConversationsOfTenant } = await import('./conversations-of-tenant.ts')
    const connect = () => connected(asked)
    return new ConversationsOfTenant({
      tenant,
      connect,
      shown: asked.address.shown,
      objects: await configuredObjects(env),
    })
  },
}

async function connected({ address, password, shown = address.shown }: Connecting): Promise<Postgres> {
  const { connectPostgres } = await import('./postgres/connect.ts')
  return { ...(await connectPostgres(address, password)), shown }
}

function databaseOn(db: Postgres): Database {
  return {
    shown: db.shown,
    waitsMs: () => db.waitsMs(),
    close: () => db.close(),
    version: () => schemaVersion(db),
    requireVersion: () => requireVersion(db),
    migrate: (partitions) => migratePostgres(db, partitions),
    async *pull(key, to, compare, signal) {
      const { pullConversation } = await import('./pull.ts')
      return yield* pullConversation({ from: db, key, to, objects: await objectsHere(), compare }, signal)
    },
    async *pullForReading({ address, ...key }, folders, signal) {
      const { pullForReading } = await import('./pull-in-turn.ts')
      const to = cachedPath(folders, address, key)
      return yield* pullForReading({ from: db, key, to, objects: await objectsHere() }, signal)
    },
    async push(path) {
      const { pushFile } = await import('./push.ts')
      return pushFile(db, path, await objectsHere())
    },
    async *copyInto(tenant, path, signal) {
      const { copyToTenant } = await import('./copy-to-tenant.ts')
      return yield* copyToTenant({ path, to: db, tenant, objects: await objectsHere() }, signal)
    },
    async *copyOutOf(of, to, signal) {
      const { copyFromTenant } = await import('./copy-from-tenant.ts')
      return yield* copyFromTenant({ from: db, ...of, to, objects: await objectsHere() }, signal)
    },
    async search(asked, signal) {
      const { searchTenant } = await import('./search-tenant.ts')
      return searchTenant(db, asked, signal)
    },
    async fleet(asked, at) {
      const { readFleet } = await import('./fleet.ts')
      return readFleet(db, asked, at)
    },
    async *check(options, signal) {
      const { checkConversations } = await import('./fleet.ts')
      return yield* checkConversations({ from: db, ...options }, signal)
    },
    async workOnce(options, signal) {
      const { workOnce } = await import('./worker.ts')
      return workOnce({ db, ...options }, signal)
    },
    async *orphans(isRemoving, signal) {
      const { findOrphans } = await import('./objects/orphans.ts')
      const objects = await objectsHere()
      if (objects === null) throw new LcmError('invalid_argument', NO_OBJECTS)
      return yield* findOrphans({ db, store: objects.store, isRemoving, now: Date.now }, signal)
    },
  }
}

const NO_OBJECTS = 'Say where large files lie: LCM_OBJECTS=s3://bucket/prefix, or a folder.'
