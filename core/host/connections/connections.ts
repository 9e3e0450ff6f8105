import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { AgentState } from '#core/contract/connections.ts'
import { LcmError } from '#core/errors.ts'
import { shellWord } from '#core/platform.ts'
import { UserFile, writeWhole } from '#core/settings/user-file.ts'
import type { Surroundings } from '#core/systems/places.ts'
import { HookFolder } from '../hooks/hook-folder.ts'
import type { Connected } from './adapter-files.ts'
import {
  AGENT_CONNECTIONS,
  type AgentConnection,
  CONNECTED_AGENTS,
  type ConnectedAgent,
  isConnected,
  isInstalled,
} from './agents.ts'
import { type FileChange, isSame, readExactly } from './file-change.ts'

/** What an agent was connected with, and how its files were before. */
const Connection = z.object({
  memory: z.string(),
  root: z.string(),
  node: z.string(),
  version: z.string(),
  atMs: z.int(),
  files: z.array(z.object({ path: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
})
type Connection = z.infer<typeof Connection>

export type Installed = Omit<Connected, 'memory' | 'readFrom'>

/** At most this many failures are told, the newest. */
const TOLD_FAILURES = 3

/** Connects agents with a memory, and takes that back. Each change is made in the open, with a copy of what was there. */
export class Connections {
  readonly #where: Surroundings
  readonly #installed: Installed

  constructor(where: Surroundings, installed: Installed) {
    this.#where = where
    this.#installed = installed
  }

  /**
   * The files that connecting an agent would change, as they are and as they will be.
   * @throws LcmError file_missing when the agent has no settings here, invalid_argument when they cannot be read
   */
  planned(agent: ConnectedAgent, memory: string): FileChange[] {
    const connection = AGENT_CONNECTIONS[agent]
    if (!isInstalled(connection, this.#where)) throw notThere(connection, this.#where)
    if (!existsSync(builtHook(this.#installed.root))) throw notBuilt(this.#installed.root)
    return readable(connection, () =>
      connection.connect(this.#where, { ...this.#installed, readFrom: this.#installed.root, memory }),
    ).filter((change) => !isSame(change))
  }

  /** @throws LcmError as `planned`; file_not_readable, disk_full */
  async connect(agent: ConnectedAgent, memory: string, atMs: number): Promise<FileChange[]> {
    const changes = this.planned(agent, memory)
    const { root, node, version } = this.#installed
    // What stood there before the first of several installations is what an uninstallation gives back.
    const known = this.#record(agent)?.files ?? []
    const files = [
      ...known.map((file) => ({ ...file, after: changes.find(({ path }) => path === file.path)?.after ?? file.after })),
      ...changes.filter(({ path }) => known.every((file) => file.path !== path)),
    ]
    // First the copies of what was there, so that nothing is lost whenever this process ends.
    await this.#records(agent).change(() => ({ memory, root, node, version, atMs, files }))
    for (const change of changes) write(change)
    return changes
  }

  /**
   * The files that disconnecting an agent would change. Where nobody has changed a file since it was connected, it gets
   * back the bytes that it had; from other files only our own entries are removed.
   * @throws LcmError invalid_argument when a file of the agent cannot be read
   */
  disconnecting(agent: ConnectedAgent): FileChange[] {
    const connection = AGENT_CONNECTIONS[agent]
    const record = this.#record(agent)
    const given = { ...this.#installed, ...record, readFrom: this.#installed.root, memory: record?.memory ?? '' }
    const taken = readable(connection, () => connection.disconnect(this.#where, given))
    const restored = (record?.files ?? []).filter(({ path, after }) => isAs(path, after))
    return [
      ...restored.map(({ path, before, after }) => ({ path, before: after, after: before })),
      ...taken.filter(({ path }) => restored.every((file) => file.path !== path)),
    ].filter((change) => !isSame(change))
  }

  /** @throws LcmError as `disconnecting`; file_not_readable, disk_full */
  disconnect(agent: ConnectedAgent): FileChange[] {
    const changes = this.disconnecting(agent)
    for (const change of changes) write(change)
    rmSync(this.#recordPath(agent), { force: true })
    rmSync(join(this.#installed.dataDir, 'adapters', agent), { recursive: true, force: true })
    return changes
  }

  /** What is connected, and what is wrong with it. */
  states(): AgentState[] {
    return CONNECTED_AGENTS.map((agent) => this.#state(agent))
  }

  #state(agent: ConnectedAgent): AgentState {
    const connection = AGENT_CONNECTIONS[agent]
    const record = this.#record(agent)
    const hooks = new HookFolder(this.#installed.dataDir, record?.memory ?? '')
    const heard = hooks.lastHeard(agent)
    const state = {
      agent,
      label: connection.label,
      isInstalled: isInstalled(connection, this.#where),
      isConnected:
        record !== null &&
        isConnected(connection, this.#where, { ...this.#installed, ...record, readFrom: record.root }),
      memory: record?.memory ?? null,
      version: record?.version ?? null,
      connectedAtMs: record?.atMs ?? null,
      lastHeardAtMs: heard?.atMs ?? null,
      lastEvent: heard?.event ?? null,
    }
    const problems = record === null ? [] : this.#problems(connection, record, state, hooks)
    return { ...state, problems, command: commandOf(state, record, this.#installed.version) }
  }

  #problems(
    { label, afterwards }: AgentConnection,
    record: Connection,
    { agent, isConnected, isInstalled, lastHeardAtMs }: StateOf,
    hooks: HookFolder,
  ): string[] {
    const again = `run "lcm install ${agent}" again`
    const failures = hooks
      .failures()
      .filter(
        (failure) => failure.agent === agent && failure.atMs >= record.atMs && failure.atMs > (lastHeardAtMs ?? 0) - 1,
      )
    return [
      ...(isInstalled
        ? []
        : [`${label} has no folder for its settings any more: "lcm uninstall ${agent}" forgets it.`]),
      ...(existsSync(builtHook(record.root)) ? [] : [`LCM Inspector is no longer in ${record.root}: ${again}.`]),
      ...(existsSync(record.node) ? [] : [`Node is no longer at ${record.node}: ${again}.`]),
      ...(isConnected ? [] : [`The settings of ${label} do not name LCM Inspector as they should: ${again}.`]),
      ...(record.version === this.#installed.version
        ? []
        : [`It was connected by version ${record.version}, and this is ${this.#installed.version}: ${again}.`]),
      ...(existsSync(record.memory) ? [] : [`There is no memory at ${record.memory}: the next session makes it.`]),
      ...(lastHeardAtMs === null || lastHeardAtMs < record.atMs
        ? [`${label} has not been heard of since. ${afterwards}`]
        : []),
      ...failures.slice(-TOLD_FAILURES).map(({ text }) => text),
    ]
  }

  /** Null when the agent is not connected. @throws LcmError invalid_argument when the record is damaged */
  #record(agent: ConnectedAgent): Connection | null {
    return existsSync(this.#recordPath(agent)) ? this.#records(agent).read() : null
  }

  #records(agent: ConnectedAgent): UserFile<Connection> {
    const { root, node, version } = this.#installed
    return new UserFile<Connection>({
      path: this.#recordPath(agent),
      schema: Connection,
      content: 'a record of what "lcm install" changed',
      empty: { memory: '', root, node, version, atMs: 0, files: [] },
    })
  }

  #recordPath(agent: ConnectedAgent): string {
    return join(this.#installed.dataDir, 'adapters', `${agent}.json`)
  }
}

type StateOf = Omit<AgentState, 'problems' | 'command' | 'agent'> & { readonly agent: ConnectedAgent }

/** The command that connects an agent, or null where it is connected as it should be, or is not here. */
function commandOf(
  { agent, isInstalled, isConnected, memory }: StateOf,
  record: Connection | null,
  version: string,
): string | null {
  const isWhole = record !== null && existsSync(builtHook(record.root)) && existsSync(record.node)
  if (!isInstalled || (isConnected && isWhole && record.version === version)) return null
  return memory === null ? `lcm install ${agent} --yes` : `lcm install ${agent} --db ${shellWord(memory)} --yes`
}

/** What hooks start: the program as it was built, also in a checkout. */
const builtHook = (root: string): string => join(root, 'out', 'main', 'hook.cjs')

const notBuilt = (root: string): LcmError =>
  new LcmError(
    'unsupported',
    `Agents start the built program, and there is none in ${root}: build it with "npm run build".`,
  )

function write({ path, after }: FileChange): void {
  if (after === null) rmSync(path, { force: true })
  else writeWhole(path, after)
}

/** Whether a file has exactly this text. */
function isAs(path: string, text: string | null): boolean {
  try {
    return readExactly(path) === text
  } catch {
    return false
  }
}

function readable<T>({ label }: AgentConnection, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new LcmError(
      'invalid_argument',
      `A settings file of ${label} cannot be changed and was left as it is: correct it and try again (${error.message})`,
      {},
      { cause: error },
    )
  }
}

function notThere({ label, folder }: AgentConnection, where: Surroundings): LcmError {
  const path = folder(where)
  return new LcmError(
    'file_missing',
    `${label} has no settings on this computer (${path} is missing): install it and start it once.`,
    { path: dirname(path) },
  )
}
