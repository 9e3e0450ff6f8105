import {
  CompactInput,
  type CompactionPreview,
  type CompactionPreviewInput,
  type CompactionResult,
  type PreviewedSummary,
} from '../contract/compaction.ts'
import type { JobProgress } from '../contract/job.ts'
import type { LossReport, LostDetail } from '../contract/loss.ts'
import type { Lcm, OpenLcmOptions } from '../lcm.ts'
import { lossOfRun, MOST_LOST } from './compaction-losses.ts'
import { compactCopy } from './tried-compaction.ts'

/** The details that are listed of each summary. */
const MOST_OF_SUMMARY = 12
/** How the note goes on that not everything was compared. */
const PART = ' here: the figures are those of its first part.'

/**
 * Tells what a compaction by the built-in summariser would lose, summary by summary: it is run on a copy, and reported
 * as the result of the compaction itself would be. The memory is only read.
 * @param open how the copy is opened
 * @throws LcmError not_found, invalid_argument, switched_off, cancelled
 */
export async function* previewCompaction(
  lcm: Lcm,
  asked: CompactionPreviewInput,
  open: OpenLcmOptions,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, CompactionPreview> {
  const began = performance.now()
  const input = CompactInput.parse(asked)
  // The copy does not name the budget that the file may name for the conversation.
  const settings = { ...input.settings, budgetTokens: lcm.planner.evaluate(input).budget }
  const how = { name: 'what would be lost', whenCancelled: 'The preview was cancelled.', open }
  const { lcm: copy, result, close } = yield* compactCopy(lcm, { ...input, settings }, how, signal)
  try {
    const { conversationId, runId, tokensBefore, tokensAfter } = result
    yield { done: 0, total: 0, unit: 'steps', note: 'listing the details that would leave the window' }
    const all = { limit: Number.MAX_SAFE_INTEGER, note: PART }
    const loss = runId === null ? null : await lossOfRun(copy, { conversationId, runId }, signal, all)
    return {
      conversationId,
      tokensBefore,
      tokensAfter,
      summaries: previewed(copy, result, loss),
      loss: loss && { ...loss, ...firstOf(loss, MOST_LOST), fromAtMs: null, toAtMs: null },
      isPart: loss?.notes.some((note) => note.endsWith(PART)) ?? false,
      durationMs: performance.now() - began,
    }
  } finally {
    close()
  }
}

function previewed(
  { reader }: Lcm,
  { conversationId, created }: CompactionResult,
  loss: LossReport | null,
): PreviewedSummary[] {
  const { coverage, summaries } = reader.memory(conversationId)
  const [dropped, changed] = [loss?.dropped ?? [], loss?.changed ?? []].map((lost) =>
    Map.groupBy(lost, ({ atSummary }) => atSummary),
  ) as [Map<string | null, LostDetail[]>, Map<string | null, LostDetail[]>]
  return created.map(({ id, depth, tokens }) => {
    const { firstSeq, lastSeq } = coverage.seqRange(summaries.nodeOf(id)) ?? { firstSeq: null, lastSeq: null }
    const lost = { dropped: dropped.get(id) ?? [], changed: changed.get(id) ?? [] }
    return {
      ...{ depth, firstSeq, lastSeq, tokens },
      dropped: lost.dropped.length,
      changed: lost.changed.length,
      lost: firstOf(lost, MOST_OF_SUMMARY),
    }
  })
}

type Lost = Pick<LossReport, 'dropped' | 'changed'>

const firstOf = ({ dropped, changed }: Lost, most: number): Lost => ({
  dropped: dropped.slice(0, most).map(withoutCopy),
  changed: changed.slice(0, most).map(withoutCopy),
})

/** Leaves out the summaries and the run of the copy, which is gone. */
const withoutCopy = (detail: LostDetail): LostDetail => ({
  ...detail,
  ...{ atSummary: null, depth: null, runId: null, run: null, atMs: null },
  ladder: detail.ladder.slice(0, 1),
})
