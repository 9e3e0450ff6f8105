import { previewImport } from '#core/ingest/transcripts/preview-import.ts'
import { agentDatabase } from './agent-database.ts'

export type AgentStoreMeasure = {
  /** Milliseconds of this process at work, until a window shows what an import would add. */
  readonly usableCpuMs: number
  readonly usableWallMs: number
}

/** Opens the database of an agent as the dialog of an import does. */
async function measureAgentStore(path: string): Promise<AgentStoreMeasure> {
  const [cpuBefore, wallBefore] = [process.cpuUsage(), performance.now()]
  const { files } = await previewImport({ paths: [path], db: null, clock: Date.now })
  const { user, system } = process.cpuUsage(cpuBefore)
  if (!files.some(({ messages }) => messages > 0)) throw new Error(`there are no messages in ${path}`)
  return {
    usableCpuMs: Math.round((user + system) / 1000),
    usableWallMs: Math.round(performance.now() - wallBefore),
  }
}

if (import.meta.main)
  console.log(JSON.stringify(await measureAgentStore(process.argv[2] ?? agentDatabase('opencode', 100))))
