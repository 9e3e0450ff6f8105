import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { ExpandQuery } from './agents/expand-query/expand-query.ts'
import { GrantService } from './agents/grants/grant-service.ts'
import { issuedGrants } from './agents/grants/grant-tables.ts'
import { Grants } from './agents/grants/grants.ts'
import { Outliner } from './browse/outline.ts'
import { PromptUsage } from './browse/prompt-usage.ts'
import { RetrievalEngine } from './browse/retrieval-engine.ts'
import { Families } from './browse/stats/families.ts'
import { MemoryStats } from './browse/stats/memory-stats.ts'
import { StrataService } from './browse/strata.ts'
import { SummaryDag } from './browse/summary-dag.ts'
import { Transcript } from './browse/transcript.ts'
import { type Clock, systemClock } from './clock.ts'
import { CompactionEngine } from './compaction/compaction-engine.ts'
import { CompactionHistory } from './compaction/compaction-history.ts'
import { CompactionPlanner } from './compaction/compaction-planner.ts'
import { PromptPreviewer } from './compaction/prompt-preview.ts'
import { CompactionUndoer } from './compaction/undo-compaction.ts'
import { WhatIfPlanner } from './compaction/what-if.ts'
import type { ExplorationReport, ExploreInput } from './contract/file.ts'
import type { JobProgress } from './contract/job.ts'
import type { MemoryInfo } from './contract/memory.ts'
import type { Doctor } from './doctor/doctor.ts'
import { marksFor } from './doctor/scan/rule-context.ts'
import type { MoveOptions } from './doctor/working-copy/move-large-texts.ts'
import { LcmError } from './errors.ts'
import { FileReader } from './files/file-reader.ts'
import { FileStore, storeBeside } from './files/file-store.ts'
import { type LargeFileOptions, LargeFileService } from './files/large-file-service.ts'
import { NewMemoryStore } from './files/new-memory-store.ts'
import { userFolders } from './folders.ts'
import { estimatorOf } from './ingest/recorded-estimator.ts'
import { once } from './keeping.ts'
import type { MemoryLedger } from './ledger-keeper.ts'
import { openLedger } from './ledgers.ts'
import { MapRecord } from './map/map-record.ts'
import type { KeyLookup } from './models/summarizers/ask-model.ts'
import type { TokenEstimator } from './models/token-estimator.ts'
import { NoteService } from './notes/note-service.ts'
import type { ProvenanceFinder } from './provenance/provenance.ts'
import { Meaning } from './search/meaning/meaning.ts'
import { openSideIndex } from './search/side-index/open-side-index.ts'
import type { SideIndex } from './search/side-index/side-index.ts'
import { stampAtRest } from './search/side-index/source-state.ts'
import { ConfiguredEmbedder } from './settings/configured-embedder.ts'
import { ConfiguredSummarizers } from './settings/configured-summarizers.ts'
import { findKey, type KeyStore } from './settings/key-store.ts'
import type { Settings } from './settings/settings.ts'
import { loadSettings } from './settings/settings-store.ts'
import { requireEnabled, whySwitchedOff } from './settings/switched-off.ts'
import type { ReadDb, WriteDb } from './sqlite/read-db.ts'
import { isNative } from './systems/native/native.ts'
import { type OpenMemoryOptions, openMemory } from './systems/opening/open.ts'
import { ownBudgetsOf } from './systems/own-budgets.ts'
import { MemoryReader } from './systems/reading/memory-reader.ts'
import { systemOf } from './systems/systems.ts'
import type { FactStateFinder } from './trace/fact-states.ts'
import type { FactTracer } from './trace/fact-tracer.ts'
import type { LossReporter } from './trace/loss.ts'
import type { Prober } from './trace/probe/prober.ts'
import type { SurvivalCounter } from './trace/survival.ts'
import { ContextAssembler } from './window/context-assembler.ts'
import { KeptWindow } from './window/kept-window.ts'
import { TimeTravel } from './window/time-travel/time-travel.ts'

/** All services over one memory file. */
export type Lcm = Disposable & {
  readonly info: MemoryInfo
  readonly settings: Settings
  readonly clock: Clock
  readonly estimator: TokenEstimator
  readonly read: ReadDb
  readonly stats: MemoryStats
  readonly reader: MemoryReader
  readonly strata: StrataService
  readonly transcript: Transcript
  readonly dag: SummaryDag
  readonly context: ContextAssembler
  readonly timeTravel: TimeTravel
  readonly retrieval: RetrievalEngine
  readonly outliner: Outliner
  /** The search index in the app's cache for a file whose own index cannot be relied on, otherwise null. */
  readonly sideIndex: SideIndex | null
  /** What questions find by what it says, when a model for that is configured. */
  readonly meaning: Meaning
  /** The ledger of this memory, as far as the user of this machine allows it. */
  readonly ledger: MemoryLedger
  readonly provenance: Pick<ProvenanceFinder, 'find'>
  /** What became of what was said. */
  readonly tracer: Pick<FactTracer, 'trace'>
  /** Whether an agent would still know what was said. */
  readonly prober: Pick<Prober, 'ask' | 'answers' | 'probe'>
  readonly factStates: Pick<FactStateFinder, 'of'>
  readonly survival: Pick<SurvivalCounter, 'of' | 'columns'>
  readonly losses: Pick<LossReporter, 'report'>
  readonly families: Families
  readonly usage: PromptUsage
  readonly expandQuery: Pick<ExpandQuery, 'ask'>
  /** Permissions for other programs, which are kept in the app's data folder. */
  readonly grants: GrantService
  /** Pins and notes of the user, which are kept in the app's data folder. */
  readonly notes: NoteService
  /** Runs over lists of items that are recorded beside the memory. */
  readonly mapRecord: MapRecord
  readonly planner: CompactionPlanner
  readonly whatIf: WhatIfPlanner
  readonly compactions: CompactionHistory
  /** Takes compaction runs back. */
  readonly undoer: CompactionUndoer
  readonly summarizers: ConfiguredSummarizers
  readonly prompts: PromptPreviewer
  /** Loaded when it is first asked for. */
  readonly doctor: () => Promise<Doctor>
  /** Keeps large texts in files. */
  readonly files: LargeFileService
  /** What moves the large texts of a working copy, which is being made, into its files. */
  readonly largeTextsOf: (path: string) => MoveOptions
  readonly fileReader: FileReader
  /** Has large files described by a model: `exploreFiles`. */
  readonly explore: (input: ExploreInput, signal: AbortSignal) => AsyncGenerator<JobProgress, ExplorationReport>
  /** @throws LcmError switched_off, read_only_dialect, read_only_file */
  compactionEngine(): CompactionEngine
  /** Returns the writable connection, or throws the reason why there is none. `what` completes "cannot …". */
  requireWrite(what: string): WriteDb
  /** True when `info` no longer describes the file, which should then be opened anew. See `OpenedMemory`. */
  isOutdated(): boolean
  close(): void
}

export type OpenLcmOptions = OpenMemoryOptions & {
  /** Default: the environment, then the settings file, then the defaults. */
  readonly settings?: Settings
  /** Keys of model providers that are not in the environment. */
  readonly keys?: KeyStore
  /** Where the app keeps what the user agreed to. Default: the user's data folder. */
  readonly dataDir?: string
  readonly clock?: Clock
  /** Names this process in locks and runs. */
  readonly owner?: string
}

/**
 * The composition root: opens a memory file and builds every service on it.
 * @throws LcmError when there is no memory at the path (see `ErrorCode`)
 */
export async function openLcm(path: string, options: OpenLcmOptions = {}): Promise<Lcm> {
  const settings = options.settings ?? loadSettings(process.env)
  const clock = options.clock ?? systemClock
  const owner = options.owner ?? `lcm-inspector pid ${process.pid}`
  const openedStamp = await stampAtRest(path)
  const opened = await openMemory(path, options)
  const isConfigured = opened.info.path === resolve(settings.databasePath)
  const dataDir = options.dataDir ?? userFolders(process.env).data
  const { memory, ledger } = openLedger(opened, { clock, dataDir, named: isConfigured ? settings.ledgerPath : null })
  const { info, read } = memory
  const estimator = estimatorOf(read, info, settings.tokenEstimator)
  const cacheDir = options.cacheDir ?? userFolders(process.env).cache
  const sideIndex = openSideIndex(memory, openedStamp, cacheDir)
  const keyOf: KeyLookup = (provider) => findKey(provider, process.env, options.keys ?? null)
  const { provider: embedder, maxTexts } = settings.embeddings
  const meaning = new Meaning({
    read,
    memory: realpathSync(info.path),
    cacheDir,
    embedder:
      embedder &&
      new ConfiguredEmbedder({ provider: embedder, spendCapTokens: settings.models.spendCapTokens, keyOf, estimator }),
    maxTexts,
  })
  const reader = new MemoryReader(read, { hasUniqueSeqs: isNative(info) })
  const dag = new SummaryDag(read, reader)
  const assembly = { ...settings.compaction, ownBudgets: ownBudgetsOf(read, info) }
  const stats = new MemoryStats(read, info, assembly, estimator, reader)

  const windows = new KeptWindow(read, estimator, reader)
  const context = new ContextAssembler(read, estimator, assembly, windows)
  const planner = new CompactionPlanner(windows, assembly, whySwitchedOff(settings))
  const summarizers = new ConfiguredSummarizers({
    models: settings.models,
    keyOf,
    estimator,
  })

  const retrieval = new RetrievalEngine(
    read,
    info.capabilities,
    reader,
    sideIndex ?? undefined,
    { filesDir: settings.filesDir },
    meaning,
  )

  const timeTravel = new TimeTravel({
    db: read,
    reader,
    context,
    keepsLog: info.capabilities.runs,
    summaries: systemOf(info.copiedFrom?.system ?? info.system).summaries,
  })

  const requireWrite = (what: string): WriteDb => {
    if (memory.write) return memory.write
    if (!isNative(info)) {
      throw new LcmError(
        'read_only_dialect',
        `Cannot ${what}: ${info.path} belongs to ${info.systemLabel} and is never changed. Make a working copy ("lcm copy", or Make working copy in the window) and use that.`,
        { system: info.system },
      )
    }
    throw new LcmError('read_only_file', `Cannot ${what}: ${info.readOnlyReason ?? `${info.path} is read-only`}`)
  }

  // What checks and repairs is a fifth of all code that would be loaded before the first answer.
  const doctor = once(async () => {
    const { openDoctor } = await import('./doctor/doctor.ts')
    return openDoctor({
      db: read,
      info,
      estimator,
      settings: settings.compaction,
      clock,
      owner,
      ledger,
      summarizers,
      requireWrite,
      filesDir: settings.filesDir,
      filesDirs: [storeBeside(info.path), ...(settings.filesDir ? [settings.filesDir] : [])],
    })
  })

  // What compares texts is an eighth of all code that would be loaded before the first answer.
  const tracing = once(async () => {
    const { openTracing } = await import('./trace/tracing.ts')
    return openTracing({ read, reader, timeTravel, retrieval, leftOut: (id, past) => context.leftOut(id, past) })
  })
  const questions = once(async () => {
    const { ExpandQuery } = await import('./agents/expand-query/expand-query.ts')
    const defaultTokens = settings.maxExpandTokens
    return new ExpandQuery({ db: read, reader, retrieval, estimator, summarizers, clock, defaultTokens })
  })

  const fileReader = new FileReader({
    ...{ db: read, filesDir: settings.filesDir },
    find: async (...asked) => {
      // RE2 is a sixth of all code that would be loaded before the first answer.
      const { findInFile } = await import('./search/files/find-in-file.ts')
      return await findInFile(...asked)
    },
  })
  const storeOf = (path: string): FileStore =>
    new FileStore(settings.filesDir ?? storeBeside(path), settings.filesDir === null)
  const largeFilesIn = (store: LargeFileOptions['store']): LargeFileService =>
    new LargeFileService({
      ...{ store, estimator, thresholdTokens: settings.largeFileTokenThreshold },
      // The parsers of many kinds of files are loaded with the first large file.
      explore: async function* (source, signal) {
        const { explore } = await import('./files/explorers/explore.ts')
        return yield* explore(source, signal)
      },
    })
  const largeTextsOf = (path: string): MoveOptions => {
    const store = new NewMemoryStore(storeOf(path))
    return { store, files: largeFilesIn(store), estimator }
  }

  const close = (): void => {
    meaning.close()
    sideIndex?.close()
    memory.close()
  }
  return {
    info,
    settings,
    clock,
    estimator,
    read,
    stats,
    outliner: new Outliner(read, reader, stats),
    reader,
    strata: new StrataService(read, reader, settings.compaction.freshTailCount, marksFor({ db: read, info }), (id) =>
      context.leftOut(id),
    ),
    transcript: new Transcript(read, reader),
    dag,
    context,
    timeTravel,
    retrieval,
    sideIndex,
    meaning,
    ledger,
    provenance: { find: async (...asked) => (await tracing()).provenance.find(...asked) },
    prober: {
      ask: async (...asked) => (await tracing()).prober.ask(...asked),
      answers: async function* (...asked) {
        return yield* (await tracing()).prober.answers(...asked)
      },
      probe: async (...asked) => (await tracing()).prober.probe(...asked),
    },
    tracer: { trace: async (...asked) => (await tracing()).tracer.trace(...asked) },
    factStates: { of: async (...asked) => (await tracing()).factStates.of(...asked) },
    survival: {
      of: async (...asked) => (await tracing()).survival.of(...asked),
      columns: async (...asked) => (await tracing()).survival.columns(...asked),
    },
    losses: { report: async (...asked) => (await tracing()).losses.report(...asked) },
    families: new Families(read),
    usage: new PromptUsage({ db: read, reader, timeTravel }),
    expandQuery: { ask: async (...asked) => (await questions()).ask(...asked) },
    grants: new GrantService({
      db: read,
      reader,
      clock,
      grants: new Grants(clock, issuedGrants(dataDir)),
      memory: realpathSync(info.path),
    }),
    notes: new NoteService({ db: read, clock, dataDir, memory: realpathSync(info.path) }),
    mapRecord: new MapRecord(dirname(info.path)),
    planner,
    whatIf: new WhatIfPlanner(windows, assembly),
    compactions: new CompactionHistory(read),
    undoer: new CompactionUndoer({ db: read, windows, clock, owner, requireWrite }),
    summarizers,
    prompts: new PromptPreviewer({
      db: read,
      estimator,
      settings: settings.compaction,
      planner,
      windows,
      prompts: () => summarizers.prompts,
    }),
    doctor,
    fileReader,
    explore: async function* (input, signal) {
      const { exploreFiles } = await import('./agents/explore-files.ts')
      const { explorers } = settings
      return yield* exploreFiles({ requireWrite, reader: fileReader, summarizers, explorers, clock }, input, signal)
    },
    files: largeFilesIn(storeOf(info.path)),
    largeTextsOf,
    compactionEngine: () => {
      requireEnabled(settings, 'compact')
      return new CompactionEngine({
        db: requireWrite('compact'),
        estimator,
        clock,
        settings: settings.compaction,
        owner,
        chainFor: (name) => summarizers.chainFor(name),
      })
    },
    requireWrite,
    isOutdated: () => memory.isOutdated(),
    close,
    [Symbol.dispose]: close,
  }
}
