import type {
  ConversationPage,
  ConversationRow,
  ConversationsInput,
  ConversationTotals,
  ListedConversation,
  MemoryInfo,
  Overview,
  Stats,
} from '#core/contract/memory.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import { measureFile } from '#core/sqlite/memory-file.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readSnapshot } from '#core/sqlite/read-snapshot.ts'
import { isNative } from '#core/systems/native/native.ts'
import { changeStamp } from '#core/systems/reading/change-stamp.ts'
import type { KeptByConversation } from '#core/systems/reading/kept-by-conversation.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { nextRecheckMs } from '#core/systems/reading/recheck-time.ts'
import { noSuchConversation, storedConversations } from '#core/systems/records/conversations.ts'
import { rowCount } from '#core/systems/records/counts.ts'
import { forkedConversations } from '#core/systems/records/forks.ts'
import { statedCosts } from '#core/systems/records/stated-costs.ts'
import { costsAfter } from '#core/systems/records/steps.ts'
import {
  type Conversations,
  depthCounts,
  lastChanges,
  lastRuns,
  summaryTallies,
} from '#core/systems/records/tallies.ts'
import { type AssemblySettings, budgetsOf, NO_WINDOW, type WindowSize } from '#core/window/window-size.ts'
import { WindowSizes } from '#core/window/window-sizes.ts'
import { TimeSlice } from '#core/yielding.ts'
import { conversationDetails } from './conversation-details.ts'
import { type ConversationFacts, conversationPage } from './conversation-page.ts'
import { ConversationSizes, type ListedSize, type Size } from './conversation-sizes.ts'
import { keptFirstWords } from './first-words.ts'

type Figures = Pick<
  ConversationRow,
  'contextItems' | 'activeTokens' | 'contextTokens' | 'leftOutItems' | 'leftOutTokens' | 'pressure' | 'ownBudgetTokens'
>
const UNMEASURED = { activeTokens: null, contextTokens: null, leftOutItems: null, leftOutTokens: null, pressure: null }

type KeptTallies = {
  readonly tallies: ReturnType<typeof summaryTallies>
  readonly stamp: string
  readonly state: string
  readonly recheckAtMs: number
}

/** How many errors and warnings a check found, by conversation. */
type FindingCounts = ReadonlyMap<number, { readonly error: number; readonly warning: number }>
const NO_FINDINGS = { error: 0, warning: 0 }

const NOTHING: Size = { messages: 0, storedTokens: 0, window: NO_WINDOW }

/** How many window entries are measured while somebody waits for the list. */
const ENTRIES_AT_ONCE = 20_000
/** The messages of which the steps are read together. */
const STEPS_AT_ONCE = 500
/** The next reading of them waits this many times as long as the last one took. */
const WAIT_SHARE = 10

/** True for files that are small or keep the token counts of messages in an index. */
const areSizesAtHand = (info: MemoryInfo): boolean => isNative(info) || info.access === 'memory_image'

/**
 * Counts and sizes of the file, of each conversation, and of one conversation in detail. Every figure is that of the
 * file at the moment of the call, and comes from a fixed number of queries. Only `listed` may know less, or know it
 * from an earlier moment.
 */
export class MemoryStats {
  readonly #db: ReadDb
  readonly #info: MemoryInfo
  readonly #settings: AssemblySettings
  readonly #reader: MemoryReader
  readonly #sizes: ConversationSizes
  readonly #areAtHand: boolean
  readonly #firstWords: KeptByConversation<string>
  #cost: { readonly stamp: string; readonly cost: number | null; readonly recheckAtMs: number } | null = null
  #summaries: KeptTallies | null = null

  /** @param settings the settings with which windows are assembled; pressure is measured against their budget */
  constructor(
    db: ReadDb,
    info: MemoryInfo,
    settings: AssemblySettings,
    estimator: TokenEstimator,
    reader: MemoryReader = new MemoryReader(db),
    areAtHand: boolean = areSizesAtHand(info),
  ) {
    this.#db = db
    this.#info = info
    this.#settings = settings
    this.#reader = reader
    this.#sizes = new ConversationSizes(db, reader, new WindowSizes(db, estimator, settings, reader))
    this.#areAtHand = areAtHand
    this.#firstWords = keptFirstWords(db, reader.appended)
  }

  stats(): Stats {
    return readSnapshot(this.#db, () => this.#stats())
  }

  /**
   * Returns all conversations by id. `storedTokens` counts all messages, `contextTokens` what goes to the model now.
   */
  conversations(): ConversationRow[] {
    return readSnapshot(this.#db, () => this.#rows(null))
  }

  /** Returns one of them, or null when the file does not have it. */
  conversation(conversationId: number): ConversationRow | null {
    return readSnapshot(this.#db, () => this.#rows(conversationId)[0] ?? null)
  }

  /**
   * Returns all conversations without reading the texts of a large file. Tokens are null until `measure` has read them.
   */
  listed(): ListedConversation[] {
    return readSnapshot(this.#db, () => this.#listed([...this.#facts(null)], this.#sizesOf(null)))
  }

  /**
   * Returns a page of them. Only the counts of that page are read, unless those of all are needed to choose it.
   * @param findings what the last check found by conversation, or null before one
   * @throws LcmError invalid_argument
   */
  page(input: ConversationsInput, findings: FindingCounts | null = null): ConversationPage {
    return readSnapshot(this.#db, () => {
      const { sort, only, minPressure } = input
      const of = input.conversationIds ?? null
      const facts = [...this.#facts(of)]
      const needsSizes = sort === 'size' || sort === 'pressure' || sort === 'messages' || minPressure !== undefined
      const sizes = needsSizes ? this.#sizesOf(of) : null
      const needsTimes = input.health || sort === 'compaction'
      const compactedAt = needsTimes ? this.#compactedAt(of) : null
      const found = (id: number) => findings?.get(id) ?? NO_FINDINGS
      const budgetOf = budgetsOf(this.#settings, of)
      const pressureOf = (id: number): number | null => {
        const window = sizes?.(id).window
        return window ? window.fittingTokens / budgetOf(id).budgetTokens : null
      }
      const rankOf = ({ conversationId: id }: ConversationFacts): number | null => {
        if (sort === 'pressure') return pressureOf(id)
        if (sort === 'size') return sizes?.(id).storedTokens ?? null
        if (sort === 'messages') return sizes?.(id).messages ?? null
        if (sort === 'compaction') return compactedAt?.get(id) ?? null
        // One error outweighs any number of warnings.
        return sort === 'findings' ? found(id).error * 1e6 + Math.min(found(id).warning, 1e6 - 1) : null
      }
      const isMeant = ({ conversationId: id, summaries, archivedAtMs }: ConversationFacts): boolean => {
        if (minPressure !== undefined && (pressureOf(id) ?? -1) < minPressure) return false
        if (only === 'compacted') return summaries > 0
        if (only === 'archived') return archivedAtMs !== null
        return only !== 'findings' || found(id).error + found(id).warning > 0
      }
      const { rows, depths, ...page } = conversationPage(facts, input, rankOf, isMeant)
      const forks = depths && forkedConversations(this.#db)
      const sizeOf = sizes ?? this.#sizesOf(rows.map(({ conversationId }) => conversationId))
      const all = this.#listed(rows, sizeOf)
      const firstWords = this.#firstWords.of(all.filter(isUntitled).map(({ conversationId }) => conversationId))
      const listed = all.map((row) => ({
        ...row,
        ...(firstWords.has(row.conversationId) && { firstWords: firstWords.get(row.conversationId) }),
        ...(input.health && { compactedAtMs: compactedAt?.get(row.conversationId) ?? null }),
        ...familyOf(row, depths, forks),
        ...(input.health && findings && { findings: found(row.conversationId) }),
      }))
      return { ...page, conversations: listed, total: rowCount(this.#db, 'conversations') }
    })
  }

  /** When each conversation was compacted last, by its runs or, where there are none, its summaries. */
  #compactedAt(of: Conversations): ReadonlyMap<number, number | null> {
    const summaries = [...summaryTallies(this.#db, of)].map(([id, { lastAtMs }]) => [id, lastAtMs] as const)
    return new Map([...summaries, ...lastRuns(this.#db, of)])
  }

  #listed(facts: readonly ConversationFacts[], sizeOf: (conversationId: number) => ListedSize): ListedConversation[] {
    const figuresOf = this.#figures(facts.map(({ conversationId }) => conversationId))
    return facts.map((each) => {
      const { messages, contextItems, storedTokens, window } = sizeOf(each.conversationId)
      const figures = window ? figuresOf(each.conversationId, window) : UNMEASURED
      return { ...each, messages, storedTokens, ...figures, contextItems }
    })
  }

  #sizesOf(of: Conversations): (conversationId: number) => ListedSize {
    if (!this.#areSizesAtHand(of)) return this.#sizes.listed(of)
    const sizes = this.#sizes.exact(of)
    return (id) => {
      const size = sizes.get(id) ?? NOTHING
      return { ...size, contextItems: size.window.items }
    }
  }

  /** Brings the sizes of `listed` up to date while other work has its turn. Returns whether they were not. */
  async measure(): Promise<boolean> {
    return this.#areSizesAtHand(null) ? false : this.#sizes.read()
  }

  /**
   * Adds up all conversations. What their answers cost is read while other work has its turn. Of a file that changes
   * all the time it may be that of a moment ago.
   * @throws LcmError cancelled
   */
  async totals(signal?: AbortSignal): Promise<ConversationTotals> {
    const stamp = changeStamp(this.#db)
    const startedMs = performance.now()
    if (this.#cost === null || (this.#cost.stamp !== stamp && this.#cost.recheckAtMs <= startedMs)) {
      const cost = await this.#costOfAll(signal)
      const nowMs = performance.now()
      this.#cost = { stamp, cost, recheckAtMs: nowMs + WAIT_SHARE * (nowMs - startedMs) }
    }
    const { cost } = this.#cost
    return readSnapshot(this.#db, () => {
      const sizeOf = this.#sizesOf(null)
      const sizes = Array.from(this.#facts(null), ({ conversationId }) => sizeOf(conversationId))
      const sum = (of: (size: ListedSize) => number | null): number | null =>
        sizes.reduce<number | null>((all, size) => {
          const one = of(size)
          return all === null || one === null ? null : all + one
        }, 0)
      return {
        messages: sum(({ messages }) => messages) ?? 0,
        storedTokens: sum(({ storedTokens }) => storedTokens),
        contextTokens: sum(({ window }) => window?.fittingTokens ?? null),
        cost,
      }
    })
  }

  async #costOfAll(signal: AbortSignal | undefined): Promise<number | null> {
    const slice = new TimeSlice(signal, 'Adding up was cancelled.')
    let sum: number | null = null
    for (let part = costsAfter(this.#db, Number.NEGATIVE_INFINITY, STEPS_AT_ONCE); part !== null; ) {
      for (const cost of part.costs) sum = (sum ?? 0) + cost
      await slice.yieldIfOver()
      part = costsAfter(this.#db, part.last, STEPS_AT_ONCE)
    }
    for (const cost of statedCosts(this.#db).values()) sum = (sum ?? 0) + cost
    return sum
  }

  #areSizesAtHand(of: Conversations): boolean {
    return this.#areAtHand && this.#sizes.entries(of) <= ENTRIES_AT_ONCE
  }

  #figures(of: Conversations): (conversationId: number, size: WindowSize) => Figures {
    const budgetOf = budgetsOf(this.#settings, of)
    return (conversationId, { items, activeTokens, fittingTokens, leftOutItems, leftOutTokens }) => {
      const { budgetTokens, isOwn } = budgetOf(conversationId)
      const pressure = fittingTokens / budgetTokens
      const tokens = { activeTokens, contextTokens: fittingTokens, leftOutItems, leftOutTokens }
      return { contextItems: items, ...tokens, pressure, ...(isOwn ? { ownBudgetTokens: budgetTokens } : {}) }
    }
  }

  /**
   * Measures the window of a conversation in slices before `overview` needs it. Measured at once, a long one holds up all
   * other answers for a second.
   */
  async prepareOverview(conversationId: number): Promise<void> {
    await this.#sizes.prepare(conversationId)
  }

  /** @throws LcmError not_found */
  overview(conversationId: number): Overview {
    return readSnapshot(this.#db, () => {
      const [conversation] = this.#rows(conversationId)
      if (!conversation) throw noSuchConversation(this.#db, conversationId)
      const details = conversationDetails(this.#db, conversationId, this.#reader.known(conversationId))
      const budgetTokens = conversation.ownBudgetTokens ?? this.#settings.budgetTokens
      return { conversation, budgetTokens, ...details }
    })
  }

  #stats(): Stats {
    const count = (table: Parameters<typeof rowCount>[1]): number => rowCount(this.#db, table)
    return {
      path: this.#info.path,
      system: this.#info.system,
      systemVersion: this.#info.systemVersion,
      readOnly: this.#info.readOnly,
      bytes: measureFile(this.#info.path).bytes,
      conversations: count('conversations'),
      messages: count('messages'),
      messageParts: count('message_parts'),
      summaries: count('summaries'),
      contextItems: count('context_items'),
      largeFiles: count('large_files'),
      summariesByDepth: Object.fromEntries(depthCounts(this.#db)),
      edges: { summaryMessages: count('summary_messages'), summaryParents: count('summary_sources') },
      perConversation: this.#rows(null),
    }
  }

  /** @param conversationId null for all conversations */
  #rows(conversationId: number | null): ConversationRow[] {
    const of = conversationId === null ? null : [conversationId]
    const sizes = this.#sizes.exact(of)
    const figuresOf = this.#figures(of)
    return Array.from(this.#facts(of), (facts) => {
      const { messages, storedTokens, window } = sizes.get(facts.conversationId) ?? NOTHING
      return { ...facts, messages, storedTokens, ...figuresOf(facts.conversationId, window) }
    })
  }

  /** Counts summaries. The counts of all conversations are kept until a summary or a link comes or goes. */
  #summariesNow(of: Conversations): KeptTallies['tallies'] {
    const stamp = changeStamp(this.#db)
    const startedMs = performance.now()
    const kept = this.#summaries
    if (kept?.stamp === stamp) return kept.tallies
    if (of !== null && kept === null) return summaryTallies(this.#db, of)
    const state = this.#reader.lineageState()
    if (kept?.state === state && startedMs < kept.recheckAtMs) return kept.tallies
    const tallies = summaryTallies(this.#db, of)
    if (of === null) this.#summaries = { stamp, state, tallies, recheckAtMs: nextRecheckMs(this.#db, startedMs) }
    return tallies
  }

  #facts(of: Conversations): IteratorObject<ConversationFacts, undefined> {
    const summaries = this.#summariesNow(of)
    const changedAt = new Map<number, number>()
    for (const [id, atMs] of lastChanges(this.#db, of))
      changedAt.set(id, Math.max(atMs ?? -Infinity, changedAt.get(id) ?? -Infinity))
    return storedConversations(this.#db, of).map((conversation) => {
      const { conversationId: id, updatedAtMs } = conversation
      const own = summaries.get(id)
      const lastMs = Math.max(updatedAtMs ?? -Infinity, own?.lastAtMs ?? -Infinity, changedAt.get(id) ?? -Infinity)
      return {
        ...conversation,
        updatedAtMs: lastMs === -Infinity ? null : lastMs,
        summaries: own?.summaries ?? 0,
        maxDepth: own?.maxDepth ?? -1,
      }
    })
  }
}

const isUntitled = ({ title, messages }: Pick<ListedConversation, 'title' | 'messages'>): boolean =>
  messages > 0 && (title ?? '').trim() === ''

/** Says how a conversation came from the one above it in a list of trees. */
function familyOf(
  { conversationId }: Pick<ConversationRow, 'conversationId'>,
  depths: ReadonlyMap<number, number> | null,
  forks: ReadonlySet<number> | null,
): Pick<ListedConversation, 'family'> {
  const depth = depths?.get(conversationId) ?? 0
  if (depth === 0) return {}
  return { family: { relation: forks?.has(conversationId) ? 'fork' : 'sub-agent', depth } }
}
