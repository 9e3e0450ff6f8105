import { ROLES, type Role } from '../contract/ids.ts'
import type { Messages } from '../memory/messages.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { prunedByMessage, prunedInWindows, readPruned } from '../systems/pruned-outputs.ts'
import { knownRole, messageHeads } from '../systems/records/messages.ts'
import { toolCallIds } from '../systems/records/parts.ts'
import { summaryHeads } from '../systems/records/summaries.ts'
import { type StoredEntry, windowEntries } from '../systems/records/window-entries.ts'
import type { Candidate } from './selection.ts'
import { pairTools, type ToolMark } from './tool-pairs.ts'
import { estimateUncounted, tokenCount } from './window.ts'
import { type AssemblySettings, measureWindow, type WindowSize } from './window-size.ts'

type Item = Candidate & { readonly messageId: number | null; readonly summaryId: string | null }
type Fact = { readonly role: Role | null; readonly tokens: number }

/** An entry of a window, with the ids of the tool calls that it makes or answers. */
type Entry = { readonly item: Item; readonly callIds: readonly string[] }

/**
 * Measures the windows of many conversations by a few queries over sets, with the selection by which a single one is put
 * together: the figures of a list are those of the context view.
 */
export class WindowSizes {
  readonly #db: ReadDb
  readonly #estimator: TokenEstimator
  readonly #settings: AssemblySettings

  constructor(db: ReadDb, estimator: TokenEstimator, settings: AssemblySettings) {
    this.#db = db
    this.#estimator = estimator
    this.#settings = settings
  }

  /** All at once. Conversations without an entry are left out. Call inside a snapshot. */
  measure(conversationIds: readonly number[], history: Messages | null = null): Map<number, WindowSize> {
    const steps = this.measuring(conversationIds, Number.MAX_SAFE_INTEGER, history)
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
    }
  }

  /**
   * The same, in pages of so many entries, with a yield after each.
   * @param history of one of the conversations, whose messages need not be read again
   */
  *measuring(
    conversationIds: readonly number[],
    pageEntries: number,
    history: Messages | null = null,
  ): Generator<void, Map<number, WindowSize>> {
    const windows = new Map<number, Entry[]>()
    for (let offset = 0; ; offset += pageEntries) {
      const rows = windowEntries(this.#db, conversationIds, { limit: pageEntries, offset })
      const entries = this.#entries(rows, history)
      rows.forEach(({ conversationId }, index) => {
        const window = windows.get(conversationId)
        const entry = entries[index] as Entry
        if (window) window.push(entry)
        else windows.set(conversationId, [entry])
      })
      if (rows.length < pageEntries) break
      yield
    }
    const pruned = windows.size === 0 ? null : prunedInWindows(this.#db)
    const sizes = new Map<number, WindowSize>()
    for (const [conversationId, window] of windows) {
      const outputs = pruned?.has(conversationId) ? readPruned(this.#db, conversationId) : []
      sizes.set(conversationId, this.#sizeOf(window, prunedByMessage(outputs)))
    }
    return sizes
  }

  #entries(rows: readonly StoredEntry[], history: Messages | null): Entry[] {
    const facts = this.#messageFacts(rows, history)
    const summaryIds = rows.flatMap(({ messageId, summaryId }) =>
      summaryId !== null && !facts.has(messageId ?? -1) ? summaryId : [],
    )
    const summaries = this.#summaryTokens(summaryIds)
    const items = rows.map(({ messageId, summaryId }): Item => {
      const fact = messageId === null ? undefined : facts.get(messageId)
      if (fact) return { id: '', kind: 'message', messageId, summaryId: null, ...fact }
      const tokens = summaryId === null ? undefined : summaries.get(summaryId)
      return tokens === undefined
        ? { id: '', kind: 'missing', role: null, messageId: null, summaryId: null, tokens: 0 }
        : { id: '', kind: 'leaf', role: null, messageId: null, summaryId, tokens }
    })
    const callIds = toolCallIds(
      this.#db,
      items.flatMap(({ messageId }) => messageId ?? []),
    )
    return estimateUncounted(this.#db, items, this.#estimator).map((item) => ({
      item,
      callIds: callIds.get(item.messageId ?? -1) ?? [],
    }))
  }

  #messageFacts(rows: readonly StoredEntry[], history: Messages | null): Map<number, Fact> {
    const facts = new Map<number, Fact>()
    const elsewhere: number[] = []
    for (const { messageId } of rows) {
      if (messageId === null) continue
      const position = history?.isPlain ? history.positionOf(messageId) : -1
      if (!history || position < 0) elsewhere.push(messageId)
      else
        facts.set(messageId, {
          role: ROLES[history.roles[position] as number] ?? null,
          tokens: history.tokensAt(position),
        })
    }
    if (elsewhere.length === 0) return facts
    for (const { id, role, tokens } of messageHeads(this.#db, elsewhere)) {
      facts.set(id, { role: knownRole(role), tokens: tokenCount(tokens) })
    }
    return facts
  }

  #summaryTokens(ids: readonly string[]): ReadonlyMap<string, number> {
    if (ids.length === 0) return new Map()
    return new Map(summaryHeads(this.#db, ids).map(({ id, tokens }) => [id, tokenCount(tokens)]))
  }

  #sizeOf(window: readonly Entry[], pruned: ReturnType<typeof prunedByMessage>): WindowSize {
    const items = window.map(({ item }) => {
      const taken = item.messageId === null ? undefined : pruned.get(item.messageId)
      return taken ? { ...item, tokens: Math.max(0, item.tokens - taken.tokens) } : item
    })
    // A message that stands in the window twice carries its calls where it stands last, as in a window that is put together.
    const places = new Map(items.map(({ messageId }, index) => [messageId, index]))
    const marks = window.flatMap(({ item, callIds }): ToolMark[] => {
      const kind = item.role === 'assistant' ? 'call' : 'result'
      return callIds.map((callId) => ({ index: places.get(item.messageId) ?? 0, callId, kind }))
    })
    return measureWindow(items, pairTools(items.length, marks), this.#settings)
  }
}
