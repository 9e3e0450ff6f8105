import { LcmError } from '../../errors.ts'
import { loadSettings } from '../../settings/settings-store.ts'
import type { Installation } from './serve-command.ts'
import type { MemoryOptions } from './session.ts'

export type McpCommandOptions = MemoryOptions & { readonly conversation?: number; readonly grant?: string }

/** Serves the Model Context Protocol until the client leaves. The library of the protocol is loaded only for this. */
export async function mcp(options: McpCommandOptions, installation: Installation, version: string): Promise<number> {
  const { serveStdio } = await import('../mcp/serve-stdio.ts')
  return serveStdio({
    path: options.db ?? (await memoryOf(options.grant)) ?? loadSettings(process.env).databasePath,
    allowNewer: options.newer ?? false,
    access: accessOf(options),
    resourcesDir: installation.resourcesDir,
    version,
  })
}

function accessOf({ conversation, grant }: McpCommandOptions) {
  if (grant !== undefined && conversation !== undefined) {
    throw new LcmError('invalid_argument', 'A grant says which conversations may be read: leave --conversation out.')
  }
  if (grant !== undefined) return { kind: 'grant' as const, grantId: grant }
  return conversation === undefined
    ? { kind: 'all' as const }
    : { kind: 'conversation' as const, conversationId: conversation }
}

/** A grant names the memory that it is for. */
async function memoryOf(grant: string | undefined): Promise<string | undefined> {
  if (grant === undefined) return undefined
  const { issuedGrants } = await import('../../agents/grants/grant-tables.ts')
  const { userFolders } = await import('../../folders.ts')
  return issuedGrants(userFolders(process.env).data).atomically((rows) => rows.get(grant))?.memory
}
