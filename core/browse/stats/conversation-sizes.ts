import { setTimeout } from 'node:timers/promises'
import { LcmError } from '../../errors.ts'
import type { Messages } from '../../memory/messages.ts'
import type { ReadDb, SqlParams } from '../../sqlite/read-db.ts'
import { readSnapshot } from '../../sqlite/read-snapshot.ts'
import { changeStamp } from '../../systems/change-stamp.ts'
import type { HistoryIndex } from '../../systems/history-index.ts'
import { NO_WINDOW, type WindowSize } from '../../window/window-size.ts'
import type { WindowSizes } from '../../window/window-sizes.ts'
import { yieldToOthers } from '../../yielding.ts'
import { queries, type Where } from './size-queries.ts'

/** How much a conversation holds. */
export type Size = { readonly messages: number; readonly storedTokens: number; readonly window: WindowSize }
/** `null`: not known yet. */
export type ListedSize = {
  readonly messages: number
  readonly contextItems: number
  readonly storedTokens: number | null
  readonly window: WindowSize | null
}

type Count = { readonly messages: number }
type Stored = Count & { readonly tokens: number }
type Entries = { readonly items: number; readonly messages: number }
type Tokens = { readonly stored: number; readonly window: WindowSize }
type TokensById = ReadonlyMap<number, Tokens>
/** `isWhole`: not when what stands on a damaged page could not be added up. */
type Reading = { readonly stamp: string; readonly tokens: TokensById; readonly isWhole: boolean }

/** A conversation of so many messages is read by itself, piece by piece, into the columns that its views need too. */
const LARGE = 1000
/** Messages of windows that are looked up while somebody waits for the list. */
const AT_ONCE = 1000
/** Entries of a large window that are read before others have their turn. */
const PAGE_ENTRIES = 2000
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
  readonly #windows: WindowSizes
  #read: Reading | null = null
  #reading: { readonly stamp: string; readonly done: Promise<void> } | null = null
  #restUntilMs = 0

  constructor(db: ReadDb, histories: HistoryIndex, windows: WindowSizes) {
    this.#db = db
    this.#histories = histories
    this.#windows = windows
  }

  /** As the file is now, of all conversations that have any message or item. Call inside a snapshot. */
  exact(where: Where, params: SqlParams): Map<number, Size> {
    const current = this.#current()
    const counts = this.#by<Count>(queries.counts(where), params)
    const entries = this.#by<Entries>(queries.windows(where), params)
    if (current?.isWhole) return sizesOf(counts, entries, (id) => current.tokens.get(id) ?? NONE)
    const history = this.#atHand(where, params)
    const stored = history ? null : this.#by<Stored>(queries.stored(where), params)
    const windows = this.#windows.measure([...entries.keys()], history)
    const sizes = sizesOf(counts, entries, (id) => ({
      stored: history?.totalTokens ?? stored?.get(id)?.tokens ?? 0,
      window: windows.get(id) ?? NO_WINDOW,
    }))
    if (where === '') this.#keep(changeStamp(this.#db), sizes)
    return sizes
  }

  /** Entries of all windows, which say how long it takes to measure them. */
  entries(): number {
    return this.#db.value<number>(queries.entries) ?? 0
  }

  /** Counts as the file is now, and tokens as far as they are known. Call inside a snapshot. */
  listed(): Map<number, ListedSize> {
    const known = this.#read?.tokens
    const counts = this.#by<Count>(queries.counts(''))
    const entries = this.#by<Entries>(queries.windows(''))
    if (known) return listedOf(counts, entries, (id) => known.get(id) ?? (counts.has(id) ? UNKNOWN : NONE))
    const others = [...entries.keys()].filter(
      (id) => (entries.get(id)?.messages ?? 0) < (counts.get(id)?.messages ?? 0),
    )
    const messages = others.reduce((sum, id) => sum + (entries.get(id)?.messages ?? 0), 0)
    const small = messages <= AT_ONCE ? this.#windows.measure(others) : new Map<number, WindowSize>()
    return listedOf(counts, entries, (id) => ({
      stored: counts.has(id) ? null : 0,
      window: small.get(id) ?? (entries.has(id) ? null : NO_WINDOW),
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
    const [counts, entries] = readSnapshot(this.#db, () => [
      this.#by<Count>(queries.counts('')),
      this.#by<Entries>(queries.windows('')),
    ])
    const tokens = new Map<number, Tokens>()
    let isWhole = true
    for (const ids of batches(counts, entries)) {
      await yieldToOthers()
      isWhole = (await this.#readable(ids, counts, tokens)) && isWhole
    }
    this.#read = { stamp, tokens, isWhole }
    const tookMs = performance.now() - startedMs
    this.#restUntilMs = performance.now() + Math.min(LONGEST_REST_MS, REST * tookMs)
  }

  /** Adds what conversations hold; false when a damaged page keeps one of them from being added up. */
  async #readable(
    ids: readonly number[],
    counts: ReadonlyMap<number, Count>,
    tokens: Map<number, Tokens>,
  ): Promise<boolean> {
    try {
      for (const [id, some] of await this.#tokensOf(ids, counts)) tokens.set(id, some)
      return true
    } catch (error) {
      if (!(error instanceof LcmError) || error.code !== 'file_corrupt') throw error
      if (ids.length > 1) for (const id of ids) await this.#readable([id], counts, tokens)
      return false
    }
  }

  async #tokensOf(ids: readonly number[], counts: ReadonlyMap<number, Count>): Promise<TokensById> {
    const [id] = ids
    if (id !== undefined && (counts.get(id)?.messages ?? 0) >= LARGE) {
      await this.#histories.prepare(id)
      const history = this.#histories.kept(id)
      if (history?.isPlain) {
        const windows = await this.#measured([id], history)
        return new Map([[id, { stored: history.totalTokens, window: windows.get(id) ?? NO_WINDOW }]])
      }
    }
    const stored = new Map(this.#db.iterateRaw<[number, number]>(queries.storedOf, { ids: JSON.stringify(ids) }))
    const windows = await this.#measured(ids, null)
    return new Map(ids.map((one) => [one, { stored: stored.get(one) ?? 0, window: windows.get(one) ?? NO_WINDOW }]))
  }

  async #measured(ids: readonly number[], history: Messages | null): Promise<Map<number, WindowSize>> {
    const steps = this.#windows.measuring(ids, PAGE_ENTRIES, history)
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      await yieldToOthers()
    }
  }

  /** Of one conversation whose history is at hand and says what the file says. */
  #atHand(where: Where, { conversationId }: SqlParams): Messages | null {
    const history = where !== '' && typeof conversationId === 'number' ? this.#histories.known(conversationId) : null
    return history?.isPlain ? history : null
  }

  #current(): Reading | null {
    return this.#read?.stamp === changeStamp(this.#db) ? this.#read : null
  }

  #keep(stamp: string, sizes: ReadonlyMap<number, Size>): void {
    const tokens = Array.from(sizes, ([id, size]): [number, Tokens] => [
      id,
      { stored: size.storedTokens, window: size.window },
    ])
    this.#read = { stamp, tokens: new Map(tokens), isWhole: true }
  }

  #by<T>(sql: string, params: SqlParams = {}): Map<number, T> {
    return new Map(this.#db.all<T & { conversationId: number }>(sql, params).map((row) => [row.conversationId, row]))
  }
}

const NONE: Tokens = { stored: 0, window: NO_WINDOW }
const UNKNOWN = { stored: null, window: null } as const

function sizesOf(
  counts: ReadonlyMap<number, Count>,
  entries: ReadonlyMap<number, Entries>,
  tokensOf: (id: number) => Tokens,
): Map<number, Size> {
  return new Map(
    [...new Set([...counts.keys(), ...entries.keys()])].map((id) => {
      const { stored, window } = tokensOf(id)
      return [id, { messages: counts.get(id)?.messages ?? 0, storedTokens: stored, window }]
    }),
  )
}

function listedOf(
  counts: ReadonlyMap<number, Count>,
  entries: ReadonlyMap<number, Entries>,
  tokensOf: (id: number) => { readonly stored: number | null; readonly window: WindowSize | null },
): Map<number, ListedSize> {
  return new Map(
    [...new Set([...counts.keys(), ...entries.keys()])].map((id) => {
      const { stored, window } = tokensOf(id)
      const messages = counts.get(id)?.messages ?? 0
      return [id, { messages, contextItems: entries.get(id)?.items ?? 0, storedTokens: stored, window }]
    }),
  )
}

/** Conversations that are read together: a large one alone, small ones up to as many messages and items. */
function* batches(counts: ReadonlyMap<number, Count>, entries: ReadonlyMap<number, Entries>): Generator<number[]> {
  let ids: number[] = []
  let rows = 0
  for (const id of new Set([...counts.keys(), ...entries.keys()])) {
    const messages = counts.get(id)?.messages ?? 0
    if (messages >= LARGE) {
      yield [id]
      continue
    }
    ids.push(id)
    rows += messages + (entries.get(id)?.items ?? 0)
    if (rows < LARGE) continue
    yield ids
    ids = []
    rows = 0
  }
  if (ids.length > 0) yield ids
}
