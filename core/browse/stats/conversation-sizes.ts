import { setTimeout } from 'node:timers/promises'
import { LcmError } from '#core/errors.ts'
import { sharedWork } from '#core/keeping.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readSnapshot } from '#core/sqlite/read-snapshot.ts'
import { changeStamp } from '#core/systems/reading/change-stamp.ts'
import { KeptByConversation } from '#core/systems/reading/kept-by-conversation.ts'
import type { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { conversationExists } from '#core/systems/records/conversations.ts'
import { rowCount } from '#core/systems/records/counts.ts'
import { forkPoints } from '#core/systems/records/forks.ts'
import {
  type Conversations,
  type EntryCounts,
  entryCounts,
  messageCounts,
  messageTokens,
} from '#core/systems/records/tallies.ts'
import { NO_WINDOW, type WindowSize } from '#core/window/window-size.ts'
import type { WindowSizes } from '#core/window/window-sizes.ts'
import { inSlices, withoutYielding, yieldToOthers } from '#core/yielding.ts'

/** How much a conversation holds. */
export type Size = { readonly messages: number; readonly storedTokens: number; readonly window: WindowSize }
/** A size of a listed conversation. Values are null until they are known. */
export type ListedSize = {
  readonly messages: number
  readonly contextItems: number
  readonly storedTokens: number | null
  readonly window: WindowSize | null
}

type Tokens = Pick<Size, 'storedTokens' | 'window'>
type TokensById = ReadonlyMap<number, Tokens>
type Sizes = ReadonlyMap<number, Size>
/** The rows of all conversations in one state of the file. */
type RowCountsAtStamp = RowCounts & { readonly stamp: string }
/**
 * `isWhole` is false when rows on a damaged page could not be added up. `sizes` are those of all conversations when rows
 * were counted with them.
 */
type TokensAtStamp = {
  readonly stamp: string
  readonly tokens: TokensById
  readonly isWhole: boolean
  readonly sizes: Sizes | null
}

/**
 * A conversation with at least this many messages is read alone, in pieces, into the columns that its views need, too. One
 * with at least this many entries in its window is read into a whole memory.
 */
const LARGE = 1000
/** How many messages of windows are looked up while somebody waits for the list. */
const AT_ONCE = 1000
/** The next reading waits this many times as long as the last one took. */
const WAIT_SHARE = 3
const LONGEST_WAIT_MS = 30_000

/**
 * How many messages the conversations of a memory hold, and how many tokens. In the files of some systems the token
 * count of a message is stored after its text, so that adding up counts means reading all texts. They are therefore
 * read once for each state of the file, and a caller that cannot wait gets what is known.
 */
export class ConversationSizes {
  readonly #db: ReadDb
  readonly #reader: MemoryReader
  readonly #windows: WindowSizes
  #read: TokensAtStamp | null = null
  #reading: { readonly stamp: string; readonly done: Promise<void> } | null = null
  #nextReadingMs = 0
  #counted: RowCountsAtStamp | null = null
  readonly #messages: KeptByConversation<number>
  readonly #tokens: KeptByConversation<number>
  /** The entries of windows in one state of the file; null for a conversation without any. */
  #entries: { readonly stamp: string; readonly of: Map<number, EntryCounts | null> } = { stamp: '', of: new Map() }
  /** Sizes that were measured for some conversations; null for one that holds nothing. */
  #kept: { readonly stamp: string; readonly sizes: Map<number, Size | null> } = { stamp: '', sizes: new Map() }
  /** Measurements that are under way, by the state of the file and the conversation. */
  readonly #preparing = new Map<string, Promise<void>>()

  constructor(db: ReadDb, reader: MemoryReader, windows: WindowSizes) {
    this.#db = db
    this.#reader = reader
    this.#windows = windows
    this.#messages = new KeptByConversation(db, reader.appended, {
      read: messageCounts,
      withMessage: (before) => (before ?? 0) + 1,
    })
    this.#tokens = new KeptByConversation(db, reader.appended, {
      read: messageTokens,
      withMessage: (before, { tokens }) => (before ?? 0) + (typeof tokens === 'number' ? tokens : 0),
    })
  }

  /**
   * Returns the present sizes of those of some conversations that have a message or a window. Call it inside a snapshot.
   */
  exact(of: Conversations): Sizes {
    if (of === null) return this.#ofAll()
    const kept = this.#keptNow()
    const unknown = of.filter((id) => !kept.has(id))
    const measured = unknown.length > 0 ? this.#measured(unknown) : null
    for (const id of unknown) kept.set(id, measured?.get(id) ?? null)
    return new Map(
      of.flatMap((id): [number, Size][] => {
        const size = kept.get(id)
        return size ? [[id, size]] : []
      }),
    )
  }

  /** Measures a conversation in slices, so that others have their turn before `exact` returns it. */
  async prepare(id: number): Promise<void> {
    const stamp = changeStamp(this.#db)
    return sharedWork(this.#preparing, `${stamp} ${id}`, () => this.#measureInSlices(id, stamp))
  }

  async #measureInSlices(id: number, stamp: string): Promise<void> {
    if (this.#current() || this.#keptNow().has(id)) return
    const rows = readSnapshot(this.#db, () => this.#rowCounts([id]))
    if (!isLarge(rows.entries.get(id))) return
    const tokens = (await this.#tokensOf([id], rows)).get(id)
    // When the file has changed during the measurement, its result is dropped, and `exact` measures the new state at once.
    if (tokens && changeStamp(this.#db) === stamp)
      this.#keptNow().set(id, { messages: rows.counts.get(id) ?? 0, ...tokens })
  }

  /** What is known of single conversations in the present state of the file. */
  #keptNow(): Map<number, Size | null> {
    const stamp = changeStamp(this.#db)
    if (this.#kept.stamp !== stamp) this.#kept = { stamp, sizes: new Map() }
    return this.#kept.sizes
  }

  /** Of the rows of all conversations nothing is kept but their sizes: they may be many. */
  #ofAll(): Sizes {
    const current = this.#current()
    if (current?.sizes) return current.sizes
    const sizes = this.#measured(null)
    this.#read = { stamp: changeStamp(this.#db), tokens: sizes, isWhole: true, sizes }
    return sizes
  }

  #measured(of: Conversations): Sizes {
    const current = this.#current()
    const [only] = of?.length === 1 ? of : []
    const { counts, entries } =
      of === null ? { counts: messageCounts(this.#db, null), entries: entriesOf(this.#db, null) } : this.#rowCounts(of)
    if (current?.isWhole) return sizesOf(counts, entries, (id) => current.tokens.get(id) ?? NONE)
    const windows = this.#windowsNow(entries)
    const messages = only === undefined ? null : this.#reader.known(only)
    const stored = messages?.isPlain ? null : this.#tokensNow(of)
    const sizes = sizesOf(counts, entries, (id) => ({
      storedTokens: (stored ? stored.get(id) : messages?.totalTokens) ?? 0,
      window: windows.get(id) ?? NO_WINDOW,
    }))
    return sizes
  }

  /** Counts rows. The counts of all conversations are kept until the file changes. Call inside a snapshot. */
  #rowCounts(of: Conversations): RowCounts {
    if (of !== null) return { counts: this.#messages.of(of), entries: this.#entriesNow(of) }
    const stamp = changeStamp(this.#db)
    if (this.#counted?.stamp !== stamp)
      this.#counted = { stamp, counts: this.#messages.of(null), entries: entriesOf(this.#db, null) }
    return this.#counted
  }

  /** Returns the entries of some windows. They are counted once for each state of the file. Call inside a snapshot. */
  #entriesNow(of: readonly number[]): ReadonlyMap<number, EntryCounts> {
    const stamp = changeStamp(this.#db)
    if (this.#entries.stamp !== stamp) this.#entries = { stamp, of: new Map() }
    const { of: kept } = this.#entries
    const unknown = of.filter((id) => !kept.has(id))
    const counted = unknown.length > 0 ? entriesOf(this.#db, unknown) : null
    for (const id of unknown) kept.set(id, counted?.get(id) ?? null)
    return new Map(
      of.flatMap((id): [number, EntryCounts][] => {
        const entries = kept.get(id)
        return entries ? [[id, entries]] : []
      }),
    )
  }

  #tokensNow(of: Conversations): ReadonlyMap<number, number> {
    return of === null ? messageTokens(this.#db, null) : this.#tokens.of(of)
  }

  /** Measures windows as the file is now, at once. Call inside a snapshot. */
  #windowsNow(entries: ReadonlyMap<number, EntryCounts>): Map<number, WindowSize> {
    const ids = [...entries.keys()]
    const long = new Set(ids.filter((id) => isLarge(entries.get(id)) && conversationExists(this.#db, id)))
    const windows = this.#windows.measure(ids.filter((id) => !long.has(id)))
    for (const id of long) windows.set(id, withoutYielding(this.#windows.measuring(this.#reader.memory(id), id)))
    return windows
  }

  /** Returns how many entries of windows are not measured yet, from which the time for that can be estimated. */
  entries(of: Conversations): number {
    if (of === null) return rowCount(this.#db, 'context_items')
    const kept = this.#keptNow()
    const unknown = of.filter((id) => !kept.has(id))
    let entries = 0
    for (const { items } of this.#entriesNow(unknown).values()) entries += items
    return entries
  }

  /** Returns the present counts of some conversations, with tokens as far as they are known. Call it inside a snapshot. */
  listed(of: Conversations): (conversationId: number) => ListedSize {
    const known = this.#read?.tokens
    const { counts, entries } = this.#rowCounts(of)
    const small = known ? NO_WINDOWS : this.#smallWindows(counts, entries)
    return (id) => {
      const messages = counts.get(id)
      const items = entries.get(id)?.items
      if (messages === undefined && items === undefined) return NOTHING
      const tokens = known?.get(id)
      return {
        messages: messages ?? 0,
        contextItems: items ?? 0,
        storedTokens: tokens?.storedTokens ?? (messages === undefined ? 0 : null),
        window: tokens?.window ?? small.get(id) ?? ((known ? messages : items) === undefined ? NO_WINDOW : null),
      }
    }
  }

  /** Windows without all messages of their conversations, as long as they are few enough to be measured at once. */
  #smallWindows(
    counts: ReadonlyMap<number, number>,
    entries: ReadonlyMap<number, EntryCounts>,
  ): ReadonlyMap<number, WindowSize> {
    const ids: number[] = []
    let messages = 0
    for (const [id, entry] of entries) {
      if (entry.messages >= (counts.get(id) ?? 0)) continue
      ids.push(id)
      messages += entry.messages
      if (messages > AT_ONCE) return NO_WINDOWS
    }
    return this.#windows.measure(ids)
  }

  /**
   * Reads what `listed` does not know yet, or knows only of an earlier state of the file, and lets other work have its
   * turn. Returns whether there was anything to read.
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
    // A busy agent writes many times a second, so readings are spaced out.
    const waitMs = this.#nextReadingMs - performance.now()
    if (waitMs > 0) await setTimeout(waitMs, undefined, { ref: false })
    const stamp = changeStamp(this.#db)
    const startedMs = performance.now()
    const { counts, entries } = readSnapshot(this.#db, () => this.#rowCounts(null))
    const tokens = new Map<number, Tokens>()
    let isWhole = true
    for (const ids of batches(counts, entries)) {
      await yieldToOthers()
      isWhole = (await this.#readable(ids, { counts, entries }, tokens)) && isWhole
    }
    this.#read = { stamp, tokens, isWhole, sizes: null }
    const tookMs = performance.now() - startedMs
    this.#nextReadingMs = performance.now() + Math.min(LONGEST_WAIT_MS, WAIT_SHARE * tookMs)
  }

  /** Adds the sizes of conversations to a reading. Returns false when a damaged page prevents it for one of them. */
  async #readable(ids: readonly number[], rows: RowCounts, tokens: Map<number, Tokens>): Promise<boolean> {
    try {
      for (const [id, some] of await this.#tokensOf(ids, rows)) tokens.set(id, some)
      return true
    } catch (error) {
      if (!(error instanceof LcmError) || error.code !== 'file_corrupt') throw error
      if (ids.length > 1) for (const id of ids) await this.#readable([id], rows, tokens)
      return false
    }
  }

  /** Adds up the tokens of conversations that are read together. A large conversation is read alone. */
  async #tokensOf(ids: readonly number[], { counts, entries }: RowCounts): Promise<TokensById> {
    const [id = 0] = ids
    // An overview may have measured the conversation already: see `prepare`.
    const known = ids.length === 1 ? this.#keptNow().get(id) : undefined
    if (known) return new Map([[id, known]])
    const isLong = isLarge(entries.get(id))
    const isRead = isLong || (counts.get(id) ?? 0) >= LARGE
    if (isLong) await this.#reader.prepareMemory(id)
    else if (isRead) await this.#reader.prepare(id)
    const messages = isRead ? this.#reader.kept(id) : null
    const stored = messages?.isPlain ? new Map([[id, messages.totalTokens]]) : this.#tokensNow(ids)
    const memory = isLong ? this.#reader.keptMemory(id) : null
    const windows = memory
      ? new Map([[id, await inSlices(this.#windows.measuring(memory, id))]])
      : this.#windows.measure(ids)
    return new Map(
      ids.map((one) => [one, { storedTokens: stored.get(one) ?? 0, window: windows.get(one) ?? NO_WINDOW }]),
    )
  }

  #current(): TokensAtStamp | null {
    return this.#read?.stamp === changeStamp(this.#db) ? this.#read : null
  }
}

/** How many messages conversations have, and how many entries their windows have. */
type RowCounts = {
  readonly counts: ReadonlyMap<number, number>
  readonly entries: ReadonlyMap<number, EntryCounts>
}

function entriesOf(db: ReadDb, of: Conversations): ReadonlyMap<number, EntryCounts> {
  const entries = new Map(entryCounts(db, of))
  // The window of a fork in which nothing was said yet has no entries of its own.
  for (const id of forkPoints(db).keys())
    if (!entries.has(id) && (of === null || of.includes(id))) entries.set(id, { items: 0, messages: 0 })
  return entries
}

const isLarge = (entries: EntryCounts | undefined): boolean => (entries?.items ?? 0) >= LARGE

const NONE: Tokens = { storedTokens: 0, window: NO_WINDOW }
const NO_WINDOWS: ReadonlyMap<number, WindowSize> = new Map()
const NOTHING: ListedSize = { messages: 0, contextItems: 0, storedTokens: 0, window: NO_WINDOW }

function sizesOf(
  counts: ReadonlyMap<number, number>,
  entries: ReadonlyMap<number, EntryCounts>,
  tokensOf: (id: number) => Tokens,
): Map<number, Size> {
  const sizes = new Map<number, Size>()
  const add = (id: number): void => {
    const { storedTokens, window } = tokensOf(id)
    sizes.set(id, { messages: counts.get(id) ?? 0, storedTokens, window })
  }
  for (const id of counts.keys()) add(id)
  for (const id of entries.keys()) if (!counts.has(id)) add(id)
  return sizes
}

/** Yields groups of conversations that are read together: a large one alone, and small ones up to a number of rows. */
function* batches(counts: ReadonlyMap<number, number>, entries: ReadonlyMap<number, EntryCounts>): Generator<number[]> {
  let ids: number[] = []
  let rows = 0
  for (const id of new Set([...counts.keys(), ...entries.keys()])) {
    const messages = counts.get(id) ?? 0
    if (messages >= LARGE || isLarge(entries.get(id))) {
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
