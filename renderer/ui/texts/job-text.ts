import type { StopReason } from '#core/contract/compaction.ts'
import type { Comparison } from '#core/contract/comparison.ts'
import type { CoverageReport } from '#core/contract/coverage.ts'
import type { ExplorationReport } from '#core/contract/file.ts'
import type { Job, JobResult } from '#core/contract/job.ts'
import type { ProbeOutcome } from '#core/contract/probe.ts'
import type { EmbedResult } from '#core/contract/vectors.ts'
import { assertNever } from '#renderer/assert-never.ts'
import { formatBytes, formatCount, formatPercent, plural } from './format.ts'
import { recallText } from './recall-text.ts'

const VERBS: Readonly<Record<Job['kind'], string>> = {
  compact: 'Compacting',
  compaction_preview: 'Looking what would be lost',
  integrity: 'Checking',
  repair_plan: 'Planning repairs',
  repair_export: 'Exporting the plan',
  repair: 'Repairing',
  surgery_preview: 'Previewing',
  surgery: 'Changing summaries',
  undo: 'Restoring',
  undo_compaction: 'Taking a compaction back',
  import: 'Importing',
  index: 'Indexing for search',
  storage: 'Measuring',
  coverage: 'Comparing',
  probe: 'Probing',
  compare: 'Comparing',
  map: 'Mapping',
  explore: 'Describing large files',
  embed: 'Making vectors',
  copy: 'Copying',
  salvage: 'Salvaging',
  pull: 'Copying from PostgreSQL',
  push: 'Pushing to PostgreSQL',
  fetch: 'Fetching',
}
const NOUNS: Readonly<Record<Job['kind'], string>> = {
  compact: 'Compaction',
  compaction_preview: 'Preview of a compaction',
  integrity: 'Check',
  repair_plan: 'Repair plan',
  repair_export: 'Export of the plan',
  repair: 'Repair',
  surgery_preview: 'Preview',
  surgery: 'Surgery',
  undo: 'Restoring',
  undo_compaction: 'Taking a compaction back',
  import: 'Import',
  index: 'Search index',
  storage: 'Storage',
  coverage: 'Comparison with the transcript',
  probe: 'Probe',
  compare: 'Comparison',
  map: 'Map run',
  explore: 'Descriptions of large files',
  embed: 'Vectors',
  copy: 'Working copy',
  salvage: 'Salvage',
  pull: 'Copy from PostgreSQL',
  push: 'Push to PostgreSQL',
  fetch: 'Fetching a large file',
}

const INDEX_OUTCOMES = {
  ready: 'Search index: ready',
  behind: 'Search index: waiting, the file changed',
  busy: 'Search index: made by another window',
  too_large: 'Search index: too large to keep',
  not_needed: 'Search index: not needed',
} as const

/** Describes a running job: `Checking 71 %`, `Importing 1.2 MB`. */
export function jobText({ kind, progress }: Pick<Job, 'kind' | 'progress'>): string {
  if (progress === null || (progress.total === 0 && progress.done === 0)) return `${VERBS[kind]}…`
  if (progress.total > 0) return `${VERBS[kind]} ${formatPercent(Math.min(1, progress.done / progress.total))}`
  const done = progress.unit === 'bytes' ? formatBytes(progress.done) : `${formatCount(progress.done)} ${progress.unit}`
  return `${VERBS[kind]} ${done}`
}

/** Describes the result of a job in a few words. Null while it is running. */
export function jobOutcome(job: Pick<Job, 'kind' | 'state' | 'result'>): string | null {
  if (job.state === 'running') return null
  if (job.state === 'cancelled') return `${NOUNS[job.kind]} cancelled`
  if (job.state === 'failed' || job.result === null) return `${NOUNS[job.kind]} failed`
  return resultText(job.result)
}

function resultText(result: JobResult): string {
  switch (result.kind) {
    case 'compact':
      return `Compaction: ${plural(result.value.created.length, 'new summary', 'new summaries')}`
    case 'compaction_preview':
      return `Preview of a compaction: ${plural(result.value.loss?.counts.dropped ?? 0, 'detail')} would be lost`
    case 'import':
      return `Import: ${plural(result.value.added, 'message')} added`
    case 'index':
      return INDEX_OUTCOMES[result.value.outcome]
    case 'copy':
      return `Working copy: ${plural(result.value.messages, 'message')}, compared row by row`
    case 'salvage':
      return result.value.isWhole ? 'Salvage: everything could be read' : 'Salvage: read what could be read'
    case 'pull':
      return `From PostgreSQL: ${plural(result.value.newMessages, 'new message')}`
    case 'push':
      return result.value.tables.length === 0 ? 'Push: nothing was changed here' : 'Push: written to PostgreSQL'
    case 'fetch':
      return `From the server: ${formatBytes(result.value.bytes)} of a large file`
    case 'storage':
      return `Storage: ${formatBytes(result.value.bytes)} measured`
    case 'coverage':
      return coverageText(result.value)
    case 'probe':
      return probeText(result.value)
    case 'compare':
      return comparedText(result.value)
    case 'map':
      return `Map run: ${formatCount(result.value.completed)} of ${plural(result.value.items, 'item')} completed`
    case 'explore':
      return exploredText(result.value)
    case 'embed':
      return embedText(result.value)
    case 'repair_plan':
      return `Repair plan: ${plural(result.value.steps.length, 'step')}`
    case 'repair_export':
      return `Plan exported: ${result.value.fileName}`
    case 'repair':
      return result.value.rolledBack === null
        ? `Repair: ${plural(result.value.applied.length, 'step')} applied`
        : 'Repair: rolled back, nothing was kept'
    case 'surgery_preview':
      return `Preview: ${result.value.title}`
    case 'surgery':
      return result.value.rolledBack === null ? result.value.preview.title : 'Surgery: rolled back, nothing was kept'
    case 'undo':
      return 'Restored from the backup'
    case 'undo_compaction':
      return `Compaction taken back: ${plural(result.value.summaries.length, 'summary', 'summaries')} removed`
    case 'integrity': {
      const found = result.value.counts.error + result.value.counts.warning
      return found === 0 ? 'Check: nothing wrong' : `Check: ${plural(found, 'finding')}`
    }
    default:
      return assertNever(result)
  }
}

function embedText({ outcome, texts, totalTexts }: EmbedResult): string {
  switch (outcome) {
    case 'ready':
      return `Vectors: ${plural(texts, 'text')} ready`
    case 'cap':
      return `Vectors: ${formatCount(texts)} of ${plural(totalTexts, 'text')}, stopped at the cap of a run`
    case 'too_large':
      return `Vectors: ${formatCount(texts)} of ${plural(totalTexts, 'text')}, no more room`
    case 'busy':
      return 'Vectors: made by another window'
  }
}

function exploredText({ explored, kept }: ExplorationReport): string {
  const without = kept.length > 0 ? `, ${formatCount(kept.length)} without an answer` : ''
  return `${plural(explored.length, 'large file')} described by a model${without}`
}

function probeText({ reports: [first] }: ProbeOutcome): string {
  const { total } = first?.report ?? {}
  return total === undefined || total.questions === 0 ? 'Probe: nothing to ask' : `Probe: ${recallText(total)}`
}

function comparedText({ isSame, counts }: Comparison): string {
  if (isSame) return 'Comparison: no difference'
  return `Comparison: ${plural(counts.differently + counts.onlyA + counts.onlyB, 'difference')}`
}

function coverageText({ ok, isEverything, counts, lostTextCount }: CoverageReport): string {
  if (isEverything) return 'Transcript: everything is in the memory'
  if (ok) return 'Transcript: no message is missing'
  if (lostTextCount > 0) return `Transcript: ${plural(lostTextCount, 'text')} lost`
  return `Transcript: ${formatCount(counts.missing)} missing, ${formatCount(counts.duplicated)} doubled, ${formatCount(counts.differing)} different`
}

const TEXTS: Readonly<Record<StopReason, string>> = {
  target_reached: 'the target is reached',
  all_compacted: 'everything that could be compacted is compacted',
  nothing_eligible: 'nothing could be compacted',
  irreducible_tail: 'the newest messages, which stay, are above the target by themselves',
  no_progress: 'another pass would save nothing',
  cap: 'the limit of passes is reached',
  deadline: 'its time was up',
  cancelled: 'it was cancelled',
  conflict: 'another process changed the conversation',
}

/** The stop reason of a run that was taken back. */
const UNDONE = 'undone'

export const isUndone = ({ stopReason }: { readonly stopReason: string | null }): boolean => stopReason === UNDONE

const isStopReason = (text: string): text is StopReason => Object.hasOwn(TEXTS, text)

/** Says why a compaction run ended. An unknown reason of another system is returned unchanged. */
export const stopReasonText = (reason: string): string =>
  isStopReason(reason) ? TEXTS[reason] : reason === UNDONE ? 'it was taken back' : reason
