import type { Resume } from '../contract/context.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import { changeStamp } from '../systems/reading/change-stamp.ts'
import { MemoryReader } from '../systems/reading/memory-reader.ts'
import { conversationExists, noSuchConversation } from '../systems/records/conversations.ts'
import { type CoverageOfEntries, coverageOfEntries } from './coverage-of-entries.ts'
import { inheritedBy } from './inherited.ts'
import { storedPlacements } from './placements.ts'
import { type PastEntries, readWindow } from './read-window.ts'
import { resumedWindow } from './resume.ts'
import type { Window } from './window.ts'

type Kept = { readonly window: Window; readonly covered: CoverageOfEntries }
/** With the conversations to which the first entries of a fork belong. */
type Sent = Kept & { readonly homes: readonly number[] }

/** Windows with more entries together are not kept: the one that was not asked for longest goes first. */
const MOST_ENTRIES = 20_000

/** Windows of single conversations in one state of the file. */
class Windows<T extends Kept> {
  #stamp = ''
  /** By conversation, the one that was not asked for longest first. */
  readonly #kept = new Map<number, T>()

  of(db: ReadDb, conversationId: number, read: () => T): T {
    const stamp = changeStamp(db)
    if (this.#stamp !== stamp) this.#kept.clear()
    this.#stamp = stamp
    const known = this.#kept.get(conversationId)
    this.#kept.delete(conversationId)
    // What has to go is released before the new window is read, because both may be large.
    if (!known) this.#makeRoom()
    const window = known ?? read()
    if (changeStamp(db) === stamp) this.#kept.set(conversationId, window)
    return window
  }

  #makeRoom(): void {
    let entries = 0
    for (const { window } of this.#kept.values()) entries += window.length
    for (const [id, { window }] of this.#kept) {
      if (entries <= MOST_ENTRIES) return
      entries -= window.length
      this.#kept.delete(id)
    }
  }
}

/**
 * The windows that were asked for last, each read once and kept until the file changes, so that a decision, a plan and
 * every what-if about one needs no further reading.
 */
export class KeptWindow {
  readonly #db: ReadDb
  readonly #estimator: TokenEstimator
  readonly #reader: MemoryReader
  readonly #stored = new Windows<Kept>()
  readonly #sent = new Windows<Sent>()

  constructor(db: ReadDb, estimator: TokenEstimator, reader = new MemoryReader(db)) {
    this.#db = db
    this.#reader = reader
    this.#estimator = estimator
  }

  /** @throws LcmError not_found */
  of(conversationId: number): Kept {
    return this.#stored.of(this.#db, conversationId, () => readSnapshot(this.#db, () => this.past(conversationId, {})))
  }

  /**
   * Returns the window that the agent is sent: of a fork, with what it sees of the conversation that it was forked from.
   * A past window of a fork that has compacted since is its own part alone.
   * @throws LcmError not_found
   */
  sent(conversationId: number, past: PastEntries = {}): Sent {
    if (past.placed || past.until) return this.#readSent(conversationId, past)
    return this.#sent.of(this.#db, conversationId, () => this.#readSent(conversationId, past))
  }

  #readSent(conversationId: number, past: PastEntries): Sent {
    return readSnapshot(this.#db, () => {
      const inherited = inheritedBy(this.#db, this.#reader, conversationId)
      if (!inherited || inherited.placed.length === 0 || (past.placed && !inherited.isWhole)) {
        return { ...(past.placed ? this.past(conversationId, past) : this.of(conversationId)), homes: [] }
      }
      const own = past.placed ?? storedPlacements(this.#reader.memory(conversationId))
      const sent = { ...past, placed: [...inherited.placed, ...own], prunedElsewhere: inherited.pruned }
      return { ...this.past(conversationId, sent), homes: inherited.homes }
    })
  }

  /**
   * Returns what the agent would load of its window when the session is resumed. `resume` is null when that is all.
   * @throws LcmError not_found
   */
  resumed(conversationId: number): Sent & { readonly resume: Resume | null } {
    return readSnapshot(this.#db, () => {
      if (!conversationExists(this.#db, conversationId)) throw noSuchConversation(this.#db, conversationId)
      const found = resumedWindow(this.#db, this.#reader, conversationId)
      if (!found) return { ...this.sent(conversationId), resume: null }
      const { placed, homes, resume } = found
      const prunedElsewhere = inheritedBy(this.#db, this.#reader, conversationId)?.pruned
      const inherited = homes.filter((home) => home !== conversationId)
      return { ...this.past(conversationId, { placed, prunedElsewhere }), homes: inherited, resume }
    })
  }

  /** Says how much a resume would load, or returns null when it would load the whole window. */
  resumeOf(conversationId: number): Resume | null {
    return readSnapshot(this.#db, () => resumedWindow(this.#db, this.#reader, conversationId)?.resume ?? null)
  }

  /**
   * Returns the window with other entries than the stored ones, and does not keep it. Call it inside a snapshot.
   * @throws LcmError not_found
   */
  past(conversationId: number, past: PastEntries): Kept {
    if (!conversationExists(this.#db, conversationId)) throw noSuchConversation(this.#db, conversationId)
    const memory = this.#reader.memory(conversationId)
    const window = readWindow(this.#db, memory, this.#estimator, past)
    return { window, covered: coverageOfEntries(this.#db, this.#reader, window) }
  }
}
