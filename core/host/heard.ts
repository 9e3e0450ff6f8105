import { LcmError } from '../errors.ts'
import { CONNECTED_AGENTS } from './connections/agents.ts'
import { HookFolder } from './hooks/hook-folder.ts'

/** Who calls: the name of the agent, the memory, and the data folder in which `lcm doctor` looks. */
export type Caller = { readonly agent: string; readonly memory: string; readonly dataDir: string }

/** Calls that say that an agent has said something. */
const HEARD: ReadonlySet<string> = new Set(['ingest', 'import'])

/**
 * Makes a call of an agent that runs an extension of ours, and notes for `lcm doctor` when it was last heard of and what
 * failed. Programs that are no row of `lcm install` leave no note, and one that cannot be written is left out.
 */
export async function heard<T>({ agent, memory, dataDir }: Caller, event: string, call: () => Promise<T>): Promise<T> {
  if (!HEARD.has(event) || !CONNECTED_AGENTS.some((known) => known === agent)) return await call()
  const folder = new HookFolder(dataDir, memory)
  let answer: T
  try {
    answer = await call()
  } catch (error) {
    if (!(error instanceof LcmError && error.code === 'cancelled')) folder.fail(agent, error, Date.now())
    throw error
  }
  try {
    folder.noteHeard(agent, event, Date.now())
  } catch {
    // The data folder cannot be written.
  }
  return answer
}
