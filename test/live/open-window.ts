import { onTestFinished } from 'vitest'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import { resourcesDir } from '../jobs/core-client.ts'
import { Agent } from './start-agent.ts'

const SEED = 8
const machine = new Machine({ env: process.env, resourcesDir })

/** A test that has others beside it gives its own `onTestFinished`. */
type AtTheEnd = typeof onTestFinished

/** An agent of a system at work on a file; ends with the test. */
export async function agentOn(
  writer: string,
  path: string,
  already = 0,
  atTheEnd: AtTheEnd = onTestFinished,
): Promise<Agent> {
  const agent = await Agent.start(writer, path, SEED, already)
  atTheEnd(() => agent.kill())
  return agent
}

/** A window's core over a file, with the number of reported changes. */
export function windowOn(
  path: string,
  atTheEnd: AtTheEnd = onTestFinished,
): { readonly core: Core; readonly changes: () => number } {
  const core = new Core({ path, open: { cacheDir: machine.folders.cache }, machine, execute: executeHere({}) })
  atTheEnd(() => core.close())
  let changes = 0
  core.subscribe((event) => {
    if (event.kind === 'database_changed') changes += 1
  })
  return { core, changes: () => changes }
}

/** Everything that a window on screen asks for. */
export async function look(core: Core): Promise<number> {
  const lcm = await core.lcm()
  const { messages, summaries, perConversation } = lcm.stats.stats()
  for (const { conversationId } of perConversation) {
    lcm.transcript.page({ conversationId, offset: 0, limit: 50, contentChars: 200 })
    lcm.strata.get({ conversationId, axis: 'tokens' })
    lcm.context.assemble({ conversationId })
    lcm.dag.tree(conversationId)
  }
  return messages + summaries
}
