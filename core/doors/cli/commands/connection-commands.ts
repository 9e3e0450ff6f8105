import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import { isoMinute } from '#core/clock.ts'
import { AgentState } from '#core/contract/connections.ts'
import { userFolders } from '#core/folders.ts'
import { AGENT_CONNECTIONS, CONNECTED_AGENTS, type ConnectedAgent } from '#core/host/connections/agents.ts'
import { Connections } from '#core/host/connections/connections.ts'
import type { FileChange } from '#core/host/connections/file-change.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import { type CommandContext, defineCommand } from '../command.ts'
import { EXIT } from '../output/output.ts'
import { makeFolderOf, withMemory } from '../session.ts'

const agentField = z.enum(CONNECTED_AGENTS).meta({ description: 'the agent' })
const yes = z.boolean().default(false).describe('make the changes; without it they are only shown')

const ChangedFile = z.object({ path: z.string(), change: z.enum(['added', 'changed', 'removed']) })
const Changes = z.object({ agent: z.enum(CONNECTED_AGENTS), isDone: z.boolean(), files: z.array(ChangedFile) })

/** Has an agent keep its sessions in a memory. */
export const install = defineCommand({
  name: 'install',
  example: 'install claude-code --db memory.db --yes',
  memory: { instead: 'connect an agent with a file, and copy that with "lcm copy --from FILE --to postgres://…".' },
  fields: z.object({ agent: agentField, yes }),
  positional: ['agent'],
  prints: Changes,
  run: async ({ agent, yes }, given) => {
    const { db = loadSettings(process.env).databasePath, newer } = given
    const connections = connectionsOf(given)
    const memory = resolve(db)
    const planned = connections.planned(agent, memory)
    if (yes) {
      // The tools need a memory, and a path that cannot be one is refused before anything is changed.
      makeFolderOf(memory)
      await withMemory({ db: memory, newer: newer ?? false }, (lcm) => lcm.requireWrite('keep sessions'), {
        create: true,
      })
      await connections.connect(agent, memory, Date.now())
    }
    const { label, afterwards } = AGENT_CONNECTIONS[agent]
    const end = yes ? `${label} keeps its sessions in ${memory}. ${afterwards}` : tryYes('install', agent)
    return answerOf(agent, planned, yes, `${label} is connected with ${memory} already.`, end)
  },
})

/** Takes back what `install` did. */
export const uninstall = defineCommand({
  name: 'uninstall',
  example: 'uninstall claude-code --yes',
  fields: z.object({ agent: agentField, yes }),
  positional: ['agent'],
  prints: Changes,
  run: async ({ agent, yes }, given) => {
    const connections = connectionsOf(given)
    const changes = yes ? connections.disconnect(agent) : connections.disconnecting(agent)
    const { label } = AGENT_CONNECTIONS[agent]
    const end = yes ? `${label} is as it was. The memory stays.` : tryYes('uninstall', agent)
    return answerOf(agent, changes, yes, `${label} is not connected.`, end)
  },
})

/** Which agents keep their sessions here, and what is wrong with that. */
export const doctor = defineCommand({
  name: 'doctor',
  example: 'doctor',
  prints: z.object({ agents: z.array(AgentState) }),
  run: async (_, given) => {
    const agents = connectionsOf(given).states()
    return {
      json: { agents },
      text: () => agents.map(stateText).join('\n'),
      exitCode: agents.some(({ problems }) => problems.length > 0) ? EXIT.findings : EXIT.done,
    }
  },
})

function connectionsOf({ installation, version }: CommandContext): Connections {
  const where = { home: homedir(), env: process.env, cwd: process.cwd() }
  const installed = { root: installation.root, node: process.execPath, version }
  return new Connections(where, { ...installed, dataDir: userFolders(process.env).data })
}

const tryYes = (command: string, agent: ConnectedAgent): string =>
  `Nothing was changed. "lcm ${command} ${agent} --yes" does it.`

function answerOf(
  agent: ConnectedAgent,
  changes: readonly FileChange[],
  isDone: boolean,
  nothing: string,
  end: string,
) {
  const files = changes.map(({ path, before, after }) => ({ path, change: kindOf(before, after) }))
  const text = (): string =>
    files.length === 0 ? nothing : [...files.map(({ path, change }) => `${change.padEnd(8)}${path}`), end].join('\n')
  return { json: { agent, isDone: isDone && files.length > 0, files }, text }
}

const kindOf = (before: string | null, after: string | null): z.infer<typeof ChangedFile>['change'] =>
  before === null ? 'added' : after === null ? 'removed' : 'changed'

function stateText({
  agent,
  label,
  isInstalled,
  isConnected,
  memory,
  lastHeardAtMs,
  lastEvent,
  problems,
}: AgentState): string {
  if (memory === null) {
    return `${label}: ${isInstalled ? `not connected. "lcm install ${agent}" shows what that would change` : 'not on this computer'}.`
  }
  const heard = lastHeardAtMs === null ? '' : ` Last heard of at ${isoMinute(lastHeardAtMs)} (${lastEvent}).`
  return [
    `${label}: ${isConnected ? 'connected' : 'not connected as it should be'}, sessions are kept in ${memory}.${heard}`,
    ...problems.map((problem) => `  - ${problem}`),
  ].join('\n')
}
