// Why it is so: docs/decisions/0001-one-contract.md

import { eventIterator, oc } from '@orpc/contract'
import { z } from 'zod'
import { ActivityHistory, ActivityInput, LogInput, LogPage } from './activity.ts'
import {
  CompactInput,
  CompactionDecision,
  CompactionPlan,
  CompactionSettings,
  CompactionUndo,
  PlanInput,
  PromptPreview,
  PromptPreviewInput,
  SpendEstimate,
  UndoCompactionInput,
  WhatIf,
} from './compaction.ts'
import { AgentState } from './connections.ts'
import { AssembledContext, AssembleInput, Provider, RenderedContext } from './context.ts'
import { ErrorInfo } from './error.ts'
import { LcmEvent } from './event.ts'
import { ExpandQueryInput, ExpandQueryResult, Grant } from './expand-query.ts'
import { Family } from './family.ts'
import { FileBytes, FileBytesInput, FileContent, FileReadInput, FileState } from './file.ts'
import { FleetReport } from './fleet.ts'
import { AgentTool, GrantIssueInput, ToolCallInput } from './grants.ts'
import { ById, ConversationId, InConversation, TimeMs } from './ids.ts'
import { ImportPreview, TranscriptPaths } from './import.ts'
import { IntegrityReport } from './integrity.ts'
import { Job, JobSpec } from './job.ts'
import { LedgerState } from './ledger.ts'
import {
  DescribeInput,
  Description,
  FileInfo,
  Lineage,
  LineageGraph,
  Names,
  NamesInput,
  Neighbourhood,
  NeighbourhoodInput,
  Tree,
  TreeLevel,
  TreeLevelInput,
} from './lineage.ts'
import { LossReport } from './loss.ts'
import { Folder, FoundMemory, FoundTranscripts, Probe, RecentMemory } from './machine.ts'
import { MapItemsInput, MapRuns, MapSteps } from './map.ts'
import {
  ConversationPage,
  ConversationsInput,
  ConversationTotals,
  MemoryInfo,
  Overview,
  SharedPiece,
  ShareInput,
  Stats,
} from './memory.ts'
import { MendedTranscript } from './mend.ts'
import { Message, TranscriptPage, TranscriptPageInput } from './message.ts'
import { Note, NoteInput } from './notes.ts'
import { Guidelines, Outline, OutlineInput } from './outline.ts'
import { ProbeDocument, ProbeDocumentInput, ProbeInput, ProbeReport } from './probe.ts'
import { Provenance, ProvenanceInput } from './provenance.ts'
import { ProviderTest } from './provider.ts'
import { RemoteHits } from './remote.ts'
import { Backup, RepairPlan } from './repair.ts'
import { ExpandInput, Expansion, GrepInput, GrepResult, GrepStep, Matches, MatchesInput } from './retrieval.ts'
import { SearchIndexStatus } from './search-index.ts'
import {
  ByServer,
  ConnectInput,
  FollowState,
  ObjectsKeys,
  ObjectsPlace,
  OpenConversationInput,
  ServerFleetInput,
  ServerList,
  ServerSearchInput,
} from './servers.ts'
import { FoundSettings, Preset, SettingsPatch, SettingsReport } from './settings.ts'
import { RawRows, SavedQuery, SqlAnswer, SqlInput, SqlTable } from './sql.ts'
import { Strata, StrataInput, StrataMessages, StrataMessagesInput } from './strata.ts'
import { SurgeryEvent } from './surgery.ts'
import {
  CompactionMark,
  CompactionMarksInput,
  CompactionRunRecord,
  ContextAt,
  ContextAtInput,
  ContextDifference,
  DifferenceInput,
  Moment,
  RunsInput,
  Timeline,
  TimelineInput,
} from './time-travel.ts'
import {
  FactStates,
  FactStatesInput,
  FactTrace,
  LossInput,
  Survival,
  SurvivalColumns,
  SurvivalColumnsInput,
  SurvivalInput,
  TraceInput,
} from './trace.ts'
import { Usage, UsageInput } from './usage.ts'
import { VectorStatus } from './vectors.ts'
import { WatchReport } from './watch.ts'
import { WhatIfInput } from './what-if.ts'

/** What is said of a procedure to people, and to programs that choose among procedures. */
export type ProcedureMeta = {
  /** What it does, in one sentence. */
  readonly does: string
  /** True when it changes a memory, its ledger, the settings or a list of this program. */
  readonly writes?: boolean
}

const base = oc.$meta<ProcedureMeta>({ does: '' }).errors({ LCM: { status: 400, data: ErrorInfo } })
const reads = (does: string) => base.meta({ does })
const writes = (does: string) => base.meta({ does, writes: true })

const byName = z.object({ name: z.string().describe('the provider') })
const byGrant = z.object({ id: z.string().describe('the permission') })
const aPath = z.string().meta({ description: 'a file or folder', value: 'path' })
const byPath = z.object({ path: aPath })
const byJob = z.object({ jobId: z.string().describe('the job') })
const JobAndPath = z.object({ jobId: z.string(), path: z.string() })

/**
 * Everything that a window, a command or another program can ask of a core. One core serves one memory file. A core
 * without a file answers `machine.*` and `settings.*` only and fails the rest with `no_memory_open`. Every call may
 * fail with the typed error `LCM`, whose data is `ErrorInfo`.
 */
export const contract = {
  machine: {
    discover: reads('Finds memories in their usual places.').output(z.array(FoundMemory)),
    discoverTranscripts: reads('Finds transcripts in their usual places.').output(z.array(FoundTranscripts)),
    /** The same as `lcm doctor`. */
    agents: reads('Says which agents keep their sessions in a memory here, and what is wrong with that.').output(
      z.array(AgentState),
    ),
    discoverSettings: reads('Reads the settings of other systems where they keep them. Nothing is applied.').output(
      z.array(FoundSettings),
    ),
    recent: reads('Lists the memories that were opened last.').output(z.array(RecentMemory)),
    forgetRecent: writes('Takes a memory off that list.').input(byPath).output(z.void()),
    sample: writes('Makes a copy of the sample memory, unless there is one, and says where it is.').output(
      z.object({ path: z.string() }),
    ),
    folder: reads('Lists a folder.')
      .input(z.object({ path: aPath.optional() }))
      .output(Folder),
    probe: reads('Says what is at a path, also when it cannot be opened.').input(byPath).output(Probe),
    previewImport: reads('Says what an import would add. It reads only the beginning of each file.')
      .input(z.object({ paths: TranscriptPaths }))
      .output(ImportPreview),
    /** Open `path` when the job is done. */
    importNew: writes("Imports transcripts into a new native file in the user's data folder.")
      .input(z.object({ paths: TranscriptPaths }))
      .output(JobAndPath),
    mendTranscript: writes(
      "Writes a copy of a transcript whose chain of records breaks into the user's data folder; a resume loads all of it.",
    )
      .input(byPath)
      .output(MendedTranscript),
    /** Open `path` when it is done. */
    salvage: writes("Saves what can be read of a damaged file into a new one in the user's data folder.")
      .input(byPath)
      .output(JobAndPath),
  },
  /** PostgreSQL databases that hold conversations of many users. These work also in a window without a memory. */
  servers: {
    list: reads('Lists the PostgreSQL databases that you connected to, without passwords.').output(ServerList),
    connect: writes('Connects to a PostgreSQL database and remembers it; a password is kept in the keychain.')
      .input(ConnectInput)
      .output(ByServer),
    forget: writes('Takes a database off that list, and its password out of the keychain.')
      .input(ByServer)
      .output(z.void()),
    fleet: reads('Lists conversations of all tenants in a database that you may see.')
      .input(ServerFleetInput)
      .output(FleetReport),
    /** It can be cancelled. */
    search: reads('Searches all conversations of a tenant in a database.').input(ServerSearchInput).output(RemoteHits),
    /** Open `path` when the job is done. */
    open: writes('Copies a conversation out of a database into a file of the cache, or brings that file up to date.')
      .input(OpenConversationInput)
      .output(JobAndPath),
    objects: reads('Says where large files of conversations in PostgreSQL lie, and where the keys come from.').output(
      ObjectsPlace.nullable(),
    ),
    setObjectsKeys: writes('Keeps the keys of that S3 server in the keychain; no call returns them.')
      .input(z.object({ keys: ObjectsKeys.nullable().meta({ description: 'null forgets them', examples: [null] }) }))
      .output(z.void()),
    following: reads('Says whether the memory is kept in step with a conversation in a database.').output(FollowState),
  },
  memory: {
    info: reads('Says what the memory is, and what may be done with it.').output(MemoryInfo),
    stats: reads('Counts what the memory holds.').output(Stats),
    settings: reads('Returns the compaction settings that apply to the memory.').output(CompactionSettings),
    /** Open `path` when the job is done. */
    copy: writes("Makes a working copy of the memory in the user's data folder.").output(JobAndPath),
  },
  conversations: {
    /** Answers at once for a file of any size. Unknown tokens are left open. */
    list: reads('Lists conversations.').input(ConversationsInput).output(ConversationPage),
    /**
     * Answers when `list` knows all tokens of the file as it is now: true when it did not before. Then ask for the list
     * again.
     */
    measure: reads('Counts the tokens that the list of conversations leaves open.').output(z.boolean()),
    /** It reads the parts of every message, and can be cancelled. */
    totals: reads('Adds up what the conversations hold and cost.').output(ConversationTotals),
    overview: reads('Describes a conversation.').input(InConversation).output(Overview),
    /** It reads the parts of every answer, and can be cancelled. */
    family: reads('Shows a conversation with all that were forked from it or started by it, counted once.')
      .input(InConversation)
      .output(Family),
    /** It reads the parts of every answer, and can be cancelled. */
    usage: reads('Says what the answers of a conversation used, and where a prompt cache could not be used.')
      .input(UsageInput)
      .output(Usage),
    files: reads('Lists the large files of a conversation.').input(InConversation).output(z.array(FileInfo)),
    /** It can be cancelled. */
    share: reads('Returns a conversation as one page of HTML that shows itself from disk, piece by piece.')
      .input(ShareInput)
      .output(eventIterator(SharedPiece, z.void())),
  },
  files: {
    /** It can be cancelled. */
    read: reads('Returns a part of a large file: rows, lines, a page, or where a text occurs.')
      .input(FileReadInput)
      .output(FileContent),
    bytes: reads('Returns bytes of a large file, a piece at a time.').input(FileBytesInput).output(FileBytes),
    /** It reads the whole file, and can be cancelled. */
    check: reads('Says whether the content of a large file is what was stored.').input(ById).output(FileState),
  },
  transcript: {
    page: reads('Returns messages of a conversation, oldest first.').input(TranscriptPageInput).output(TranscriptPage),
    message: reads('Returns a message with its parts.').input(ById).output(Message),
    locate: reads('Returns where a node begins in its conversation: the row to scroll to.')
      .input(ById)
      .output(z.object({ conversationId: ConversationId, position: z.int(), lastPosition: z.int() })),
    positionAt: reads('Returns the row of the first message at or after a time.')
      .input(InConversation.extend({ atMs: TimeMs.describe('the time') }))
      .output(z.object({ position: z.int() })),
  },
  strata: {
    get: reads('Returns the summaries of a conversation in columns, and what is in its window.')
      .input(StrataInput)
      .output(Strata),
    messages: reads('Returns the messages between two points of the axis, merged into buckets.')
      .input(StrataMessagesInput)
      .output(StrataMessages),
  },
  lineage: {
    neighbourhood: reads('Returns the sources and dependents around a node.')
      .input(NeighbourhoodInput)
      .output(Neighbourhood),
    graph: reads('Returns all summaries of a conversation and the links between them, in columns.')
      .input(InConversation)
      .output(LineageGraph),
    tree: reads('Returns the summaries of a conversation as trees.').input(InConversation).output(Tree),
    treeLevel: reads('Returns the sources of a summary, or the roots, page by page.')
      .input(TreeLevelInput)
      .output(TreeLevel),
    of: reads('Returns the sources of a node down to the messages, and its dependents up to the roots.')
      .input(ById)
      .output(Lineage),
    names: reads(
      'Returns what messages and summaries are called: the first sentence of each, and the numbers of messages.',
    )
      .input(NamesInput)
      .output(Names),
  },
  context: {
    assemble: reads('Returns what the model sees next turn, and why.').input(AssembleInput).output(AssembledContext),
    render: reads('Returns what would be sent next turn, or what would have been sent at a moment.')
      .input(AssembleInput.extend({ provider: Provider, moment: Moment.optional() }))
      .output(RenderedContext),
    timeline: reads('Returns the events between which the window did not change.')
      .input(TimelineInput)
      .output(Timeline),
    compactions: reads('Lists the compactions that ran when one of some messages was the newest.')
      .input(CompactionMarksInput)
      .output(z.array(CompactionMark)),
    at: reads('Returns the window as it was at a moment.').input(ContextAtInput).output(ContextAt),
    difference: reads('Returns what left the window and what entered it between two moments.')
      .input(DifferenceInput)
      .output(ContextDifference),
  },
  retrieval: {
    outline: reads(
      'Shows a memory to somebody who knows no id of it: its conversations, and an end or the top of one of them.',
    )
      .input(OutlineInput)
      .output(Outline),
    guidelines: reads(
      'Returns what an agent may be told about its memory: a constant text, and figures of the last compaction.',
    )
      .input(InConversation)
      .output(Guidelines),
    describe: reads('Returns everything known of a message, summary or file.').input(DescribeInput).output(Description),
    raw: reads('Returns the rows behind a message, summary or file as the file stores them.')
      .input(ById)
      .output(RawRows),
    grep: reads('Finds messages, summaries and files.').input(GrepInput).output(GrepResult),
    /**
     * Returns the same page while it is found, for what no index answers: the first hits long before the last text was
     * read. It counts to the end, and ends when nobody listens any more or by the signal.
     */
    grepStream: reads('Returns the same while it is found.').input(GrepInput).output(eventIterator(GrepStep, z.void())),
    /** It can be cancelled. */
    matchesIn: reads('Returns where a text has what a search finds, as its hits show it.')
      .input(MatchesInput)
      .output(Matches),
    /** Ask again after an event of a job of kind `index`, and when the database changed. */
    index: reads('Says which index searches use, and whether it is up to date.').output(SearchIndexStatus),
    /** Ask again after an event of a job of kind `embed`, and when the database or the settings changed. */
    vectors: reads('Says which texts have vectors, so that questions find them by what they say.').output(VectorStatus),
    expand: reads('Returns the sources of a summary.').input(ExpandInput).output(Expansion),
    /** It can be cancelled. */
    provenance: reads('Returns the passages that support the sentences of a summary.')
      .input(ProvenanceInput)
      .output(Provenance),
    /** It can be cancelled. */
    expandQuery: reads('Answers a question from the sources of some summaries, with citations.')
      .input(ExpandQueryInput)
      .output(ExpandQueryResult),
  },
  /** Pins and notes of the user on nodes. They are kept in the data folder of the app; the memory is only read. */
  notes: {
    /** Ask again after an event of kind `notes`. */
    list: reads('Lists what is pinned and noted in the memory, changed last first.').output(z.array(Note)),
    set: writes('Pins a node or writes a note on it, in the data folder of the app. Returns null when neither is left.')
      .input(NoteInput)
      .output(Note.nullable()),
  },
  /** Permissions for other programs to read a part of the memory. They are kept in the data folder of the app. */
  grants: {
    issue: writes('Lets another program read a part of the memory.').input(GrantIssueInput).output(Grant),
    list: reads('Lists these permissions for the memory, newest first.').output(z.array(Grant)),
    revoke: writes('Takes such a permission back.').input(byGrant).output(Grant),
  },
  /** What agents read a memory with, as it is offered over MCP. */
  tools: {
    list: reads('Lists the tools for agents.').output(z.array(AgentTool)),
    /** It can be cancelled. */
    call: reads('Calls a tool for agents, within the permission that the call names.')
      .input(ToolCallInput)
      .output(z.record(z.string(), z.unknown())),
  },
  /** What became of what was said: comparisons of texts, without a model. They can be cancelled. */
  trace: {
    fact: reads('Follows what was said up to the window, and says where it was lost and how to get it back.')
      .input(TraceInput)
      .output(FactTrace),
    states: reads('Says what became of some messages and summaries in the window, within a budget of time.')
      .input(FactStatesInput)
      .output(FactStates),
    /** It is counted once for each state of the window; later answers are at hand. */
    survival: reads('Counts how many details of each message still stand in the window.')
      .input(SurvivalInput)
      .output(Survival),
    survivalColumns: reads('Counts the same for columns of messages, as the strata show them.')
      .input(SurvivalColumnsInput)
      .output(SurvivalColumns),
    loss: reads('Lists what a compaction dropped or changed, or what left the window between two moments.')
      .input(LossInput)
      .output(LossReport),
    probe: reads('Asks what the agent would be asked, and says whether it would still know the answers.')
      .input(ProbeInput)
      .output(ProbeReport),
    probeDocument: reads('Writes what a probe in the background found as Markdown or as one page of HTML.')
      .input(ProbeDocumentInput)
      .output(ProbeDocument),
  },
  compaction: {
    evaluate: reads('Says whether a compaction is due, and why.').input(CompactInput).output(CompactionDecision),
    plan: reads('Returns the steps of a compaction. Nothing is written.').input(PlanInput).output(CompactionPlan),
    /** Is fast enough to be asked at every step of a slider. */
    whatIf: reads('Returns what a compaction would do under other settings.').input(WhatIfInput).output(WhatIf),
    presets: reads('Lists the settings of known systems.').output(z.array(Preset)),
    /** It is empty for files of systems that keep no record. */
    runs: reads('Lists the compaction runs of a conversation, newest first.')
      .input(RunsInput)
      .output(z.array(CompactionRunRecord)),
    /** A job of kind `undo_compaction` does it. */
    undoPlan: reads('Says what taking a compaction run back would do, or why it cannot be taken back.')
      .input(UndoCompactionInput)
      .output(CompactionUndo),
    estimate: reads('Estimates what the plan of the same input would ask of models. No model is called.')
      .input(CompactInput)
      .output(SpendEstimate),
    prompt: reads('Returns what a model would be sent for a step of the plan. No model is called.')
      .input(PromptPreviewInput)
      .output(PromptPreview),
  },
  /** Statements of the user over the memory. They run in a process of their own, and can only read. */
  sql: {
    /** It can be cancelled. */
    run: reads('Runs one SELECT over the memory, and returns its rows.').input(SqlInput).output(SqlAnswer),
    tables: reads('Lists the tables and columns that a statement may name.').output(z.array(SqlTable)),
    saved: reads('Lists the queries that are kept under a name.').output(z.array(SavedQuery)),
    save: writes('Keeps a query under a name, in the data folder of the app.')
      .input(SavedQuery)
      .output(z.array(SavedQuery)),
    remove: writes('Removes such a query.')
      .input(z.object({ name: SavedQuery.shape.name }))
      .output(z.array(SavedQuery)),
  },
  /** These work also in a window without a memory. */
  settings: {
    report: reads('Lists every setting with its value and where that comes from.').output(SettingsReport),
    save: writes('Changes the settings file. Nothing is written unless all of it can be used.')
      .input(SettingsPatch)
      .output(SettingsReport),
    setKey: writes('Stores the key of a provider, which no call returns.')
      .input(
        z.object({
          provider: z.string().describe('the provider'),
          key: z.string().max(4096).nullable().describe('the key; null deletes it'),
        }),
      )
      .output(z.void()),
    testProvider: reads('Makes one tiny real call to a saved provider.').input(byName).output(ProviderTest),
  },
  integrity: {
    last: reads("Returns the last report of this window's core, or null when there is none.").output(
      IntegrityReport.nullable(),
    ),
  },
  repair: {
    /** Jobs of kind `repair_plan` make one, and `repair` applies it. */
    last: reads("Returns the last repair plan of this window's core, or null.").output(RepairPlan.nullable()),
  },
  surgery: {
    /** A job of kind `undo` restores one. */
    backups: reads('Lists backups beside the file, newest first.').output(z.array(Backup)),
    events: reads('Lists what was done by hand or by a repair, newest first.')
      .input(InConversation.partial())
      .output(z.array(SurgeryEvent)),
  },
  ledger: {
    state: reads('Says whether the memory keeps a ledger, and what is pending.').output(LedgerState),
    /** The content of the ledger has to prove that it belongs to the memory. */
    agree: writes("Records the user's consent that the memory continues the ledger that it names.").output(LedgerState),
  },
  /** Runs of `lcm map`, and those of decapod, as they are recorded beside the memory. */
  map: {
    runs: reads('Lists the runs of map, newest first.').output(MapRuns),
    steps: reads('Lists the tries and results of a run.').input(MapItemsInput).output(MapSteps),
  },
  jobs: {
    start: writes('Starts a job.')
      .input(JobSpec)
      .output(z.object({ jobId: z.string() })),
    cancel: writes('Cancels a job.').input(byJob).output(z.void()),
    list: reads('Lists jobs, newest first, also after a reload of the window.').output(z.array(Job)),
  },
  /** What this program recorded, over all its runs. These work also in a window without a memory. */
  activity: {
    log: reads('Returns lines of the log, newest first.').input(LogInput).output(LogPage),
    history: reads('Returns what charts and the list of jobs show.').input(ActivityInput).output(ActivityHistory),
    prometheus: reads('Returns all counts in the text format of Prometheus, with what the memory holds now.').output(
      z.object({ text: z.string() }),
    ),
  },
  /** What is wrong while an agent works. */
  watch: {
    /** The first call finds no growth, because growth is measured between two calls. A call can be cancelled. */
    look: reads(
      'Says what is wrong with the memory while its agent works: nothing arrives, a window over its limit, failed compactions, summaries that say nothing, a broken cache or chain, growth.',
    ).output(WatchReport),
  },
  events: reads('Returns what happens from now on: changes of the memory, and jobs.').output(
    eventIterator(LcmEvent, z.void()),
  ),
}
export type Contract = typeof contract
