import { z } from 'zod'
import { ConversationId } from '#core/contract/ids.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import { defineCommand } from '../command.ts'

/** The Model Context Protocol until the client leaves. Its library is loaded only for this. */
export const mcpCommand = defineCommand({
  name: 'mcp',
  example: 'mcp --db sample.db --conversation 1',
  fields: z.object({
    conversationId: ConversationId.optional().describe('give access to this conversation only'),
    grant: z.string().optional().meta({
      description: 'give access to what this grant allows ("lcm grant issue"); it names its memory and conversations',
      value: 'id',
    }),
    procedures: z
      .boolean()
      .optional()
      .describe('also offer every procedure of the contract that reads the memory as a tool'),
    names: z.string().max(40).default('lcm').describe('the names of the tools: lcm, or those of a system'),
  }),
  exclusive: [
    ['conversationId', 'grant'],
    ['conversationId', 'procedures'],
    ['grant', 'procedures'],
  ],
  stays: true,
  // A grant names its memory, which is a file.
  memory: ({ grant }) => (grant === undefined ? 'reads' : undefined),
  run: async ({ conversationId, grant, procedures, names }, { db, newer, installation, version, upToDate }) => {
    const { serveStdio } = await import('#core/doors/mcp/serve-stdio.ts')
    const { toolNamesOf } = await import('#core/doors/mcp/tool-names.ts')
    const exitCode = await serveStdio({
      path: db ?? (await memoryOf(grant)) ?? loadSettings(process.env).databasePath,
      upToDate: upToDate ?? null,
      allowNewer: newer ?? false,
      access: accessOf(conversationId, grant),
      names: toolNamesOf(names),
      withProcedures: procedures ?? false,
      resourcesDir: installation.resourcesDir,
      version,
    })
    return { exitCode }
  },
})

function accessOf(conversationId: number | undefined, grantId: string | undefined) {
  if (grantId !== undefined) return { kind: 'grant' as const, grantId }
  return conversationId === undefined ? { kind: 'all' as const } : { kind: 'conversation' as const, conversationId }
}

/** A grant names the memory that it is for. */
async function memoryOf(grant: string | undefined): Promise<string | undefined> {
  if (grant === undefined) return undefined
  const { issuedGrants } = await import('#core/agents/grants/grant-tables.ts')
  const { userFolders } = await import('#core/folders.ts')
  return issuedGrants(userFolders(process.env).data).atomically((rows) => rows.get(grant))?.memory
}
