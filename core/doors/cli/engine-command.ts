import { loadSettings } from '../../settings/settings-store.ts'
import type { Define } from './command.ts'
import type { Installation } from './serve-command.ts'
import { type MemoryOptions, makeFolderOf } from './session.ts'

type EngineCommandOptions = MemoryOptions & {
  readonly agent: string
  readonly summarizer: string
  /** False with --no-auto-compact. */
  readonly autoCompact: boolean
}

/** Adds the command engine, which serves until its input ends. The engine is loaded only for this. */
export function addEngineCommand(define: Define, installation: Installation, onEnd: (exitCode: number) => void): void {
  define('engine', 'a memory for a program that runs an agent: JSON-RPC 2.0 over standard input and output')
    .requiredOption('--stdio', 'speak over standard input and output, one document a line')
    .option('--agent <name>', 'the agent whose sessions are meant (default: agent)', 'agent')
    .option('--summarizer <name>', 'deterministic (default), a configured provider, or chain', 'deterministic')
    .option('--no-auto-compact', 'compact only when asked')
    .action(async (options: EngineCommandOptions) => {
      const settings = loadSettings(process.env)
      if (options.db === undefined) makeFolderOf(settings.databasePath)
      const { serveEngine } = await import('../engine/serve-engine.ts')
      const exitCode = await serveEngine({
        path: options.db ?? settings.databasePath,
        allowNewer: options.newer ?? false,
        agent: options.agent,
        summarizer: options.summarizer,
        isAutomatic: options.autoCompact,
        ...installation,
      })
      onEnd(exitCode)
    })
}
