import type { ImportWindow } from '#core/contract/import.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { storeCompaction } from './existing-compaction.ts'
import type { Forks } from './forks.ts'
import type { CompactionRecord, GivenUpRecord, HeldRecord, OriginsRecord, PruningRecord } from './format.ts'
import { removedSince, storeGivenUp, withdrawGivenUp } from './given-up-branches.ts'
import type { PartRemovals } from './removed-parts.ts'
import { storePruning } from './store-pruning.ts'
import type { StoredSession, StoredSessions } from './stored-sessions.ts'

type Options = {
  readonly db: WriteDb
  readonly estimator: TokenEstimator
  readonly format: string
  readonly window: ImportWindow
  readonly sessions: StoredSessions
  readonly forks: Forks
  readonly removals: PartRemovals
  /** Returns the session, which is stored if it was not. */
  readonly open: (sessionId: string) => StoredSession
  /** Stores the messages that were taken so far. */
  readonly writeMessages: () => void
}

/** Stores what an agent did with its window: compactions, prunings, branches that were given up, removed messages. */
export class WindowChanges {
  readonly #options: Options
  /** The messages on branches that were given up, by the session. */
  readonly #givenUp = new Map<string, ReadonlySet<string>>()
  /** What forks tell of the sessions that they copied, by the fork. */
  readonly #ofOrigins = new Map<string, OriginsRecord>()
  /** Compactions that were taken back, by the session. */
  readonly #takenBack = new Map<string, ReadonlySet<string>>()
  /**
   * Compactions of sessions that were stored before. What they replaced is known only when the branches are up to date.
   */
  readonly #laterCompactions: CompactionRecord[] = []
  readonly #laterPrunings: PruningRecord[] = []
  readonly #held: HeldRecord[] = []
  #compactions = 0

  constructor(options: Options) {
    this.#options = options
  }

  /** How many compactions were stored. */
  get compactions(): number {
    return this.#compactions
  }

  /** The messages on branches that each session gave up. */
  get givenUp(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#givenUp
  }

  /** @param session null for one without stored messages */
  takeCompaction(compaction: CompactionRecord, session: StoredSession | null): void {
    if (session?.isNew === false) this.#laterCompactions.push(compaction)
    else {
      this.#options.writeMessages()
      this.#compact(compaction)
    }
  }

  /** @param session null for one without stored messages */
  takePruning(pruning: PruningRecord, session: StoredSession | null): void {
    if (session?.isNew === false) this.#laterPrunings.push(pruning)
    else {
      this.#options.writeMessages()
      this.#prune(pruning)
    }
  }

  takeGivenUp({ sessionId, externalIds, compactions }: GivenUpRecord): void {
    this.#givenUp.set(sessionId, externalIds)
    if (compactions) this.#takenBack.set(sessionId, compactions)
  }

  takeOrigins(record: OriginsRecord): void {
    this.#ofOrigins.set(record.sessionId, record)
  }

  takeHeld(held: HeldRecord): void {
    this.#held.push(held)
  }

  /**
   * @param origins by fork, the sessions that it copied and that have no transcript of their own here. Where the fork does
   * not say what they had given up by then, they are taken to have given up what the fork gave up.
   */
  finish(origins: ReadonlyMap<string, ReadonlySet<string>>): void {
    const { db, estimator, format, window, sessions, removals } = this.#options
    for (const [fork, copied] of origins) {
      const told = this.#ofOrigins.get(fork)
      const givenUp = told?.givenUp ?? this.#givenUp.get(fork)
      if (givenUp) for (const origin of copied) this.#givenUp.set(origin, givenUp)
      if (window !== 'agent') continue
      for (const pruning of told?.prunings ?? []) if (copied.has(pruning.sessionId)) this.#laterPrunings.push(pruning)
    }
    for (const { sessionId, ...held } of this.#held) {
      const session = sessions.get(sessionId)
      if (session === undefined || session.isNew) continue
      const removed = removedSince({ db, conversationId: session.id, ...held })
      this.#givenUp.set(sessionId, new Set([...(this.#givenUp.get(sessionId) ?? []), ...removed]))
    }
    const givenUp = (window === 'agent' ? [...this.#givenUp] : []).flatMap(([sessionId, externalIds]) => {
      const conversationId = sessions.get(sessionId)?.id
      const compactions = this.#takenBack.get(sessionId)
      return conversationId === undefined ? [] : [{ db, conversationId, externalIds, compactions }]
    })
    for (const one of givenUp) withdrawGivenUp(one)
    if (window === 'agent') removals.finish({ db, estimator, importer: format }, this.#held)
    for (const compaction of this.#laterCompactions) this.#compact(compaction)
    for (const pruning of this.#laterPrunings) this.#prune(pruning)
    for (const one of givenUp) storeGivenUp({ ...one, estimator, importer: format })
  }

  #compact(compaction: CompactionRecord): void {
    const { db, estimator, format, forks, open } = this.#options
    const conversationId = open(compaction.sessionId).id
    forks.compacted(conversationId, compaction)
    if (storeCompaction({ db, estimator, importer: format, conversationId, compaction })) this.#compactions += 1
  }

  #prune(pruning: PruningRecord): void {
    const { db, estimator, format, open } = this.#options
    const conversationId = open(pruning.sessionId).id
    storePruning({ db, estimator, importer: format, conversationId, pruning })
  }
}
