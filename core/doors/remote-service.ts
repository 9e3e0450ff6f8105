import { join } from 'node:path'
import { systemClock } from '../clock.ts'
import { procedures } from '../contract/procedures.ts'
import { Core } from '../core.ts'
import { type GivenBy, parseAddress, passwordInEnvironment, requireTenant } from '../database-address.ts'
import { databases } from '../databases.ts'
import { LcmError } from '../errors.ts'
import { RemoteMemory } from '../host/remote-memory.ts'
import type { JobExecutor } from '../jobs/jobs.ts'
import type { Machine } from '../machine/machine.ts'
import type { Settings } from '../settings/settings.ts'
import { procedureCaller } from './procedures.ts'

type RemoteServiceOptions = {
  readonly address: string
  readonly givenBy: GivenBy
  readonly agent: string
  readonly summarizer: string
  readonly isAutomatic: boolean
  readonly settings: Settings
  readonly machine: Machine
  readonly execute: JobExecutor
  readonly owner?: string
}

const WRITING: ReadonlySet<string> = new Set(procedures().flatMap(({ name, writes }) => (writes ? [name] : [])))
/** Jobs that leave the memory as it is. */
const READING_JOBS: readonly unknown[] = ['integrity', 'repair_plan', 'repair_export', 'storage', 'coverage', 'probe']

/**
 * Opens the memory of agents in PostgreSQL.
 * @throws LcmError invalid_argument without a tenant, and what connecting may throw
 */
export async function openRemoteMemory(options: RemoteServiceOptions): Promise<RemoteMemory> {
  const { agent, summarizer, isAutomatic, settings: configured, machine, execute, owner } = options
  const { address, password: given } = parseAddress(options.address, options.givenBy)
  const tenant = requireTenant(address.tenant)
  const password = given ?? passwordInEnvironment(address, process.env)
  const kind = await databases()
  const conversations = await kind.hosting({ address, password, tenant, env: process.env })
  // Without a store for them, large texts stay in their messages: PostgreSQL holds no files.
  const settings = conversations.keepsLargeFiles
    ? configured
    : { ...configured, largeFileTokenThreshold: Number.MAX_SAFE_INTEGER }
  const remote = new RemoteMemory({
    ...{ conversations, agent, summarizer, isAutomatic },
    folder: join(machine.folders.cache, 'service'),
    tokenEstimator: settings.tokenEstimator,
    now: systemClock,
    openCore: (path) =>
      new Core({ path, open: { settings, ...(owner && { owner }) }, machine, execute, isRemembered: false }),
  })
  try {
    await remote.open()
    return remote
  } catch (error) {
    await remote.close()
    throw error
  }
}

/** Calls procedures on the conversation that their input names. Those that change something are refused. */
export function remoteProcedures(remote: RemoteMemory) {
  return (name: string, input: unknown, signal?: AbortSignal): Promise<unknown> => {
    const asked = (typeof input === 'object' && input !== null ? input : {}) as Readonly<Record<string, unknown>>
    const isJob = name === 'jobs.start' && READING_JOBS.includes(asked.kind)
    if (WRITING.has(name) && name !== 'jobs.cancel' && !isJob) {
      throw new LcmError(
        'unsupported',
        `${name} changes a memory, and over PostgreSQL only ingest and compact do: "lcm pull" the conversation, change the file and "lcm push" it.`,
      )
    }
    const [named] = Array.isArray(asked.conversationIds) ? asked.conversationIds : []
    return remote.read(asked.conversationId ?? named, (core) => procedureCaller(core)(name, input, signal))
  }
}
