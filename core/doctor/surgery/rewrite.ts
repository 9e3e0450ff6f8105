import { Escalation } from '#core/compaction/escalation.ts'
import type { CompactionSettings } from '#core/contract/compaction.ts'
import { SummaryLevel } from '#core/contract/ids.ts'
import type { JobProgress } from '#core/contract/job.ts'
import type { RewrittenNode } from '#core/contract/surgery.ts'
import { LcmError } from '#core/errors.ts'
import { bottomUp, rangesOf } from '#core/memory/draft-coverage.ts'
import type { DraftSummary } from '#core/memory/summaries.ts'
import type { SummarizerChain } from '#core/models/summarizers/summarizer.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import { readSources } from '#core/systems/reading/sources.ts'
import type { FileDraft } from '#core/systems/rules/file-draft.ts'
import type { WindowItem } from '#core/window/window.ts'
import { fingerprintOf } from '../repair/describe-changes.ts'
import { lineDiff } from './line-diff.ts'

export type RewriteTools = {
  readonly estimator: TokenEstimator
  readonly settings: Readonly<CompactionSettings>
  readonly chain: SummarizerChain
  /** Null for the configured target of the node's depth. */
  readonly targetTokens: number | null
}

export type Rewritten = {
  readonly nodes: readonly RewrittenNode[]
  /** Summaries that keep their text, with the reason. */
  readonly kept: readonly { readonly id: string; readonly reason: string }[]
  readonly modelTokens: { readonly input: number; readonly output: number }
}

/** The time limit of one call to a summariser. */
const CALL_MS = 10 * 60_000

/**
 * Lets a summariser rewrite summaries from their sources, leaves first, so that a dependent of a new text is made from
 * that text. Afterwards the draft holds the new texts. Nothing is written.
 * @throws `signal.reason` when the signal aborts
 */
export async function* rewriteTexts(
  draft: FileDraft,
  ids: ReadonlySet<string>,
  tools: RewriteTools,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, Rewritten> {
  const escalation = new Escalation({ chain: tools.chain, estimator: tools.estimator, callMs: CALL_MS })
  const order = bottomUp(draft).filter((id) => ids.has(id))
  const marks = new Map(order.map((id) => [id, madeFrom(draft, id)]))
  const nodes: RewrittenNode[] = []
  const kept = [...ids]
    .filter((id) => !marks.has(id))
    .map((id) => ({ id, reason: 'It lies on a cycle of sources, or above one.' }))
  for (const [done, id] of order.entries()) {
    yield { done, total: order.length, unit: 'steps', note: `summarising ${id}` }
    signal.throwIfAborted()
    const made = await rewriteOne(draft, id, marks.get(id) ?? '', escalation, tools, signal)
    if (typeof made === 'string') kept.push({ id, reason: made })
    else {
      nodes.push(made)
      setText(draft, made)
    }
  }
  const { inputTokens, outputTokens } = escalation.spend
  return { nodes, kept, modelTokens: { input: inputTokens, output: outputTokens } }
}

/**
 * Puts a text that a person wrote in the place of a summary's. Afterwards the draft holds it. Nothing is written.
 * @throws LcmError invalid_argument when the text cannot stand for its sources
 */
export function writeByHand(draft: FileDraft, id: string, written: string, estimator: TokenEstimator): Rewritten {
  const stored = draft.summaries.get(id)
  const text = written.trim()
  const tokens = estimator.count(text)
  const sourceTokens = tokensOfSources(draft, id)
  if (!stored || text === '' || text !== text.toWellFormed())
    throw new LcmError('invalid_argument', 'The new text is empty, or holds half a character: nothing was changed.', {
      id,
    })
  if (sourceTokens > 0 && tokens >= sourceTokens) {
    const [has, most] = [tokens.toLocaleString('en'), sourceTokens.toLocaleString('en')]
    throw new LcmError(
      'invalid_argument',
      `The new text has ${has} tokens and its sources have ${most}: a summary has to be smaller. Shorten the text.`,
      { id, tokens, sourceTokens },
    )
  }
  const before = textOf(draft, stored)
  const modelTokens = { input: 0, output: 0 }
  if (text === before.text) return { nodes: [], kept: [{ id, reason: 'It is the text that is there.' }], modelTokens }
  const node: RewrittenNode = {
    id,
    kind: draft.sourceLinks(id).length === 0 ? 'leaf' : 'condensed',
    depth: stored.depth ?? 0,
    sourceTokens,
    before,
    after: { text, tokens, level: 'unknown', model: null, promptVersion: null },
    diff: lineDiff(before.text, text),
    madeFrom: madeFrom(draft, id),
  }
  setText(draft, node)
  return { nodes: [node], kept: [], modelTokens }
}

/** Returns a hash of everything from which a text was made. When it changes, the text is stale. */
export function madeFrom(draft: FileDraft, id: string): string {
  const sources = draft.sourceLinks(id).map(({ to }) => [to, draft.summaries.get(to)?.hash ?? null])
  return fingerprintOf(draft.textOf(id), draft.messageLinks(id), sources)
}

/** Puts a text that was shown into the draft. */
export function setText(draft: FileDraft, { id, after }: Pick<RewrittenNode, 'id' | 'after'>): void {
  const { text, tokens, level, model: name, promptVersion } = after
  draft.set(id, { content: text, tokens, level, model: name, promptVersion })
}

async function rewriteOne(
  draft: FileDraft,
  id: string,
  mark: string,
  escalation: Escalation,
  { settings, targetTokens, estimator }: RewriteTools,
  signal: AbortSignal,
): Promise<RewrittenNode | string> {
  const stored = draft.summaries.get(id)
  const depth = stored?.depth ?? 0
  const isLeaf = draft.sourceLinks(id).length === 0
  const sources = readSources(draft.db, sourceItems(draft, id), isLeaf ? 0 : 1)
  if (!stored || !sources || sources.entries.length === 0) return 'Its sources are not all there.'
  // A source may have been rewritten just before.
  const entries = sources.entries.map((entry) =>
    entry.kind === 'summary' ? { ...entry, text: draft.textOf(entry.id) } : entry,
  )
  const sourceTokens =
    tokensOfSources(draft, id) || entries.reduce((sum, entry) => sum + estimator.count(entry.text), 0)
  const request = {
    depth: isLeaf ? 0 : Math.max(1, depth),
    targetTokens: targetTokens ?? (isLeaf ? settings.leafTargetTokens : settings.condensedTargetTokens),
    sourceTokens,
    entries,
    previousSummary: isLeaf ? previousText(draft, id) : null,
  }
  const { summary } = await escalation.summarize(request, Number.POSITIVE_INFINITY, signal)
  if (!summary) return `No text came out smaller than its ${sourceTokens.toLocaleString('en')} tokens of sources.`
  const before = textOf(draft, stored)
  if (summary.text === before.text) return 'The summariser gives the text that is there.'
  const { text, tokens, level, promptVersion } = summary
  return {
    id,
    kind: isLeaf ? 'leaf' : 'condensed',
    depth,
    sourceTokens,
    before,
    after: { text, tokens, level, model: summary.model, promptVersion },
    diff: lineDiff(before.text, text),
    madeFrom: mark,
  }
}

/** Returns the direct sources in the form that the reader of sources needs. */
function sourceItems(draft: FileDraft, id: string): WindowItem[] {
  const blank = { ordinal: 0, role: null, depth: null, seq: null, tokens: 0, createdAtMs: null }
  const summaries = draft.sourceLinks(id)
  if (summaries.length > 0) {
    return summaries.map(({ to }) => ({ ...blank, id: to, kind: 'leaf', messageId: null, summaryId: to }))
  }
  return draft
    .messageLinks(id)
    .map(({ to }) => ({ ...blank, id: `msg_${to}`, kind: 'message', messageId: to, summaryId: null }))
}

/** Returns the tokens of the sources of a summary. */
export function tokensOfSources(draft: FileDraft, id: string): number {
  const sources = draft.sources(id)
  if (sources.length > 0) return sources.reduce((sum, source) => sum + (source.tokens ?? 0), 0)
  return draft.messageLinks(id).reduce((sum, { to }) => sum + draft.messages.tokensOf(to), 0)
}

/** Returns the text of the leaf that ends before this one begins. */
function previousText(draft: FileDraft, id: string): string | null {
  const ranges = rangesOf(draft)
  const first = ranges.get(id)?.firstSeq ?? Number.NEGATIVE_INFINITY
  const conversationId = draft.summaries.get(id)?.conversationId
  let best: { readonly id: string; readonly lastSeq: number } | null = null
  for (const other of draft.summaries.values()) {
    const range = ranges.get(other.id)
    if (!range || other.conversationId !== conversationId || draft.sourceLinks(other.id).length > 0) continue
    if (range.lastSeq < first && range.lastSeq > (best?.lastSeq ?? Number.NEGATIVE_INFINITY))
      best = { id: other.id, lastSeq: range.lastSeq }
  }
  return best === null ? null : draft.textOf(best.id)
}

function textOf(draft: FileDraft, stored: DraftSummary): RewrittenNode['before'] {
  return {
    text: draft.textOf(stored.id),
    tokens: stored.tokens ?? 0,
    level: SummaryLevel.safeParse(stored.level).data ?? 'unknown',
    model: stored.model,
    promptVersion: stored.promptVersion,
  }
}
