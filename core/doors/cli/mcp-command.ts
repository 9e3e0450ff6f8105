import { loadSettings } from '../../settings/settings-store.ts'
import type { Installation } from './serve-command.ts'
import type { MemoryOptions } from './session.ts'

export type McpCommandOptions = MemoryOptions & { readonly conversation?: number }

/** Serves the Model Context Protocol until the client leaves. The library of the protocol is loaded only for this. */
export async function mcp(options: McpCommandOptions, installation: Installation, version: string): Promise<number> {
  const { serveStdio } = await import('../mcp/serve-stdio.ts')
  return serveStdio({
    path: options.db ?? loadSettings(process.env).databasePath,
    allowNewer: options.newer ?? false,
    conversationId: options.conversation ?? null,
    resourcesDir: installation.resourcesDir,
    version,
  })
}
