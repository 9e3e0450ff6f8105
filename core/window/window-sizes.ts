import { once } from '../keeping.ts'
import type { Memory } from '../memory/memory.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { MemoryReader } from '../systems/reading/memory-reader.ts'
import { prunedByMessage, prunedInWindows, readPruned, unsentMessages } from '../systems/reading/pruned-outputs.ts'
import { forkPoints } from '../systems/records/forks.ts'
import { knownRole, messageWeights } from '../systems/records/messages.ts'
import { toolCalls } from '../systems/records/parts.ts'
import { summaryHeads } from '../systems/records/summaries.ts'
import { plainWindowsOf, type WindowEntry, windowsOf } from '../systems/records/window-entries.ts'
import { type Inherited, inheritedBy } from './inherited.ts'
import { type Placements, storedPlacements } from './placements.ts'
import { estimatesOf, readingWindow } from './read-window.ts'
import { callUses, pairTools } from './tool-pairs.ts'
import { columnsOf, tokenCount, type WindowItem } from './window.ts'
import { type AssemblySettings, budgetsOf, measureWindow, NO_WINDOW, type WindowSize } from './window-size.ts'

type Item = Pick<WindowItem, 'kind' | 'role' | 'tokens' | 'pruned' | 'messageId' | 'summaryId'>

/**
 * Measures windows with the same selection that assembles a single one, so that the figures of a list agree with the
 * context view.
 */
export class WindowSizes {
  readonly #db: ReadDb
  readonly #estimator: TokenEstimator
  readonly #settings: AssemblySettings
  readonly #reader: MemoryReader

  constructor(db: ReadDb, estimator: TokenEstimator, settings: AssemblySettings, reader = new MemoryReader(db)) {
    this.#db = db
    this.#reader = reader
    this.#estimator = estimator
    this.#settings = settings
  }

  /**
   * Measures the windows of many conversations by a few queries over sets. None of them should be long. Conversations
   * without an entry are left out. Call it inside a snapshot.
   */
  measure(conversationIds: readonly number[]): Map<number, WindowSize> {
    const inherited = this.#inherited(conversationIds)
    const budgetOf = budgetsOf(this.#settings, conversationIds)
    const sizes = new Map<number, WindowSize>()
    const pruned = once(() => prunedInWindows(this.#db))
    for (const [id, items, tokens] of plainWindowsOf(this.#db, conversationIds)) {
      const fits = tokens <= budgetOf(id).selectionTokens
      if (fits && !pruned().has(id) && !inherited.has(id)) sizes.set(id, wholeWindow(items, tokens))
    }
    const others = conversationIds.filter((id) => !sizes.has(id))
    for (const windows of this.#windows(others, inherited)) {
      const items = this.#items([...windows.values()].flat())
      const callIds = this.#callIds(items)
      let from = 0
      for (const [conversationId, { length }] of windows) {
        const outputs = [
          ...(inherited.get(conversationId)?.pruned ?? []),
          ...(pruned().has(conversationId) || inherited.has(conversationId)
            ? readPruned(this.#db, conversationId)
            : []),
        ]
        const window = withoutPruned(items.slice(from, from + length), prunedByMessage(outputs))
        from += length
        const budgetTokens = budgetOf(conversationId).selectionTokens
        sizes.set(conversationId, this.#sizeOf(window, callIds, unsentMessages(outputs), budgetTokens))
      }
    }
    return sizes
  }

  /** Yields windows, many at a time. That of a fork begins with what it sees of its parent. */
  *#windows(
    conversationIds: readonly number[],
    inherited: ReadonlyMap<number, Inherited>,
  ): Generator<ReadonlyMap<number, readonly WindowEntry[]>> {
    const forks = new Map(Array.from(inherited, ([id, { placed }]) => [id, placed.map(entryOf)]))
    for (const windows of windowsOf(this.#db, conversationIds)) {
      for (const [id, entries] of windows) {
        const begin = forks.get(id)
        if (begin) windows.set(id, [...begin, ...entries])
        forks.delete(id)
      }
      yield windows
    }
    // Nothing was said in these yet.
    const rest = new Map([...forks].filter(([, entries]) => entries.length > 0))
    if (rest.size > 0) yield rest
  }

  /** Measures the window of a conversation whose memory was read, of any length, in pieces of some milliseconds. */
  *measuring(memory: Memory, conversationId: number): Generator<void, WindowSize> {
    const inherited = inheritedBy(this.#db, this.#reader, conversationId)
    const past = inherited
      ? { placed: [...inherited.placed, ...storedPlacements(memory)], prunedElsewhere: inherited.pruned }
      : {}
    const { columns, pairs } = yield* readingWindow(this.#db, memory, this.#estimator, past)
    yield
    const budgetTokens = budgetsOf(this.#settings, [conversationId])(conversationId).selectionTokens
    return measureWindow(columns, pairs, { ...this.#settings, budgetTokens })
  }

  /** What the forks among some conversations see of others. */
  #inherited(conversationIds: readonly number[]): ReadonlyMap<number, Inherited> {
    const forks = forkPoints(this.#db)
    return new Map(
      conversationIds.flatMap((id): [number, Inherited][] => {
        const inherited = forks.has(id) ? inheritedBy(this.#db, this.#reader, id) : null
        return inherited ? [[id, inherited]] : []
      }),
    )
  }

  #items(rows: readonly WindowEntry[]): Item[] {
    const messageIds = rows.flatMap(({ messageId }) => messageId ?? [])
    const messages = messageWeights(this.#db, messageIds)
    const summaryIds = rows.flatMap(({ messageId, summaryId }) =>
      summaryId !== null && !messages.has(messageId ?? Number.NaN) ? summaryId : [],
    )
    const summaries = new Map(
      (summaryIds.length === 0 ? [] : summaryHeads(this.#db, summaryIds)).map((head) => [head.id, head]),
    )
    const counted = rows.map(({ messageId, summaryId }): Item => {
      const message = messages.get(messageId ?? Number.NaN)
      if (message) {
        const [id, role, tokens] = message
        return { kind: 'message', messageId: id, summaryId: null, role: knownRole(role), tokens: tokenCount(tokens) }
      }
      const summary = summaries.get(summaryId ?? '')
      return summary
        ? { kind: summary.kind, messageId: null, summaryId, role: null, tokens: tokenCount(summary.tokens) }
        : { kind: 'missing', messageId: null, summaryId: null, role: null, tokens: 0 }
    })
    return this.#estimated(counted)
  }

  /** Sets an estimate for each text without a count. */
  #estimated(items: Item[]): Item[] {
    const uncounted = items.filter(({ tokens }) => tokens === 0)
    if (uncounted.length === 0) return items
    const messageIds = uncounted.flatMap(({ messageId }) => messageId ?? [])
    const summaryIds = uncounted.flatMap(({ summaryId }) => summaryId ?? [])
    const estimates = estimatesOf(this.#db, messageIds, summaryIds, this.#estimator)
    return items.map((item) =>
      item.tokens === 0 ? { ...item, tokens: estimates.get(item.messageId ?? item.summaryId ?? '') ?? 0 } : item,
    )
  }

  /** Returns the tool calls that each message makes or answers. */
  #callIds(items: readonly Item[]): ReadonlyMap<number, readonly string[]> {
    const calls = toolCalls(
      this.#db,
      items.flatMap(({ messageId }) => messageId ?? []),
    )
    const callIds = new Map<number, string[]>()
    for (const { messageId, callId } of calls) {
      const known = callIds.get(messageId)
      if (known) known.push(callId)
      else callIds.set(messageId, [callId])
    }
    return callIds
  }

  #sizeOf(
    window: readonly Item[],
    callIds: ReadonlyMap<number, readonly string[]>,
    unsent: ReadonlySet<number>,
    budgetTokens: number,
  ): WindowSize {
    const activeTokens = window.reduce((sum, { tokens }) => sum + tokens, 0)
    // Most windows fit as they are, and then nothing has to be selected.
    const isPlain = ({ kind, messageId }: Item): boolean =>
      kind !== 'missing' && (messageId === null || !(callIds.has(messageId) || unsent.has(messageId)))
    if (activeTokens <= budgetTokens && window.every(isPlain)) return wholeWindow(window.length, activeTokens)
    const isUnsent = ({ messageId }: Item): boolean => messageId !== null && unsent.has(messageId)
    const unsentIndexes = new Set(window.flatMap((item, index) => (isUnsent(item) ? index : [])))
    // A message that is in the window twice carries its calls at its last index, as in an assembled window.
    const indexes = new Map<number, number>()
    for (const [index, { messageId }] of window.entries())
      if (messageId !== null && callIds.has(messageId) && !unsent.has(messageId)) indexes.set(messageId, index)
    const uses = new Map<string, number[]>()
    for (const [messageId, index] of indexes)
      for (const callId of callIds.get(messageId) ?? []) {
        const known = uses.get(callId)
        if (known) known.push(index)
        else uses.set(callId, [index])
      }
    const pairs = pairTools(window.length, callUses(uses.values()), (index) => window[index]?.role === 'assistant')
    return measureWindow(columnsOf(window, unsentIndexes), pairs, { ...this.#settings, budgetTokens })
  }
}

const wholeWindow = (items: number, tokens: number): WindowSize => ({
  ...NO_WINDOW,
  items,
  activeTokens: tokens,
  fittingTokens: tokens,
})

const entryOf = (named: Placements[number]): WindowEntry =>
  typeof named === 'number' ? { messageId: named, summaryId: null } : { messageId: null, summaryId: named }

const withoutPruned = (items: readonly Item[], pruned: ReturnType<typeof prunedByMessage>): readonly Item[] =>
  pruned.size === 0
    ? items
    : items.map((item) => {
        const taken = pruned.get(item.messageId ?? Number.NaN)
        return taken ? { ...item, tokens: Math.max(0, item.tokens - taken.tokens), pruned: taken } : item
      })
