import { keepRecent } from '../keeping.ts'
import type { Memory } from '../memory/memory.ts'
import type { SourceText } from '../provenance/passages.ts'
import { TextIndex } from '../provenance/text-index.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { changeStamp } from '../systems/reading/change-stamp.ts'
import type { PastEntries } from '../window/read-window.ts'
import { goingOn, type TimeSlice } from '../yielding.ts'
import { GivenWindow } from './given-window.ts'
import { textsOf, windowIds, windowTexts } from './node-texts.ts'

/** The texts that the model is given of a window. A note says when not all of them were read. */
export type WindowIndex = { readonly index: TextIndex; readonly notes: readonly string[] }

/** A window with more characters is read as far as this, from its newest items on. */
const MOST_WINDOW_CHARS = 4_000_000
const MOST_WINDOWS = 2
/** At most this many characters of other nodes are kept. */
const MOST_NODE_CHARS = 4_000_000

/** Returns ids of items that the model is not given, of the present window or of a past one. */
export type LeftOut = (conversationId: number, past?: PastEntries) => ReadonlySet<string>

/** Indexes of the texts of windows and nodes, kept for the next question until the file changes. */
export class TextIndexes {
  readonly #db: ReadDb
  readonly #leftOutOf: LeftOut
  #stamp = ''
  /** Windows by conversation and nodes by id, the least recently used first. */
  readonly #windows = new Map<number, WindowIndex>()
  readonly #nodes = new Map<string, TextIndex>()
  #nodeChars = 0
  #given = new WeakMap<Memory, GivenWindow>()

  constructor(db: ReadDb, leftOut: LeftOut = () => new Set()) {
    this.#db = db
    this.#leftOutOf = leftOut
  }

  /** Which items of the stored window of a conversation the model is given. */
  given(memory: Memory): GivenWindow {
    this.#current()
    let given = this.#given.get(memory)
    if (given === undefined) {
      given = new GivenWindow(memory, this.#leftOutOf(memory.messages.conversationId))
      this.#given.set(memory, given)
    }
    return given
  }

  /** Ids of items of a past window that the model was not given. They are not kept. */
  leftOutAt(conversationId: number, past: PastEntries): ReadonlySet<string> {
    return this.#leftOutOf(conversationId, past)
  }

  /** The texts of what the model is given of the stored window of a conversation. */
  async ofWindow(memory: Memory, slice: TimeSlice): Promise<WindowIndex> {
    const { conversationId } = memory.messages
    const stamp = this.#current()
    const known = this.#windows.get(conversationId)
    this.#windows.delete(conversationId)
    const window = known ?? (await indexOf(this.#givenTexts(memory), slice, MOST_WINDOW_CHARS))
    if (stamp !== this.#current()) return window
    return keepRecent(this.#windows, conversationId, window, MOST_WINDOWS)
  }

  /** The newest items come first. */
  #givenTexts(memory: Memory): Iterable<readonly SourceText[]> {
    const { leftOut } = this.given(memory)
    const ids = windowIds(memory).filter((id) => !leftOut.has(id))
    return windowTexts(this.#db, memory.messages.conversationId, ids.reverse())
  }

  /** The texts of one message or summary. */
  async ofNode(id: string, slice: TimeSlice): Promise<TextIndex> {
    const stamp = this.#current()
    const known = this.#nodes.get(id)
    const index = known ?? (await indexOf(textsOf(this.#db, [id]), slice)).index
    if (stamp !== this.#current()) return index
    if (!this.#nodes.delete(id)) this.#nodeChars += index.chars
    this.#nodes.set(id, index)
    for (const [oldest, { chars }] of this.#nodes) {
      if (this.#nodeChars <= MOST_NODE_CHARS) break
      this.#nodes.delete(oldest)
      this.#nodeChars -= chars
    }
    return index
  }

  /** Forgets what may have changed. */
  #current(): string {
    const stamp = changeStamp(this.#db)
    if (stamp === this.#stamp) return stamp
    this.#stamp = stamp
    this.#windows.clear()
    this.#nodes.clear()
    this.#nodeChars = 0
    this.#given = new WeakMap()
    return stamp
  }
}

/** Reads texts into an index, up to a number of characters. */
export async function indexOf(
  texts: Iterable<readonly SourceText[]>,
  slice: TimeSlice,
  mostChars = Number.POSITIVE_INFINITY,
): Promise<WindowIndex> {
  const index = new TextIndex()
  const notes: string[] = []
  for (const batch of texts) {
    for (const text of batch) await index.add(text, slice)
    await slice.yieldIfOver()
    if (index.chars < mostChars) continue
    notes.push('The window is very long: only its newest items were compared.')
    break
  }
  await goingOn(index.preparing(), slice)
  return { index, notes }
}
