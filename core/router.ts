import { EventPublisher, implement, ORPCError, ValidationError } from '@orpc/server'
import { z } from 'zod'
import { rawRows } from './browse/raw-rows.ts'
import { systemClock } from './clock.ts'
import { contract } from './contract/contract.ts'
import type { ErrorInfo } from './contract/error.ts'
import type { LcmEvent } from './contract/event.ts'
import { findingCounts } from './contract/integrity.ts'
import type { Core } from './core.ts'
import { LcmError, toErrorInfo } from './errors.ts'
import type { Lcm } from './lcm.ts'
import { requireLocalPath } from './local-path.ts'
import { logCall } from './log.ts'
import { despiteWrongValues, stepsDespiteWrongValues } from './systems/opening/wrong-values.ts'
import { PRESETS } from './systems/presets.ts'
import type { Watcher } from './watch/watcher.ts'

/** A refused input is the caller's mistake, and the error names the field. */
function translate(error: unknown): unknown {
  if (!(error instanceof ORPCError) || !(error.cause instanceof ValidationError)) return error
  if (error.code !== 'BAD_REQUEST') return error
  const issues = z.prettifyError(new z.ZodError(error.cause.issues as never))
  return new LcmError('invalid_argument', `The request is not valid: ${issues}`)
}

/**
 * Checks the paths in a call of a page.
 * @throws LcmError invalid_argument for a path that is no file of this machine
 */
const locals = (paths: string[]): string[] => paths.map((path) => requireLocalPath(path))
const local = (path: string | undefined): string | undefined => path && requireLocalPath(path)

const ALL = { kind: 'all' } as const

/** One line for each procedure. Inputs and outputs are validated, and errors become the typed `LCM` error. */
export function createRouter(core: Core) {
  const os = implement(contract).use(async ({ next, errors, path }, input) => {
    const start = performance.now()
    try {
      const answer = await despiteWrongValues(core.path, async () => {
        try {
          return await next()
        } catch (error) {
          throw translate(error)
        }
      })
      // Whoever looks at the log asks for it again and again.
      if (path[0] !== 'activity') logCall(path.join('.'), core.path, input, start, null)
      return answer
    } catch (error) {
      logCall(path.join('.'), core.path, input, start, error)
      const info = toErrorInfo(error)
      if (info.code === 'internal') console.error(error)
      throw errors.LCM({ message: info.message, data: info })
    }
  })

  /**
   * Returns the services after the messages of a conversation were read in slices, so that nobody else waits for it.
   */
  const prepared = async ({ conversationId }: { readonly conversationId: number }): Promise<Lcm> => {
    await (await core.lcm()).reader.prepare(conversationId)
    return core.lcm()
  }
  /** Returns the services after the messages and summaries of a conversation were read in slices. */
  const withSummaries = async ({ conversationId }: { readonly conversationId: number }): Promise<Lcm> => {
    await (await core.lcm()).reader.prepareMemory(conversationId)
    return core.lcm()
  }
  /** Returns the services after that and the events of its window were read in slices. */
  const withEvents = async (input: { readonly conversationId: number }): Promise<Lcm> => {
    await (await withSummaries(input)).timeTravel.prepare(input.conversationId)
    return core.lcm()
  }

  /** An error after the first step of a stream is not seen by the middleware above, so it is translated here. */
  async function* translated<T>(
    steps: () => AsyncGenerator<T, void>,
    toError: (error: { message: string; data: ErrorInfo }) => unknown,
  ): AsyncGenerator<T, void> {
    try {
      yield* stepsDespiteWrongValues(core.path, steps)
    } catch (error) {
      const info = toErrorInfo(error)
      throw toError({ message: info.message, data: info })
    }
  }

  let watching: Promise<Watcher> | null = null
  /** What it needs is loaded with the first look. */
  const watcher = (): Promise<Watcher> => {
    const { surroundings, folders } = core.machine
    watching ??= import('./watch/watcher.ts').then(({ Watcher }) => new Watcher(surroundings, folders.data))
    return watching
  }

  return os.router({
    machine: {
      discover: os.machine.discover.handler(() => core.machine.discover()),
      discoverTranscripts: os.machine.discoverTranscripts.handler(() => core.machine.discoverTranscripts()),
      agents: os.machine.agents.handler(async () => {
        // The adapters of agents are read when somebody asks for them.
        const { connectionsOf } = await import('./host/connections/installed-here.ts')
        return connectionsOf(core.machine).states()
      }),
      discoverSettings: os.machine.discoverSettings.handler(() => core.machine.discoverSettings()),
      recent: os.machine.recent.handler(() => core.machine.recent.list()),
      forgetRecent: os.machine.forgetRecent.handler(({ input }) => core.machine.recent.forget(input.path)),
      sample: os.machine.sample.handler(() => ({ path: core.machine.samplePath() })),
      folder: os.machine.folder.handler(({ input }) => core.machine.listFolder(local(input.path))),
      probe: os.machine.probe.handler(({ input }) => core.machine.probe(requireLocalPath(input.path))),
      previewImport: os.machine.previewImport.handler(async ({ input }) => {
        const memory = await core.openMemory()
        // What reads transcripts is loaded when somebody imports, so that no answer before has to wait for it.
        const { previewImport } = await import('./ingest/transcripts/preview-import.ts')
        return previewImport({ paths: locals(input.paths), db: memory?.read ?? null, clock: systemClock })
      }),
      importNew: os.machine.importNew.handler(({ input }) => {
        const path = core.machine.newMemoryPath(locals(input.paths))
        const spec = { kind: 'import' as const, paths: input.paths, format: 'auto' as const }
        return { path, jobId: core.jobs.start({ path, create: true, spec }) }
      }),
      mendTranscript: os.machine.mendTranscript.handler(async ({ input }) => {
        const path = requireLocalPath(input.path)
        const { mendTranscript } = await import('./ingest/transcripts/mend-transcript.ts')
        return mendTranscript(path, core.machine.newTranscriptPath(path))
      }),
      salvage: os.machine.salvage.handler(({ input }) => {
        const to = core.machine.newMemoryPath(locals([input.path]), 'salvaged')
        return { path: to, jobId: core.jobs.start({ path: input.path, create: false, spec: { kind: 'salvage', to } }) }
      }),
    },
    servers: {
      list: os.servers.list.handler(async () => (await core.servers()).list()),
      connect: os.servers.connect.handler(async ({ input }) => {
        const servers = await core.servers()
        await core.settings.requireDatabase(input.address)
        return servers.connect(input)
      }),
      forget: os.servers.forget.handler(async ({ input }) => (await core.servers()).forget(input.address)),
      fleet: os.servers.fleet.handler(async ({ input: { address, ...asked } }) =>
        (await core.servers()).fleet(address, asked, core.settings.read().compaction.budgetTokens),
      ),
      search: os.servers.search.handler(async ({ input, signal }) =>
        (await core.servers()).search(input, signal ?? new AbortController().signal),
      ),
      open: os.servers.open.handler(async ({ input: { asStored = false, ...input } }) => {
        const servers = await core.servers()
        const path = asStored ? await servers.pathAsStored(input) : servers.pathOf(input)
        return { path, jobId: core.jobs.start({ path, create: true, spec: { kind: 'pull', ...input } }) }
      }),
      objects: os.servers.objects.handler(async () => (await core.servers()).objects()),
      setObjectsKeys: os.servers.setObjectsKeys.handler(async ({ input }) =>
        (await core.servers()).setObjectsKeys(input.keys),
      ),
      following: os.servers.following.handler(async () => core.follower.state(await core.lcm())),
    },
    memory: {
      info: os.memory.info.handler(async () => (await core.lcm()).info),
      stats: os.memory.stats.handler(async () => (await core.lcm()).stats.stats()),
      settings: os.memory.settings.handler(async () => (await core.lcm()).settings.compaction),
      copy: os.memory.copy.handler(async () => {
        const { path } = (await core.lcm()).info
        const to = core.machine.newMemoryPath([path], 'copy')
        return { path: to, jobId: core.jobs.start({ path, create: false, spec: { kind: 'copy', to } }) }
      }),
    },
    conversations: {
      list: os.conversations.list.handler(async ({ input }) =>
        (await core.lcm()).stats.page(input, core.lastReport && findingCounts(core.lastReport)),
      ),
      measure: os.conversations.measure.handler(async () => (await core.lcm()).stats.measure()),
      totals: os.conversations.totals.handler(async ({ signal }) => (await core.lcm()).stats.totals(signal)),
      overview: os.conversations.overview.handler(async ({ input: { conversationId } }) => {
        await (await prepared({ conversationId })).stats.prepareOverview(conversationId)
        return (await core.lcm()).stats.overview(conversationId)
      }),
      family: os.conversations.family.handler(async ({ input, signal }) =>
        (await core.lcm()).families.of(input.conversationId, signal),
      ),
      usage: os.conversations.usage.handler(async ({ input, signal }) => (await core.lcm()).usage.of(input, signal)),
      files: os.conversations.files.handler(async ({ input }) =>
        (await core.lcm()).retrieval.files(input.conversationId),
      ),
      share: os.conversations.share.handler(async function* ({ input, signal, errors }) {
        const pieces = async function* () {
          // What writes pages is loaded when somebody shares one.
          const { shareConversation } = await import('./browse/export/share-conversation.ts')
          const lcm = await withSummaries(input)
          const notes = input.withNotes ? lcm.notes.list() : []
          yield* shareConversation(lcm, { ...input, notes }, signal)
        }
        yield* translated(pieces, errors.LCM)
      }),
    },
    files: {
      read: os.files.read.handler(async ({ input, signal }) =>
        (await core.lcm()).fileReader.read(input.id, input.view, signal ?? new AbortController().signal),
      ),
      bytes: os.files.bytes.handler(async ({ input }) => (await core.lcm()).fileReader.bytes(input)),
      check: os.files.check.handler(async ({ input, signal }) =>
        (await core.lcm()).fileReader.check(input.id, signal ?? new AbortController().signal),
      ),
    },
    transcript: {
      page: os.transcript.page.handler(async ({ input }) => (await core.lcm()).transcript.page(input)),
      message: os.transcript.message.handler(async ({ input }) => (await core.lcm()).transcript.message(input.id)),
      locate: os.transcript.locate.handler(async ({ input }) => (await core.lcm()).transcript.locate(input.id)),
      positionAt: os.transcript.positionAt.handler(async ({ input }) =>
        (await core.lcm()).transcript.positionAt(input),
      ),
    },
    strata: {
      get: os.strata.get.handler(async ({ input }) => (await withSummaries(input)).strata.get(input)),
      messages: os.strata.messages.handler(async ({ input }) => (await withSummaries(input)).strata.messages(input)),
    },
    lineage: {
      neighbourhood: os.lineage.neighbourhood.handler(async ({ input }) => (await core.lcm()).dag.neighbourhood(input)),
      graph: os.lineage.graph.handler(async ({ input }) =>
        (await withSummaries(input)).dag.graph(input.conversationId),
      ),
      tree: os.lineage.tree.handler(async ({ input }) => (await withSummaries(input)).dag.tree(input.conversationId)),
      treeLevel: os.lineage.treeLevel.handler(async ({ input }) => (await withSummaries(input)).dag.treeLevel(input)),
      of: os.lineage.of.handler(async ({ input }) => (await core.lcm()).dag.lineage(input.id)),
      names: os.lineage.names.handler(async ({ input }) => (await core.lcm()).dag.names(input.ids)),
    },
    context: {
      assemble: os.context.assemble.handler(async ({ input }) => (await core.lcm()).context.assemble(input)),
      render: os.context.render.handler(async ({ input }) => {
        const { provider, moment, ...assembled } = input
        return moment
          ? (await withEvents(input)).timeTravel.render({ ...assembled, moment }, provider)
          : (await withSummaries(input)).context.render(assembled, provider)
      }),
      timeline: os.context.timeline.handler(async ({ input }) =>
        (await withEvents(input)).timeTravel.timeline(input.conversationId, input),
      ),
      compactions: os.context.compactions.handler(async ({ input }) =>
        (await withEvents(input)).timeTravel.compactions(input),
      ),
      at: os.context.at.handler(async ({ input }) => (await withEvents(input)).timeTravel.contextAt(input)),
      difference: os.context.difference.handler(async ({ input }) =>
        (await withEvents(input)).timeTravel.difference(input),
      ),
    },
    retrieval: {
      outline: os.retrieval.outline.handler(async ({ input }) => (await core.lcm()).outliner.outline(input)),
      guidelines: os.retrieval.guidelines.handler(async ({ input }) =>
        (await withSummaries(input)).outliner.guidelines(input.conversationId),
      ),
      describe: os.retrieval.describe.handler(async ({ input }) =>
        (await core.lcm()).retrieval.describe(input.id, input.contentChars),
      ),
      raw: os.retrieval.raw.handler(async ({ input }) => rawRows((await core.lcm()).read, input.id)),
      grep: os.retrieval.grep.handler(async ({ input, signal }) => (await core.lcm()).retrieval.grep(input, signal)),
      grepStream: os.retrieval.grepStream.handler(async function* ({ input, signal, errors }) {
        const steps = async function* () {
          yield* (await core.lcm()).retrieval.grepStream(input, signal)
        }
        yield* translated(steps, errors.LCM)
      }),
      matchesIn: os.retrieval.matchesIn.handler(async ({ input, signal }) =>
        (await core.lcm()).retrieval.matchesIn(input, signal),
      ),
      index: os.retrieval.index.handler(() => core.searchIndex()),
      vectors: os.retrieval.vectors.handler(async () => (await core.lcm()).meaning.status()),
      expand: os.retrieval.expand.handler(async ({ input }) => (await core.lcm()).retrieval.expand(input)),
      provenance: os.retrieval.provenance.handler(async ({ input, signal }) =>
        (await core.lcm()).provenance.find(input, signal),
      ),
      expandQuery: os.retrieval.expandQuery.handler(async ({ input, signal }) =>
        (await core.lcm()).expandQuery.ask(input, signal),
      ),
    },
    notes: {
      list: os.notes.list.handler(async () => (await core.lcm()).notes.list()),
      set: os.notes.set.handler(async ({ input }) => {
        const note = (await core.lcm()).notes.set(input)
        core.watchNotes()
        return note
      }),
    },
    grants: {
      issue: os.grants.issue.handler(async ({ input }) => (await core.lcm()).grants.issue(input)),
      list: os.grants.list.handler(async () => (await core.lcm()).grants.list()),
      revoke: os.grants.revoke.handler(async ({ input }) => (await core.lcm()).grants.revoke(input.id)),
    },
    tools: {
      list: os.tools.list.handler(async () => (await import('./agents/tools/tools.ts')).agentTools()),
      call: os.tools.call.handler(async ({ input, signal }) => {
        const { Tools } = await import('./agents/tools/tools.ts')
        const access = input.grant === undefined ? ALL : { kind: 'grant' as const, grantId: input.grant }
        const tools = new Tools(() => core.lcm(), access)
        return { ...(await tools.call(input.name, input.arguments, signal ?? new AbortController().signal)) }
      }),
    },
    trace: {
      fact: os.trace.fact.handler(async ({ input, signal }) => (await core.lcm()).tracer.trace(input, signal)),
      states: os.trace.states.handler(async ({ input, signal }) => (await core.lcm()).factStates.of(input, signal)),
      survival: os.trace.survival.handler(async ({ input, signal }) =>
        (await withSummaries(input)).survival.of(input, signal),
      ),
      survivalColumns: os.trace.survivalColumns.handler(async ({ input, signal }) =>
        (await withSummaries(input)).survival.columns(input, signal),
      ),
      loss: os.trace.loss.handler(async ({ input, signal }) =>
        (await withSummaries(input)).losses.report(input, signal),
      ),
      probe: os.trace.probe.handler(async ({ input, signal }) => (await core.lcm()).prober.probe(input, signal)),
      probeDocument: os.trace.probeDocument.handler(async ({ input }) => {
        const { probeDocument } = await import('./jobs/probe-windows.ts')
        return probeDocument(await core.lcm(), core.jobs.list(), input)
      }),
    },
    compaction: {
      evaluate: os.compaction.evaluate.handler(async ({ input }) => (await core.lcm()).planner.evaluate(input)),
      plan: os.compaction.plan.handler(async ({ input }) => (await core.lcm()).planner.planWith(input)),
      whatIf: os.compaction.whatIf.handler(async ({ input }) => (await core.lcm()).whatIf.ask(input)),
      presets: os.compaction.presets.handler(() => [...PRESETS]),
      runs: os.compaction.runs.handler(async ({ input }) => (await core.lcm()).compactions.runs(input)),
      undoPlan: os.compaction.undoPlan.handler(async ({ input }) => (await core.lcm()).undoer.plan(input)),
      estimate: os.compaction.estimate.handler(async ({ input }) => {
        const { planner, summarizers } = await core.lcm()
        return summarizers.estimate(input.summarizer, planner.plan(input).steps)
      }),
      prompt: os.compaction.prompt.handler(async ({ input }) =>
        (await core.lcm()).prompts.preview(input, input.step, input.level),
      ),
    },
    sql: {
      run: os.sql.run.handler(({ input, signal }) => core.runSql(input, signal)),
      tables: os.sql.tables.handler(({ signal }) => core.sqlTables(signal)),
      saved: os.sql.saved.handler(() => core.queries.list()),
      save: os.sql.save.handler(({ input }) => core.queries.save(input)),
      remove: os.sql.remove.handler(({ input }) => core.queries.remove(input.name)),
    },
    settings: {
      report: os.settings.report.handler(() => core.settings.report()),
      save: os.settings.save.handler(({ input }) => core.settings.save(input)),
      setKey: os.settings.setKey.handler(({ input }) => core.settings.setKey(input.provider, input.key)),
      testProvider: os.settings.testProvider.handler(({ input, signal }) =>
        core.settings.testProvider(input.name, signal ?? new AbortController().signal),
      ),
    },
    integrity: {
      last: os.integrity.last.handler(() => core.lastReport),
    },
    repair: {
      last: os.repair.last.handler(() => core.lastPlan),
    },
    surgery: {
      backups: os.surgery.backups.handler(async () => (await (await core.lcm()).doctor()).undo.backups()),
      events: os.surgery.events.handler(async ({ input }) =>
        (await (await core.lcm()).doctor()).surgery.events(input.conversationId ?? null),
      ),
    },
    ledger: {
      state: os.ledger.state.handler(async () => {
        const { read, ledger } = await core.lcm()
        return ledger.state(read)
      }),
      agree: os.ledger.agree.handler(async () => {
        const { read, ledger, requireWrite } = await core.lcm()
        ledger.agree(requireWrite('continue a ledger'))
        return ledger.state(read)
      }),
    },
    map: {
      runs: os.map.runs.handler(async () => (await core.lcm()).mapRecord.runs()),
      steps: os.map.steps.handler(async ({ input, signal }) => (await core.lcm()).mapRecord.steps(input, signal)),
    },
    jobs: {
      start: os.jobs.start.handler(async ({ input }) => {
        if (input.kind === 'import') locals(input.paths)
        if (input.kind === 'coverage') local(input.path)
        if ('backupFolder' in input) local(input.backupFolder)
        if (input.kind === 'map') {
          requireLocalPath(input.input)
          if (input.command.length > 0) await core.settings.requireCommand(input.command, input.input)
        }
        const { info } = await core.lcm()
        return { jobId: core.jobs.start({ path: info.path, create: false, spec: input }) }
      }),
      cancel: os.jobs.cancel.handler(({ input }) => core.jobs.cancel(input.jobId)),
      list: os.jobs.list.handler(() => core.jobs.list()),
    },
    activity: {
      log: os.activity.log.handler(({ input }) => core.activity.log(input)),
      history: os.activity.history.handler(({ input }) => core.activity.history(input, Date.now())),
      prometheus: os.activity.prometheus.handler(async () => {
        // What was counted is shown also while the memory cannot be opened.
        const stats = (await core.lcm().catch(() => null))?.stats
        const figures = stats ? { conversations: stats.conversations(), checks: [] } : null
        return { text: await core.activity.prometheus(figures, 'all') }
      }),
    },
    watch: {
      look: os.watch.look.handler(async ({ signal }) =>
        (await watcher()).look(await core.lcm(), signal ?? new AbortController().signal),
      ),
    },
    events: os.events.handler(async function* ({ signal }) {
      const publisher = new EventPublisher<{ event: LcmEvent }>()
      const unsubscribe = core.subscribe((event) => publisher.publish('event', event))
      try {
        for await (const event of publisher.subscribe('event', { signal })) yield event
      } finally {
        unsubscribe()
      }
    }),
  })
}
export type Router = ReturnType<typeof createRouter>
