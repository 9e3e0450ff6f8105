import { join } from 'node:path'
import { Core } from '#core/core.ts'
import { isDatabaseAddress } from '#core/database-address.ts'
import { LcmError } from '#core/errors.ts'
import { userFolders } from '#core/folders.ts'
import { type Caller, heard } from '#core/host/heard.ts'
import { type HostCallName, HostedMemory } from '#core/host/hosted-memory.ts'
import { Machine } from '#core/machine/machine.ts'
import type { Settings } from '#core/settings/settings.ts'
import { withOverrides } from '#core/settings/settings.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import { procedureCaller, runJob } from '../procedures.ts'
import { executeHere } from '../run-job.ts'
import type { CallOptions, ConversationStore, Lcm, OpenOptions } from './api.ts'
import type { Description, GrepInput, JobSpec } from './types.ts'

/** Beside the built library stand the resources of the package; a library has no sample to offer without them. */
const RESOURCES = join(import.meta.dirname, '../../resources')
const NEVER = new AbortController().signal

/** @throws LcmError see `openLcm` of api.ts */
export async function openLibrary(path: string, options: OpenOptions = {}): Promise<Lcm> {
  const { agent = 'agent', summarizer = 'deterministic', autoCompact = false, compaction, ...opening } = options
  const configured = loadSettings(process.env)
  const settings = { ...configured, compaction: withOverrides(configured.compaction, compaction) }
  if (isDatabaseAddress(path)) return openInPostgres(path, { agent, summarizer, autoCompact, settings })
  const open = { ...opening, settings }
  const core = new Core({
    path,
    open,
    machine: new Machine({ env: process.env, resourcesDir: RESOURCES }),
    execute: executeHere(open),
    isRemembered: false,
  })
  try {
    const { info, summarizers } = await core.lcm()
    // An unknown name is a mistake that is better noticed now than at the first compaction.
    summarizers.providersOf(summarizer)
    const host = new HostedMemory({ core, agent, summarizer, isAutomatic: autoCompact })
    return libraryOn(onFile(core, host, info, { agent, memory: path, dataDir: userFolders(process.env).data }))
  } catch (error) {
    await core.close()
    throw error
  }
}

type InPostgres = {
  readonly agent: string
  readonly summarizer: string
  readonly autoCompact: boolean
  readonly settings: Settings
}

/** The address is part of a program, so it may hold a password. What it needs is loaded with the first address. */
async function openInPostgres(address: string, { autoCompact, settings, ...rest }: InPostgres): Promise<Lcm> {
  const { openRemoteMemory, remoteProcedures } = await import('../remote-service.ts')
  const remote = await openRemoteMemory({
    ...rest,
    ...{ address, settings, givenBy: 'environment', isAutomatic: autoCompact },
    machine: new Machine({ env: process.env, resourcesDir: RESOURCES }),
    execute: executeHere({ settings }),
  })
  return libraryOn({
    info: remote.info(),
    procedure: remoteProcedures(remote),
    ask: (name, input, signal) => remote.call(name, input, signal),
    job: async (spec, signal) => {
      if (spec.kind === 'integrity') return (await remote.job(spec.conversationId, { kind: 'integrity' }, signal)).value
      throw new LcmError(
        'unsupported',
        `A memory in PostgreSQL has no job ${spec.kind} here: pull it into a file first.`,
      )
    },
    subscribe: () => () => undefined,
    close: () => remote.close(),
  })
}

type Served = {
  readonly info: Lcm['info']
  readonly procedure: (name: string, input: unknown, signal?: AbortSignal) => Promise<unknown>
  readonly ask: (name: HostCallName, input: unknown, signal: AbortSignal) => Promise<unknown>
  readonly job: (spec: JobSpec, signal: AbortSignal) => Promise<unknown>
  readonly subscribe: Lcm['subscribe']
  readonly close: Lcm['close']
}

function onFile(core: Core, host: HostedMemory, info: Lcm['info'], caller: Caller): Served {
  const procedure = procedureCaller(core)
  return {
    ...{ info, procedure },
    ask: (name, input, signal) => heard(caller, name, () => host.call(name, input, signal)),
    job: (spec, signal) => heard(caller, spec.kind, () => runJob(core, spec, signal)),
    subscribe: (listener) => core.subscribe(listener),
    close: () => core.close(),
  }
}

function libraryOn({ info, procedure, ask: asked, job: run, subscribe, close }: Served): Lcm {
  const call = ((name, input, { signal } = {}) => procedure(name, input, signal)) as Lcm['call']
  const ask = <T>(name: HostCallName, input: unknown, { signal = NEVER }: CallOptions = {}): Promise<T> =>
    asked(name, input, signal) as Promise<T>
  const job = ((spec, { signal = NEVER } = {}) => run(spec, signal)) as Lcm['job']
  return {
    info,
    store: storeOn(call, ask),
    ingest: (input, options) => ask('ingest', input, options),
    assemble: (input, options) => ask('assemble', input, options),
    compactIfNeeded: (input, options) => ask('compact', { ...input, ifNeeded: true }, options),
    compact: (input, options) => ask('compact', input, options),
    recall: (input, options) => ask('recall', input, options),
    stored: (input, options) => ask('stored', input, options),
    status: (input) => ask('status', input),
    grep: (input, options) => call('retrieval.grep', input, options),
    describe: (id, { contentChars, ...options } = {}) => call('retrieval.describe', { id, contentChars }, options),
    expand: (input, options) => call('retrieval.expand', input, options),
    expandQuery: (input, options) => call('retrieval.expandQuery', input, options),
    integrity: (input = {}, options) => job({ ...input, kind: 'integrity' }, options),
    job,
    call,
    subscribe,
    close,
  }
}

function storeOn(call: Lcm['call'], ask: <T>(name: HostCallName, input: unknown) => Promise<T>): ConversationStore {
  const describe = (id: string): Promise<Description> => call('retrieval.describe', { id })
  const sources = async (id: string): Promise<string[]> => (await describe(id)).sources
  const search = (scope: GrepInput['scope']) => (input: Omit<GrepInput, 'scope'>, options?: CallOptions) =>
    call('retrieval.grep', { ...input, scope }, options)
  const inOrder = async <T>(ids: readonly string[], of: (id: string) => Promise<T>): Promise<T[]> => {
    const found: T[] = []
    for (const id of ids) found.push(await of(id))
    return found
  }
  const isMessage = (id: string): boolean => /^msg_-?\d+$/.test(id)
  return {
    createMessage: ({ message, ...rest }) => ask('ingest', { ...rest, messages: [message] }),
    getContextItems: async (conversationId) => (await call('context.assemble', { conversationId })).items,
    getSummary: async (summaryId) => {
      try {
        const described = await describe(summaryId)
        return described.kind === 'leaf' || described.kind === 'condensed' ? described : null
      } catch (error) {
        if (error instanceof LcmError && error.code === 'not_found') return null
        throw error
      }
    },
    getSummaryChildren: async (id) =>
      inOrder(
        (await sources(id)).filter((source) => !isMessage(source)),
        describe,
      ),
    getSummaryMessages: async (id) =>
      inOrder((await sources(id)).filter(isMessage), (message) => call('transcript.message', { id: message })),
    searchMessages: search('messages'),
    searchSummaries: search('summaries'),
  }
}
