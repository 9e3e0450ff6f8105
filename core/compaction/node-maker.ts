import type { CreatedSummary } from '../contract/compaction.ts'
import { logEvent, memoryKey } from '../log.ts'
import { readSources } from '../systems/reading/sources.ts'
import type { WindowItem } from '../window/window.ts'
import { tokensOf } from './condensation.ts'
import { checkDraft, type NodeDraft, replaceInWindow } from './replace-in-window.ts'
import type { RunOptions } from './run-options.ts'
import { recordBegin, recordSpend } from './run-record.ts'
import type { Step } from './steps.ts'

const queries = {
  text: /* sql */ `
    SELECT content FROM summaries WHERE summary_id = :id`,
} as const

/** `stale`: the sources are gone. `irreducible`: no summary of them was small enough. */
export type Drafted = NodeDraft | 'stale' | 'irreducible'
export type Committed = CreatedSummary | 'stale' | 'irreducible' | 'lock_lost'

/** Requests summaries and writes them, for one run. The run is recorded with its first node. */
export class NodeMaker {
  readonly #options: RunOptions & { readonly startedAtMs: number }
  #isRecorded = false
  #recordedTokens = 0

  constructor(options: RunOptions & { readonly startedAtMs: number }) {
    this.#options = options
  }

  get isRecorded(): boolean {
    return this.#isRecorded
  }

  /** Begins a pass over nodes that replace ranges of these items. */
  beginPass(items: readonly WindowItem[]): NodePass {
    return new NodePass(this.#options, items)
  }

  /**
   * Writes a node in one short transaction. `stale`: the window no longer holds what was read. `lock_lost`: another
   * owner has the lock.
   */
  commit(draft: NodeDraft, tokensBefore: number): Committed {
    const { db, clock, estimator, lock, runId, escalation } = this.#options
    const nowMs = clock()
    const { spend } = escalation
    const node = db.transaction(() => {
      if (!lock.extend(nowMs)) return 'lock_lost'
      const checked = checkDraft(db, draft, estimator)
      if (typeof checked === 'string') return checked
      if (!this.#isRecorded) recordBegin(db, { ...this.#options, tokensBefore })
      replaceInWindow(db, draft, checked, nowMs)
      if (spend.inputTokens + spend.outputTokens !== this.#recordedTokens) recordSpend(db, runId, spend)
      return checked
    })
    if (node === 'taken') return 'irreducible'
    if (typeof node === 'string') return node
    this.#isRecorded = true
    this.#recordedTokens = spend.inputTokens + spend.outputTokens
    const made: CreatedSummary = {
      id: node.id,
      kind: draft.depth === 0 ? 'leaf' : 'condensed',
      depth: draft.depth,
      level: draft.summary.level,
      sourceTokens: draft.windowTokens,
      tokens: node.tokens,
    }
    this.#log(made, draft.durationMs)
    return made
  }

  #log({ id, kind, depth, level, sourceTokens, tokens }: CreatedSummary, durationMs: number): void {
    const { db, input, runId } = this.#options
    logEvent('info', 'compaction', 'node.made', {
      memory: memoryKey(db.path),
      conversation_id: input.conversationId,
      compaction_id: runId,
      trigger_reason: input.reason,
      summary_id: id,
      kind,
      depth,
      summary_level: level,
      token_before: sourceTokens,
      token_after: tokens,
      duration_ms: Math.round(durationMs * 100) / 100,
    })
  }
}

/** The drafts of one pass. It knows the summary before each range. */
export class NodePass {
  readonly #options: RunOptions
  readonly #items: readonly WindowItem[]
  /** By index: the nearest summary before it, or −1. */
  readonly #summaryBefore: Int32Array
  #newest: { readonly at: number; readonly text: string } | null = null

  constructor(options: RunOptions, items: readonly WindowItem[]) {
    this.#options = options
    this.#items = items
    this.#summaryBefore = nearestSummaries(items)
  }

  /**
   * Requests a summary. No transaction is open meanwhile.
   * @throws the reason of the aborted signal
   */
  async draft(step: Step, signal: AbortSignal): Promise<Drafted> {
    const { db, input, runId, escalation } = this.#options
    const began = performance.now()
    const items = this.#items.slice(step.from, step.to)
    const sources = readSources(db, items, step.depth)
    if (!sources) return 'stale'
    const windowTokens = tokensOf(items, { from: 0, to: items.length })
    const request = {
      depth: step.depth,
      targetTokens: step.targetTokens,
      sourceTokens: windowTokens,
      entries: sources.entries,
      previousSummary: step.depth === 0 ? this.#previousSummary(step.from) : null,
    }
    const { summary, attempts } = await escalation.summarize(request, step.mostTokens, signal)
    if (!summary) return 'irreducible'
    return {
      conversationId: input.conversationId,
      runId,
      isAutomatic: input.reason === 'threshold',
      depth: step.depth,
      items,
      sources,
      summary,
      attempts,
      windowTokens,
      mostTokens: step.mostTokens,
      durationMs: performance.now() - began,
    }
  }

  /** Notes that a range has its summary, which the ranges after it continue. */
  wrote(step: Step, text: string): void {
    this.#newest = { at: step.from, text }
  }

  /**
   * Returns the text of the nearest stored summary before an index. When several ranges are in work, the later one does
   * not wait for the earlier one, so it may continue an older summary, or none.
   */
  #previousSummary(index: number): string | null {
    const before = this.#summaryBefore[index] ?? -1
    if (this.#newest && this.#newest.at > before && this.#newest.at < index) return this.#newest.text
    const id = this.#items[before]?.summaryId ?? null
    return id === null ? null : (this.#options.db.value<string>(queries.text, { id }) ?? null)
  }
}

function nearestSummaries(items: readonly WindowItem[]): Int32Array {
  const nearest = new Int32Array(items.length + 1).fill(-1)
  for (let index = 0; index < items.length; index += 1) {
    nearest[index + 1] = items[index]?.summaryId === null ? (nearest[index] ?? -1) : index
  }
  return nearest
}
