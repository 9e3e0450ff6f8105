import type { CompactionSettings } from '../contract/compaction.ts'
import type {
  AssembledContext,
  AssembleInput,
  ContextItem,
  Provider,
  RenderedContext,
  Resume,
} from '../contract/context.ts'
import { assertNever } from '../errors.ts'
import { once } from '../keeping.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { GIVEN_UP } from '../systems/reading/pruned-outputs.ts'
import { externalIdsOf } from '../systems/records/messages.ts'
import { callsMade, toolCalls } from '../systems/records/parts.ts'
import { sentAgain } from '../systems/records/sent-again.ts'
import type { CoverageOfEntries } from './coverage-of-entries.ts'
import { inheritedPart } from './inherited.ts'
import { KeptWindow } from './kept-window.ts'
import type { PastEntries } from './read-window.ts'
import { rankByRelevance } from './relevance.ts'
import { renderAnthropic } from './render-anthropic.ts'
import { renderOpenAI } from './render-openai.ts'
import { type Selection, selectItems } from './selection.ts'
import { readTurns } from './turns.ts'
import { MISSING, SUMMARY, UNSENT, type Window } from './window.ts'
import { type AssemblySettings, type Budget, budgetFor, sizeOf, type WindowSize } from './window-size.ts'
import { readExcerpts, readSearchTexts } from './window-texts.ts'

/**
 * The beginning of a long text decides about its relevance. The limit bounds the memory of a query over a large window.
 */
const RANKED_CHARS = 20_000

/** The excerpts of a window with more items are read each time, because keeping them would take much memory. */
const MOST_SHOWN = 20_000

/** A window, what its summaries cover, and which items of it are sent. */
type Chosen = {
  readonly window: Window
  readonly covered: CoverageOfEntries
  readonly selection: Selection
  /** The conversations to which the first entries of a fork belong. */
  readonly homes: readonly number[]
  /** How much a resume loads. Undefined when it was not read yet. */
  readonly resume: Resume | null | undefined
}

/** A window in figures, without its texts. */
export type MeasuredWindow = WindowSize & {
  /** Ids of the messages in it that the agent does not send. */
  readonly unsent: ReadonlySet<string>
  /** What a fork sees of the conversation that it was forked from. */
  readonly inherited: ReturnType<typeof inheritedPart>
}

/** The rest of an answer about a window. It is kept as long as the window: until the file changes. */
type Shown = {
  readonly excerpts: readonly string[]
  /** How much a resume would load; null when that is the whole window. */
  readonly resume: () => Resume | null
  /** How many more times the agent sends a message, by the id that it gave it. */
  readonly sentAgain: () => ReadonlyMap<string, number>
}

/**
 * Tells what the model sees next turn: which items of the window are sent under a budget, the reason for each of them,
 * and the exact provider messages. The same file and input always give the same bytes.
 */
export class ContextAssembler {
  readonly #db: ReadDb
  readonly #settings: Readonly<CompactionSettings & AssemblySettings>
  readonly #windows: KeptWindow
  readonly #shown = new WeakMap<Window, Shown>()

  constructor(
    db: ReadDb,
    estimator: TokenEstimator,
    settings: Readonly<CompactionSettings & AssemblySettings>,
    windows = new KeptWindow(db, estimator),
  ) {
    this.#db = db
    this.#settings = settings
    this.#windows = windows
  }

  /**
   * Tokens are those stored with each item. `pressure` is included tokens ÷ budget; `activeTokens` is the size of the
   * window without a budget. `past` replaces the entries of the stored window.
   * @throws LcmError not_found
   */
  assemble(input: AssembleInput, past: PastEntries = {}): AssembledContext {
    return this.#assembled(input, this.#select(input, past), past.placed !== undefined || past.until !== undefined)
  }

  #assembled(
    input: AssembleInput,
    { window, covered, selection, homes, resume: told }: Chosen,
    isPast: boolean,
  ): AssembledContext {
    const shown = this.#shownOf(window)
    const resume = told === undefined ? shown.resume() : told
    const { budgetTokens: budget } = this.#budget(input)
    const order = homes.length > 0 ? null : historyOrder(window, covered)
    const orphans = this.#orphansWithCall(window)
    const wording = {
      idAt: (index: number) => window.idAt(index),
      standsFor: (index: number) => standsFor(window, covered, index),
      hasCallOutside: (index: number) => orphans.has(index),
      whyUnsent: (index: number) =>
        window.itemAt(index).pruned?.by === GIVEN_UP
          ? 'out: on a branch that was given up'
          : 'out: the agent does not send it again',
    }
    const { activeTokens, fittingTokens, leftOutTokens } = sizeOf(window.columns, selection)
    const again = isPast ? null : this.#sentAgain(window, selection, shown.sentAgain())
    const prunedTokens = window.items.reduce((sum, item) => sum + (item.pruned?.tokens ?? 0), 0)
    return {
      conversationId: input.conversationId,
      tokens: fittingTokens,
      activeTokens,
      leftOutTokens,
      ...(prunedTokens > 0 ? { prunedTokens } : {}),
      ...(again === null ? {} : { sentAgain: again }),
      budget,
      pressure: fittingTokens / budget,
      softThreshold: this.#settings.softThreshold,
      hardThreshold: this.#settings.hardThreshold,
      freshTailCount: this.#freshTailCount(input),
      overBudget: selection.overBudget,
      items: window.items.map((item, ordinal): ContextItem => {
        return {
          ordinal,
          id: item.id,
          kind: item.kind,
          role: item.role,
          depth: item.depth,
          seq: item.seq,
          tokens: item.tokens,
          included: selection.isIncluded(ordinal),
          reasonCode: selection.codeAt(ordinal),
          reason: selection.reasonAt(ordinal, wording),
          messages: standsFor(window, covered, ordinal),
          createdAtMs: item.createdAtMs,
          excerpt: shown.excerpts[ordinal] ?? '',
          ...(item.pruned ? { pruned: item.pruned } : {}),
          ...(ordinal < homes.length ? { conversationId: homes[ordinal] as number } : {}),
        }
      }),
      ...(order ? { historyOrder: order } : {}),
      reconstructed: false,
      ...(resume ? { resume } : {}),
    }
  }

  #shownOf(window: Window): Shown {
    const shown = this.#shown.get(window) ?? {
      excerpts: readExcerpts(this.#db, window),
      resume: once(() => this.resumeOf(window.conversationId)),
      sentAgain: once(() => sentAgain(this.#db, window.conversationId)),
    }
    if (window.length <= MOST_SHOWN) this.#shown.set(window, shown)
    return shown
  }

  /** Sums what the agent sends again of the included messages. Null when that is nothing. */
  #sentAgain(
    window: Window,
    selection: Selection,
    times: ReturnType<Shown['sentAgain']>,
  ): { results: number; tokens: number } | null {
    if (times.size === 0) return null
    const sent = window.items.filter((_, index) => selection.isIncluded(index))
    const externalIds = externalIdsOf(
      this.#db,
      sent.flatMap(({ messageId }) => messageId ?? []),
    )
    let [results, tokens] = [0, 0]
    for (const item of sent) {
      const often = times.get(externalIds.get(item.messageId ?? Number.NaN) ?? '') ?? 0
      results += often
      tokens += often * item.tokens
    }
    return results === 0 ? null : { results, tokens }
  }

  /**
   * Returns ids of the active items that are not sent, of the window of now or of a past one.
   * @throws LcmError not_found
   */
  leftOut(conversationId: number, past: PastEntries = {}): ReadonlySet<string> {
    const { window, selection } = this.#select({ conversationId }, past)
    return idsOf(window, (index) => !selection.isIncluded(index))
  }

  /**
   * Returns the figures of a window, which are those of `assemble` under the configured budget.
   * @throws LcmError not_found
   */
  measure(conversationId: number, past: PastEntries = {}): MeasuredWindow {
    const { window, selection, homes } = this.#select({ conversationId }, past)
    const unsent = idsOf(window, (index) => window.columns.kinds[index] === UNSENT)
    return { ...sizeOf(window.columns, selection), unsent, inherited: inheritedPart(window, homes) }
  }

  /**
   * Returns what would be sent for the same input. While no compaction runs and everything fits, later renderings only
   * append to earlier ones, so that a provider's prompt cache stays valid.
   * @throws LcmError not_found
   */
  render(input: AssembleInput, provider: Provider, past: PastEntries = {}): RenderedContext {
    return this.#rendered(this.#select(input, past), provider)
  }

  /**
   * Returns what `assemble` and `render` do, of one choice: choosing by a query reads the texts of the whole window.
   * @throws LcmError not_found
   */
  assembleAndRender(
    input: AssembleInput,
    provider: Provider,
  ): { readonly context: AssembledContext; readonly rendered: RenderedContext } {
    const chosen = this.#select(input)
    return { context: this.#assembled(input, chosen, false), rendered: this.#rendered(chosen, provider) }
  }

  #rendered({ window, covered, selection }: Chosen, provider: Provider): RenderedContext {
    const included = window.items.filter((_, index) => selection.isIncluded(index))
    const turns = readTurns(this.#db, included, covered, window.prunedTexts)
    switch (provider) {
      case 'anthropic':
        return renderAnthropic(turns)
      case 'openai':
        return renderOpenAI(turns)
      default:
        return assertNever(provider)
    }
  }

  #select(input: AssembleInput, past: PastEntries = {}): Chosen {
    const query = input.query?.trim()
    const { window, covered, homes, resume } = this.#windowOf(input, past)
    const selection = selectItems({
      columns: window.columns,
      pairs: window.pairs,
      budgetTokens: this.#budget(input).selectionTokens,
      freshTailCount: this.#freshTailCount(input),
      relevance: query ? rankByRelevance(readSearchTexts(this.#db, window, RANKED_CHARS), query) : undefined,
    })
    return { window, covered, selection, homes, resume }
  }

  /** Says how much of its window the agent would load when the session is resumed. Null when that is all. */
  resumeOf(conversationId: number): Resume | null {
    return this.#windows.resumeOf(conversationId)
  }

  /** The window of a past moment is nothing that could be resumed. */
  #windowOf({ conversationId, resumed }: AssembleInput, past: PastEntries) {
    if (past.placed) return { ...this.#windows.sent(conversationId, past), resume: null }
    if (resumed) return this.#windows.resumed(conversationId)
    return { ...this.#windows.sent(conversationId, past), resume: undefined }
  }

  #budget(input: AssembleInput): Budget {
    const { conversationId, budgetTokens, tokenBudget } = input
    return budgetFor(this.#settings, conversationId, budgetTokens ?? tokenBudget)
  }

  #freshTailCount(input: AssembleInput): number {
    return input.freshTailCount ?? this.#settings.freshTailCount
  }

  /** Returns indexes of orphans whose call exists in the conversation outside the window. */
  #orphansWithCall(window: Window): ReadonlySet<number> {
    const orphans = new Map(Array.from(window.pairs.orphans, (index) => [window.itemAt(index).messageId, index]))
    if (orphans.size === 0) return new Set()
    const ids = [...orphans.keys()].filter((id) => id !== null)
    const calls = Map.groupBy(toolCalls(this.#db, ids), ({ messageId }) => messageId)
    // If there are several calls, the first one decides.
    const firstCalls = ids.flatMap((id) => calls.get(id)?.[0] ?? [])
    const callIds = firstCalls.map(({ callId }) => callId)
    const made = callsMade(this.#db, window.conversationId, [...new Set(callIds)])
    return new Set(
      firstCalls.flatMap(({ messageId, callId }) => (made.has(callId) ? (orphans.get(messageId) ?? []) : [])),
    )
  }
}

/** Returns the ids of those items that are meant, without making an item of every entry. */
function idsOf(window: Window, isMeant: (index: number) => boolean): ReadonlySet<string> {
  const ids = new Set<string>()
  for (let index = 0; index < window.length; index += 1) if (isMeant(index)) ids.add(window.idAt(index))
  return ids
}

function standsFor(window: Window, covered: CoverageOfEntries, index: number): number {
  const kind = window.columns.kinds[index]
  if (kind === MISSING) return 0
  return kind === SUMMARY ? (covered.get(window.idAt(index))?.messages ?? 0) : 1
}

/**
 * Returns the items of a window in the order of the history, as indexes, or null when they are in that order already. A
 * summary takes the position of its first message, and an item that names nothing follows the item before it. Some
 * systems store each new summary behind the newest message.
 */
function historyOrder({ items }: Window, covered: CoverageOfEntries): number[] | null {
  let last = Number.NEGATIVE_INFINITY
  const seqs = items.map((item) => {
    last = item.seq ?? covered.get(item.summaryId ?? '')?.firstSeq ?? last
    return last
  })
  const isInOrder = seqs.every((own, index) => index === 0 || own >= (seqs[index - 1] ?? own))
  if (isInOrder) return null
  return Array.from(items.keys()).sort((a, b) => (seqs[a] ?? 0) - (seqs[b] ?? 0) || a - b)
}
