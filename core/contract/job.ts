import { z } from 'zod'
import {
  CompactInput,
  CompactionPreview,
  CompactionPreviewInput,
  CompactionResult,
  UndoCompactionInput,
  UndoneCompaction,
  WithLoss,
} from './compaction.ts'
import { Comparison, ComparisonInput } from './comparison.ts'
import { CoverageInput, CoverageReport } from './coverage.ts'
import { ErrorInfo } from './error.ts'
import { ExplorationReport, ExploreInput } from './file.ts'
import { ConversationId, NodeId, SummaryLevel, TimeMs } from './ids.ts'
import { ImportedSessions, ImportResult, ImportWindow, TranscriptFormat, TranscriptPaths } from './import.ts'
import { IntegrityReport } from './integrity.ts'
import { MapOutcome, MapSpec } from './map.ts'
import { ProbeJobInput, ProbeOutcome } from './probe.ts'
import { FetchReport, PullReport, PushReport } from './remote.ts'
import { ExportedPlan, ExportFormat, RepairInput, RepairPlan, RepairPlanInput, RepairResult } from './repair.ts'
import { SalvageReport } from './salvage.ts'
import { SearchIndexResult } from './search-index.ts'
import { StorageReport } from './storage.ts'
import { SurgeryInput, SurgeryOperation, SurgeryPreview, SurgeryResult, UndoInput, UndoResult } from './surgery.ts'
import { EmbedInput, EmbedResult } from './vectors.ts'
import { CopyReport } from './working-copy.ts'

export const JobSpec = z.discriminatedUnion('kind', [
  CompactInput.extend({ kind: z.literal('compact'), loss: WithLoss }),
  /** Compacts a copy of the memory, to tell what would be lost. */
  CompactionPreviewInput.extend({ kind: z.literal('compaction_preview') }),
  RepairPlanInput.extend({
    kind: z.literal('integrity'),
    /** `structure` reads rows without texts, for a large file that was just opened. Without it every check runs. */
    phases: z.literal('structure').optional().describe('only the checks of this phase'),
  }),
  /** A scan, then the plan to repair its findings. */
  RepairPlanInput.extend({ kind: z.literal('repair_plan') }),
  RepairPlanInput.extend({ kind: z.literal('repair_export'), format: ExportFormat }),
  /** Selected steps of a plan, on a native file. */
  RepairInput.extend({ kind: z.literal('repair') }),
  /** A preview of an operation on a node. A rewrite asks its summariser. */
  z.object({ kind: z.literal('surgery_preview'), operation: SurgeryOperation }),
  SurgeryInput.extend({ kind: z.literal('surgery') }),
  UndoInput.extend({ kind: z.literal('undo') }),
  /** Takes a compaction run back, or refuses with the reason. */
  UndoCompactionInput.extend({ kind: z.literal('undo_compaction') }),
  z.object({
    kind: z.literal('import'),
    paths: TranscriptPaths,
    format: TranscriptFormat.default('auto'),
    /** The default is `agent`. */
    window: ImportWindow.optional(),
    sessions: ImportedSessions.optional(),
  }),
  /**
   * Builds the search index of another system's file, or updates it. It starts by itself where
   * searches would take long.
   */
  z.object({ kind: z.literal('index') }),
  z.object({ kind: z.literal('storage') }),
  /** Compares a conversation with the transcript of its agent. */
  CoverageInput.extend({ kind: z.literal('coverage') }),
  /** Asks one window or several what an agent would be asked. */
  ProbeJobInput.extend({ kind: z.literal('probe') }),
  /** Compares two conversations, of one file or of two, or one at two moments. */
  ComparisonInput.extend({ kind: z.literal('compare') }),
  /** Runs a map and records it beside the memory. Before a command runs, the host asks the user in a dialog of its own. */
  MapSpec.extend({ kind: z.literal('map') }),
  /** Has large files described by a model. It starts by itself after an import where a model is named for it. */
  ExploreInput.extend({ kind: z.literal('explore') }),
  /** Has the configured model turn texts into vectors, for questions in other words. */
  EmbedInput.extend({ kind: z.literal('embed') }),
  /** Writes what was changed in a pulled file back to where it was pulled from. */
  z.object({ kind: z.literal('push') }),
  /** Fetches the content of a large file of a pulled conversation from the server, and compares it with its hash. */
  z.object({ kind: z.literal('fetch'), id: NodeId }),
])
export type JobSpec = z.infer<typeof JobSpec>

export const JobProgress = z.object({
  done: z.number(),
  /** 0 when it is unknown. */
  total: z.number(),
  unit: z.enum(['checks', 'chunks', 'bytes', 'messages', 'steps']),
  note: z.string(),
  /** The newest node of a compaction, and the level at which it was obtained. */
  createdId: NodeId.nullable().optional(),
  level: SummaryLevel.nullable().optional(),
})
export type JobProgress = z.infer<typeof JobProgress>

export const JobResult = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('compact'), value: CompactionResult }),
  z.object({ kind: z.literal('compaction_preview'), value: CompactionPreview }),
  z.object({ kind: z.literal('integrity'), value: IntegrityReport }),
  z.object({ kind: z.literal('repair_plan'), value: RepairPlan }),
  z.object({ kind: z.literal('repair_export'), value: ExportedPlan }),
  z.object({ kind: z.literal('repair'), value: RepairResult }),
  z.object({ kind: z.literal('surgery_preview'), value: SurgeryPreview }),
  z.object({ kind: z.literal('surgery'), value: SurgeryResult }),
  z.object({ kind: z.literal('undo'), value: UndoResult }),
  z.object({ kind: z.literal('undo_compaction'), value: UndoneCompaction }),
  z.object({ kind: z.literal('import'), value: ImportResult }),
  z.object({ kind: z.literal('index'), value: SearchIndexResult }),
  z.object({ kind: z.literal('storage'), value: StorageReport }),
  z.object({ kind: z.literal('coverage'), value: CoverageReport }),
  z.object({ kind: z.literal('probe'), value: ProbeOutcome }),
  z.object({ kind: z.literal('compare'), value: Comparison }),
  z.object({ kind: z.literal('map'), value: MapOutcome }),
  z.object({ kind: z.literal('explore'), value: ExplorationReport }),
  z.object({ kind: z.literal('embed'), value: EmbedResult }),
  z.object({ kind: z.literal('copy'), value: CopyReport }),
  z.object({ kind: z.literal('salvage'), value: SalvageReport }),
  z.object({ kind: z.literal('pull'), value: PullReport }),
  z.object({ kind: z.literal('push'), value: PushReport }),
  z.object({ kind: z.literal('fetch'), value: FetchReport }),
])
export type JobResult = z.infer<typeof JobResult>

export const Job = z.object({
  jobId: z.string(),
  kind: z.enum([
    'compact',
    'compaction_preview',
    'integrity',
    'repair_plan',
    'repair_export',
    'repair',
    'surgery_preview',
    'surgery',
    'undo',
    'undo_compaction',
    'import',
    'index',
    'storage',
    'coverage',
    'probe',
    'compare',
    'map',
    'explore',
    'embed',
    'copy',
    'salvage',
    'pull',
    'push',
    'fetch',
  ]),
  conversationId: ConversationId.nullable(),
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  progress: JobProgress.nullable(),
  startedAtMs: TimeMs,
  finishedAtMs: TimeMs.nullable(),
  error: ErrorInfo.nullable(),
  result: JobResult.nullable(),
})
export type Job = z.infer<typeof Job>
