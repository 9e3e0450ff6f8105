import { z } from 'zod'
import { FleetQuery } from './fleet.ts'
import { ConversationId, TenantName, TimeMs } from './ids.ts'
import { ChangedTables, RemoteGrepInput } from './remote.ts'

const address = z.string().min(1).max(2000).describe('postgres://user@host:5432/database')

/** A PostgreSQL database that the user has connected to. */
const Server = z.object({
  /** Without a password. */
  address: z.string(),
  openedAtMs: TimeMs,
  /** Where its password comes from. A server may ask for none. */
  secret: z.enum(['environment', 'keychain', 'none']),
})

export const ServerList = z.object({
  servers: z.array(Server),
  /** Passwords can be kept in the keychain. Otherwise they come from the environment only. */
  canKeepSecrets: z.boolean(),
})
export type ServerList = z.infer<typeof ServerList>

export const ByServer = z.object({ address })

export const ConnectInput = z.object({
  address,
  password: z.string().min(1).max(4096).optional().describe('is kept in the keychain'),
})
export type ConnectInput = z.infer<typeof ConnectInput>

export const ServerFleetInput = FleetQuery.extend({ address })

export const ServerSearchInput = RemoteGrepInput.extend({
  address,
  tenant: TenantName.describe('whose conversations'),
})
export type ServerSearchInput = z.infer<typeof ServerSearchInput>

export const OpenRemoteInput = z.object({
  address,
  tenant: TenantName.describe('whose conversation'),
  conversationId: ConversationId,
})
export type OpenRemoteInput = z.infer<typeof OpenRemoteInput>

export const OpenConversationInput = OpenRemoteInput.extend({
  asStored: z.boolean().optional().describe('a second copy, beside one with changes that were not pushed'),
})

/** Where large files of conversations in PostgreSQL lie. */
export const ObjectsPlace = z.object({
  /** A bucket with its prefix, or a folder. */
  shown: z.string(),
  /** Where the bucket is. */
  server: z.string().nullable(),
  /** Where the keys come from. */
  keys: z.enum(['environment', 'keychain', 'none', 'not_needed']),
})
export type ObjectsPlace = z.infer<typeof ObjectsPlace>

const key = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{1,1024}$/, 'Keys are printable ASCII without spaces.')
export const ObjectsKeys = z.object({ accessKeyId: key, secretAccessKey: key })
export type ObjectsKeys = z.infer<typeof ObjectsKeys>

/** Whether the open file follows the conversation in PostgreSQL that it is a copy of. */
export const FollowState = z.object({
  state: z.enum(['not_pulled', 'still', 'live', 'changed_here', 'unreachable']),
  /** When the server was last asked. */
  askedAtMs: TimeMs.nullable(),
  /** Why it does not follow, for people. */
  reason: z.string().nullable(),
  /** What was changed here and not pushed. Null when only a comparison of all rows would tell. */
  changes: ChangedTables.nullable(),
})
export type FollowState = z.infer<typeof FollowState>
