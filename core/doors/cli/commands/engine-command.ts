import { z } from 'zod'
import { SummarizerName } from '#core/contract/compaction.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import { defineCommand } from '../command.ts'
import { makeFolderOf } from '../session.ts'

/** Serves until its input ends. The engine is loaded only for this. */
export const engine = defineCommand({
  name: 'engine',
  example: 'engine --stdio --db memory.db --agent my-agent',
  fields: z.object({
    stdio: z.boolean().describe('speak over standard input and output, one document a line'),
    agent: z.string().default('agent').meta({ description: 'the agent whose sessions are meant', value: 'name' }),
    summarizer: SummarizerName,
    autoCompact: z.boolean().default(true).describe('compact only when asked'),
  }),
  stays: true,
  run: async ({ agent, summarizer, autoCompact }, { db, newer, installation }) => {
    const settings = loadSettings(process.env)
    if (db === undefined) makeFolderOf(settings.databasePath)
    const { serveEngine } = await import('#core/doors/engine/serve-engine.ts')
    const exitCode = await serveEngine({
      path: db ?? settings.databasePath,
      allowNewer: newer ?? false,
      isAutomatic: autoCompact,
      ...{ agent, summarizer, ...installation },
    })
    return { exitCode }
  },
})
