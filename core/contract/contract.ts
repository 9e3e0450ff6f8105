import { eventIterator, oc } from '@orpc/contract'
import { z } from 'zod'
import { ActivityHistory, ActivityInput, LogInput, LogPage } from './activity.ts'
import {
  CompactInput,
  CompactionDecision,
  CompactionPlan,
  CompactionSettings,
  PromptPreview,
  SpendEstimate,
  WhatIf,
} from './compaction.ts'
import { AssembledContext, AssembleInput, Provider, RenderedContext } from './context.ts'
import { ErrorInfo } from './error.ts'
import { LcmEvent } from './event.ts'
import { ExpandQueryInput, ExpandQueryResult, Grant } from './expand-query.ts'
import { FileContent, FileReadInput, FileState } from './file.ts'
import { AgentTool, GrantIssueInput, ToolCallInput } from './grants.ts'
import { ConversationId, NodeId, TimeMs } from './ids.ts'
import { ImportPreview } from './import.ts'
import { IntegrityReport } from './integrity.ts'
import { Job, JobSpec } from './job.ts'
import { LedgerState } from './ledger.ts'
import { Description, FileInfo, Lineage, Neighbourhood, Tree, TreeLevel } from './lineage.ts'
import { Folder, FoundMemory, FoundTranscripts, Probe, RecentMemory } from './machine.ts'
import { MapItemsInput, MapRuns, MapSteps } from './map.ts'
import { ListedConversation, MemoryInfo, Overview, Stats } from './memory.ts'
import { Message, TranscriptPage } from './message.ts'
import { Guidelines, Outline, OutlineInput } from './outline.ts'
import { Provenance, ProvenanceInput } from './provenance.ts'
import { ProviderTest } from './provider.ts'
import { Backup, RepairPlan } from './repair.ts'
import { ExpandInput, Expansion, GrepInput, GrepResult, GrepStep } from './retrieval.ts'
import { SearchIndexStatus } from './search-index.ts'
import { FoundSettings, Preset, SettingsPatch, SettingsReport } from './settings.ts'
import { Strata, StrataAxis, StrataMessages } from './strata.ts'
import { SurgeryEvent } from './surgery.ts'
import {
  CompactionRunRecord,
  ContextAt,
  ContextAtInput,
  ContextDifference,
  DifferenceInput,
  Moment,
  Timeline,
} from './time-travel.ts'
import { WhatIfInput } from './what-if.ts'

const base = oc.errors({ LCM: { status: 400, data: ErrorInfo } })
const inConversation = z.object({ conversationId: ConversationId })
const byId = z.object({ id: NodeId })

/**
 * Everything that a window, a command or another program can ask of a core. One core serves one memory file. A core
 * without a file answers `machine.*` and `settings.*` only and fails the rest with `no_memory_open`. Every call may
 * fail with the typed error `LCM`, whose data is `ErrorInfo`.
 */
export const contract = {
  machine: {
    discover: base.output(z.array(FoundMemory)),
    discoverTranscripts: base.output(z.array(FoundTranscripts)),
    /** Reads the settings of other systems where they keep them. Nothing is applied. */
    discoverSettings: base.output(z.array(FoundSettings)),
    recent: base.output(z.array(RecentMemory)),
    forgetRecent: base.input(z.object({ path: z.string() })).output(z.void()),
    sample: base.output(z.object({ path: z.string() })),
    folder: base.input(z.object({ path: z.string().optional() })).output(Folder),
    probe: base.input(z.object({ path: z.string() })).output(Probe),
    /** Says what an import of these files and folders would add. It reads only the beginning of each. */
    previewImport: base.input(z.object({ paths: z.array(z.string()).min(1) })).output(ImportPreview),
    /** Imports transcripts into a new native file in the user's data folder. Open `path` when the job is done. */
    importNew: base
      .input(z.object({ paths: z.array(z.string()).min(1) }))
      .output(z.object({ jobId: z.string(), path: z.string() })),
    /**
     * Saves what can be read of a damaged file into a new one in the user's data folder. Open `path` when it is done.
     */
    salvage: base.input(z.object({ path: z.string() })).output(z.object({ jobId: z.string(), path: z.string() })),
  },
  memory: {
    info: base.output(MemoryInfo),
    stats: base.output(Stats),
    settings: base.output(CompactionSettings),
    /** Makes a working copy of the open memory in the user's data folder. Open `path` when the job is done. */
    copy: base.output(z.object({ jobId: z.string(), path: z.string() })),
  },
  conversations: {
    /** Answers at once for a file of any size. Unknown tokens are left open. */
    list: base.output(z.array(ListedConversation)),
    /**
     * Answers when `list` knows all tokens of the file as it is now: true when it did not before. Then ask for the list
     * again.
     */
    measure: base.output(z.boolean()),
    overview: base.input(inConversation).output(Overview),
    files: base.input(inConversation).output(z.array(FileInfo)),
  },
  files: {
    /** Returns a part of the content of a large file: rows, lines, a page, or where a text stands. It can be cancelled. */
    read: base.input(FileReadInput).output(FileContent),
    /** Says whether the content is what was stored. It reads the whole file, and can be cancelled. */
    check: base.input(byId).output(FileState),
  },
  transcript: {
    page: base
      .input(
        inConversation.extend({
          offset: z.int().min(0),
          limit: z.int().min(1).max(500),
          contentChars: z.int().min(0).default(20_000),
        }),
      )
      .output(TranscriptPage),
    message: base.input(byId).output(Message),
    /** Returns where a node begins in its conversation: the row to scroll to. */
    locate: base
      .input(byId)
      .output(z.object({ conversationId: ConversationId, position: z.int(), lastPosition: z.int() })),
    /** Returns the row of the first message at or after a time. */
    positionAt: base.input(inConversation.extend({ atMs: TimeMs })).output(z.object({ position: z.int() })),
  },
  strata: {
    get: base
      .input(
        inConversation.extend({
          axis: StrataAxis,
          /** The default is the configured one. */
          freshTailCount: z.int().min(0).max(1_000_000).optional(),
        }),
      )
      .output(Strata),
    messages: base
      .input(
        inConversation.extend({ axis: StrataAxis, x0: z.number(), x1: z.number(), buckets: z.int().min(1).max(8192) }),
      )
      .output(StrataMessages),
  },
  lineage: {
    neighbourhood: base
      .input(
        byId.extend({
          up: z.int().min(0).max(8).default(2),
          down: z.int().min(0).max(8).default(1),
          maxPerNode: z.int().min(1).max(200).default(12),
          expanded: z.array(NodeId).max(200).default([]),
        }),
      )
      .output(Neighbourhood),
    tree: base.input(inConversation).output(Tree),
    treeLevel: base
      .input(
        inConversation.extend({
          of: NodeId.nullable(),
          offset: z.int().min(0).default(0),
          limit: z.int().min(1).max(1000).default(200),
        }),
      )
      .output(TreeLevel),
    of: base.input(byId).output(Lineage),
  },
  context: {
    assemble: base.input(AssembleInput).output(AssembledContext),
    /** Returns what would be sent next turn, or what would have been sent at a moment. */
    render: base.input(AssembleInput.extend({ provider: Provider, moment: Moment.optional() })).output(RenderedContext),
    /** Returns the events between which the window did not change. */
    timeline: base.input(inConversation).output(Timeline),
    at: base.input(ContextAtInput).output(ContextAt),
    difference: base.input(DifferenceInput).output(ContextDifference),
  },
  retrieval: {
    /** Shows a memory to somebody who knows no id of it: its conversations, and an end or the top of one of them. */
    outline: base.input(OutlineInput).output(Outline),
    /** Returns what an agent may be told about its memory: a constant text, and figures of the last compaction. */
    guidelines: base.input(inConversation).output(Guidelines),
    describe: base.input(byId.extend({ contentChars: z.int().min(0).default(100_000) })).output(Description),
    grep: base.input(GrepInput).output(GrepResult),
    /**
     * Returns the same page while it is found, for what no index answers: the first hits long before the last text was
     * read. It counts to the end, and ends when nobody listens any more or by the signal.
     */
    grepStream: base.input(GrepInput).output(eventIterator(GrepStep, z.void())),
    /** Ask again after an event of a job of kind `index`, and when the database changed. */
    index: base.output(SearchIndexStatus),
    expand: base.input(ExpandInput).output(Expansion),
    /** Returns the passages that support the sentences of a summary. It can be cancelled. */
    provenance: base.input(ProvenanceInput).output(Provenance),
    /** Answers a question from the sources of some summaries, with citations. It can be cancelled. */
    expandQuery: base.input(ExpandQueryInput).output(ExpandQueryResult),
    /** Lists the permissions to read that were given since the memory was opened, newest first. */
    grants: base.output(z.array(Grant)),
    revokeGrant: base.input(z.object({ id: z.string() })).output(Grant),
  },
  /** Permissions for other programs to read a part of the memory. They are kept in the data folder of the app. */
  grants: {
    issue: base.input(GrantIssueInput).output(Grant),
    /** Lists those for the open memory, newest first. */
    list: base.output(z.array(Grant)),
    revoke: base.input(z.object({ id: z.string() })).output(Grant),
  },
  /** What agents read a memory with, as it is offered over MCP. */
  tools: {
    list: base.output(z.array(AgentTool)),
    /** Answers within the grant that the call names. It can be cancelled. */
    call: base.input(ToolCallInput).output(z.record(z.string(), z.unknown())),
  },
  compaction: {
    evaluate: base.input(CompactInput).output(CompactionDecision),
    plan: base.input(CompactInput).output(CompactionPlan),
    /** Is fast enough to be asked at every step of a slider. */
    whatIf: base.input(WhatIfInput).output(WhatIf),
    presets: base.output(z.array(Preset)),
    /** Lists runs, newest first. It is empty for files of systems that keep no record. */
    runs: base.input(inConversation).output(z.array(CompactionRunRecord)),
    /** Estimates what the plan of the same input would ask of models. No model is called. */
    estimate: base.input(CompactInput).output(SpendEstimate),
    /** Returns what a model would be sent for a step of the plan, counted from 0. No model is called. */
    prompt: base
      .input(CompactInput.extend({ step: z.int().min(0), level: z.enum(['normal', 'aggressive']).default('normal') }))
      .output(PromptPreview),
  },
  /** These work also in a window without a memory. */
  settings: {
    report: base.output(SettingsReport),
    /** Writes nothing unless all of it can be used. */
    save: base.input(SettingsPatch).output(SettingsReport),
    /** Stores a key, which no call returns. Null deletes it. */
    setKey: base.input(z.object({ provider: z.string(), key: z.string().max(4096).nullable() })).output(z.void()),
    /** Makes one tiny real call to a saved provider. */
    testProvider: base.input(z.object({ name: z.string() })).output(ProviderTest),
  },
  integrity: {
    /** Returns the last report of this window's core, or null when there is none. */
    last: base.output(IntegrityReport.nullable()),
  },
  repair: {
    /**
     * Returns the last plan of this window's core, or null. Jobs of kind `repair_plan` make one, and `repair` applies
     * it.
     */
    last: base.output(RepairPlan.nullable()),
  },
  surgery: {
    /** Lists backups beside the file, newest first. A job of kind `undo` restores one. */
    backups: base.output(z.array(Backup)),
    /** Lists what was done by hand or by a repair, newest first. */
    events: base.input(inConversation.partial()).output(z.array(SurgeryEvent)),
  },
  ledger: {
    /** Says whether the memory keeps a ledger, and what is pending. */
    state: base.output(LedgerState),
    /**
     * Records the user's consent that the memory continues the ledger that it names. Its content has to prove that it
     * belongs to the memory.
     */
    agree: base.output(LedgerState),
  },
  /** Runs of `lcm map`, and those of decapod, as they are recorded beside the memory. */
  map: {
    runs: base.output(MapRuns),
    steps: base.input(MapItemsInput).output(MapSteps),
  },
  jobs: {
    start: base.input(JobSpec).output(z.object({ jobId: z.string() })),
    cancel: base.input(z.object({ jobId: z.string() })).output(z.void()),
    /** Lists jobs, newest first, also after a reload of the window. */
    list: base.output(z.array(Job)),
  },
  /** What this program recorded, over all its runs. These work also in a window without a memory. */
  activity: {
    /** Returns lines of the log, newest first. */
    log: base.input(LogInput).output(LogPage),
    /** Returns what charts and the list of jobs show. */
    history: base.input(ActivityInput).output(ActivityHistory),
    /** Returns all counts in the text format of Prometheus, with what the open memory holds now. */
    prometheus: base.output(z.object({ text: z.string() })),
  },
  events: base.output(eventIterator(LcmEvent, z.void())),
}
export type Contract = typeof contract
