import { setImmediate, setTimeout } from 'node:timers/promises'
import { changeStamp } from '../conversations/change-stamp.ts'
import type { History } from '../conversations/history.ts'
import type { HistoryIndex } from '../conversations/history-index.ts'
import { prunedInWindows } from '../conversations/pruned-outputs.ts'
import type { ReadDb, SqlParams } from '../db/read-db.ts'
import { readSnapshot } from '../db/read-snapshot.ts'
import { LcmError } from '../errors.ts'
import { queries, type Where } from './size-queries.ts'

/** How much a conversation holds. */
export type Size = {
  readonly messages: number
  readonly contextItems: number
  readonly storedTokens: number
  readonly contextTokens: number
}
/** `null`: not known yet. */
export type ListedSize = Omit<Size, 'storedTokens' | 'contextTokens'> & {
  readonly storedTokens: number | null
  readonly contextTokens: number | null
}

type Count = { readonly messages: number; readonly numbers: string | null }
type Stored = Count & { readonly tokens: number }
type Window = { readonly items: number; readonly messages: number; readonly numbers: string | null }
type Tokens = { readonly stored: number; readonly context: number }
type TokensById = ReadonlyMap<number, Tokens>
/** `isWhole`: not when what stands on a damaged page could not be added up. */
type Reading = { readonly stamp: string; readonly tokens: TokensById; readonly isWhole: boolean }

/** A conversation of so many messages is read by itself, piece by piece, into the columns that its views need too. */
const LARGE = 1000
/** Messages of windows that are looked up while somebody waits for the list. */
const AT_ONCE = 1000
/** After a reading, this many times as long without another one. */
const REST = 3
const LONGEST_REST_MS = 30_000

/**
 * How many messages the conversations of a memory hold, and how many tokens. In some systems' files a message's count
 * of tokens stands behind its text, and adding them up means reading over all texts; so they are read once for each
 * state of the file, and whoever cannot wait is given what is known.
 */
export class ConversationSizes {
  readonly #db: ReadDb
  readonly #histories: HistoryIndex
  #read: Reading | null = null
  #reading: { readonly stamp: string; readonly done: Promise<void> } | null = null
  #restUntilMs = 0

  constructor(db: ReadDb, histories: HistoryIndex) {
    this.#db = db
    this.#histories = histories
  }

  /** As the file is now, of all conversations that have any message or item. Call inside a snapshot. */
  exact(where: Where, params: SqlParams): Map<number, Size> {
    return this.#withoutPruned(this.#whole(where, params))
  }

  #whole(where: Where, params: SqlParams): Map<number, Size> {
    const current = this.#current()
    const known = current?.isWhole ? current.tokens : null
    const windows = this.#by<Window>(queries.windows(where), params)
    const tokensOf = known ? (id: number) => known.get(id) ?? NONE : this.#atHand(where, params, windows)
    if (tokensOf) return sizesOf(this.#by<Count>(queries.counts(where), params), windows, tokensOf)
    const stored = this.#by<Stored>(queries.stored(where), params)
    const others = [...windows.keys()].filter((id) => !isWhole(windows.get(id), stored.get(id)))
    const inWindow = this.#windowTokens(others)
    const sizes = sizesOf(stored, windows, (id) => {
      const tokens = stored.get(id)?.tokens ?? 0
      return { stored: tokens, context: isWhole(windows.get(id), stored.get(id)) ? tokens : (inWindow.get(id) ?? 0) }
    })
    if (where === '') this.#keep(changeStamp(this.#db), sizes)
    return sizes
  }

  /** Counts as the file is now, and tokens as far as they are known. Call inside a snapshot. */
  listed(): Map<number, ListedSize> {
    return this.#withoutPruned(this.#known())
  }

  /** What an agent has taken out of the messages of its window is not in it. */
  #withoutPruned<S extends ListedSize>(sizes: Map<number, S>): Map<number, S> {
    for (const [id, pruned] of prunedInWindows(this.#db)) {
      const size = sizes.get(id)
      if (size && size.contextTokens !== null) {
        sizes.set(id, { ...size, contextTokens: Math.max(0, size.contextTokens - pruned) })
      }
    }
    return sizes
  }

  #known(): Map<number, ListedSize> {
    const known = this.#read?.tokens
    const counts = this.#by<Count>(queries.counts(''))
    const windows = this.#by<Window>(queries.windows(''))
    if (known) return sizesOf(counts, windows, (id) => known.get(id) ?? (counts.has(id) ? UNKNOWN : NONE))
    const others = [...windows.keys()].filter((id) => !isWhole(windows.get(id), counts.get(id)))
    const messages = others.reduce((sum, id) => sum + (windows.get(id)?.messages ?? 0), 0)
    const inWindow = messages <= AT_ONCE ? this.#windowTokens(others) : new Map<number, number>()
    return sizesOf(counts, windows, (id) => ({
      stored: counts.has(id) ? null : 0,
      context: inWindow.get(id) ?? (windows.has(id) ? null : 0),
    }))
  }

  /**
   * Reads what `listed` does not know yet, or knows from before the file changed, without keeping others waiting.
   * Returns whether there was anything to read.
   */
  async read(): Promise<boolean> {
    const stamp = changeStamp(this.#db)
    if (this.#read?.stamp === stamp) return false
    const underway = this.#reading
    await underway?.done
    if (underway?.stamp !== stamp) await (this.#reading ?? this.#start()).done
    return true
  }

  #start(): { readonly stamp: string; readonly done: Promise<void> } {
    const stamp = changeStamp(this.#db)
    const done = this.#readAll().finally(() => {
      this.#reading = null
    })
    this.#reading = { stamp, done }
    return this.#reading
  }

  async #readAll(): Promise<void> {
    // A busy agent writes many times a second.
    const restMs = this.#restUntilMs - performance.now()
    if (restMs > 0) await setTimeout(restMs, undefined, { ref: false })
    const stamp = changeStamp(this.#db)
    const startedMs = performance.now()
    const [counts, windows] = readSnapshot(this.#db, () => [
      this.#by<Count>(queries.counts('')),
      this.#by<Window>(queries.windows('')),
    ])
    const tokens = new Map<number, Tokens>()
    let isWhole = true
    for (const ids of batches(counts, windows)) {
      await setImmediate()
      isWhole = (await this.#readable(ids, counts, windows, tokens)) && isWhole
    }
    this.#read = { stamp, tokens, isWhole }
    const tookMs = performance.now() - startedMs
    this.#restUntilMs = performance.now() + Math.min(LONGEST_REST_MS, REST * tookMs)
  }

  /** Adds what conversations hold; false when a damaged page keeps one of them from being added up. */
  async #readable(
    ids: readonly number[],
    counts: ReadonlyMap<number, Count>,
    windows: ReadonlyMap<number, Window>,
    tokens: Map<number, Tokens>,
  ): Promise<boolean> {
    try {
      for (const [id, some] of await this.#tokensOf(ids, counts, windows)) tokens.set(id, some)
      return true
    } catch (error) {
      if (!(error instanceof LcmError) || error.code !== 'file_corrupt') throw error
      if (ids.length > 1) for (const id of ids) await this.#readable([id], counts, windows, tokens)
      return false
    }
  }

  async #tokensOf(
    ids: readonly number[],
    counts: ReadonlyMap<number, Count>,
    windows: ReadonlyMap<number, Window>,
  ): Promise<TokensById> {
    const [id] = ids
    if (id !== undefined && (counts.get(id)?.messages ?? 0) >= LARGE) {
      await this.#histories.prepare(id)
      const history = this.#histories.kept(id)
      if (history?.isPlain) {
        const whole = isWhole(windows.get(id), counts.get(id))
        const context = whole ? history.totalTokens : this.#windowTokensBy(history)
        return new Map([[id, { stored: history.totalTokens, context }]])
      }
    }
    const stored = new Map(this.#db.iterateRaw<[number, number]>(queries.storedOf, { ids: JSON.stringify(ids) }))
    const others = ids.filter((one) => windows.has(one) && !isWhole(windows.get(one), counts.get(one)))
    const inWindow = this.#windowTokens(others)
    return new Map(
      ids.map((one) => {
        const tokens = stored.get(one) ?? 0
        const whole = isWhole(windows.get(one), counts.get(one))
        return [one, { stored: tokens, context: whole ? tokens : (inWindow.get(one) ?? 0) }]
      }),
    )
  }

  /** Of one conversation whose history is at hand. */
  #atHand(where: Where, { conversationId }: SqlParams, windows: ReadonlyMap<number, Window>) {
    const history = where !== '' && typeof conversationId === 'number' ? this.#histories.known(conversationId) : null
    if (!history?.isPlain) return null
    const context = windows.has(history.conversationId) ? this.#windowTokensBy(history) : 0
    return () => ({ stored: history.totalTokens, context })
  }

  #windowTokens(ids: readonly number[]): Map<number, number> {
    if (ids.length === 0) return new Map()
    return new Map(this.#db.iterateRaw<[number, number]>(queries.windowTokens, { ids: JSON.stringify(ids) }))
  }

  /** From the history, for what is in it. */
  #windowTokensBy(history: History): number {
    const { conversationId } = history
    const elsewhere: number[] = []
    let tokens = 0
    for (const messageId of this.#db.column<number>(queries.windowMessages, { conversationId })) {
      const rank = history.rankOf(messageId)
      if (rank < 0) elsewhere.push(messageId)
      else tokens += history.tokensAt(rank)
    }
    const ids = JSON.stringify(elsewhere)
    return tokens + (this.#db.value<number>(queries.otherWindowTokens, { conversationId, ids }) ?? 0)
  }

  #current(): Reading | null {
    return this.#read?.stamp === changeStamp(this.#db) ? this.#read : null
  }

  #keep(stamp: string, sizes: ReadonlyMap<number, Size>): void {
    const tokens = Array.from(sizes, ([id, size]): [number, Tokens] => [
      id,
      { stored: size.storedTokens, context: size.contextTokens },
    ])
    this.#read = { stamp, tokens: new Map(tokens), isWhole: true }
  }

  #by<T>(sql: string, params: SqlParams = {}): Map<number, T> {
    return new Map(this.#db.all<T & { conversationId: number }>(sql, params).map((row) => [row.conversationId, row]))
  }
}

const NONE: Tokens = { stored: 0, context: 0 }
const UNKNOWN = { stored: null, context: null } as const

/** A window of all messages holds what is stored: where nothing was compacted no message has to be looked up. */
const isWhole = (window: Window | undefined, there: Count | undefined): boolean =>
  window !== undefined &&
  window.items === window.messages &&
  window.messages === there?.messages &&
  window.numbers === there.numbers

function sizesOf<Known extends number | null>(
  counts: ReadonlyMap<number, Count>,
  windows: ReadonlyMap<number, Window>,
  tokensOf: (id: number) => { readonly stored: Known; readonly context: Known },
) {
  return new Map(
    [...new Set([...counts.keys(), ...windows.keys()])].map((id) => {
      const { stored, context } = tokensOf(id)
      const messages = counts.get(id)?.messages ?? 0
      const contextItems = windows.get(id)?.items ?? 0
      return [id, { messages, contextItems, storedTokens: stored, contextTokens: context }]
    }),
  )
}

/** Conversations that are read together: a large one alone, small ones up to as many messages and items. */
function* batches(counts: ReadonlyMap<number, Count>, windows: ReadonlyMap<number, Window>): Generator<number[]> {
  let ids: number[] = []
  let rows = 0
  for (const id of new Set([...counts.keys(), ...windows.keys()])) {
    const messages = counts.get(id)?.messages ?? 0
    if (messages >= LARGE) {
      yield [id]
      continue
    }
    ids.push(id)
    rows += messages + (windows.get(id)?.items ?? 0)
    if (rows < LARGE) continue
    yield ids
    ids = []
    rows = 0
  }
  if (ids.length > 0) yield ids
}
