import type { Clock } from '../clock.ts'
import type { TokenEstimator } from '../context/token-estimator.ts'
import type { ImportWindow } from '../contract/import.ts'
import { ConversationStore } from '../conversations/conversation-store.ts'
import type { NewMessage } from '../conversations/new-message.ts'
import type { WriteDb } from '../db/read-db.ts'
import { assertNever } from '../errors.ts'
import { storedLinks } from './answer-links.ts'
import { storeCompaction } from './existing-compaction.ts'
import type { AnswerRecord, CompactionRecord, MessageRecord, PruningRecord, TranscriptRecord } from './format.ts'
import { storeGivenUp, withdrawGivenUp } from './given-up-branches.ts'
import { continueMessage, cutGrown } from './grown-answer.ts'
import { ImportBatch } from './import-batch.ts'
import { ImportReport } from './import-report.ts'
import { storePruning } from './store-pruning.ts'
import { type StoredSession, StoredSessions } from './stored-sessions.ts'

export type WriterOptions = {
  readonly db: WriteDb
  readonly estimator: TokenEstimator
  readonly clock: Clock
  readonly path: string
  readonly format: string
  /** See `TranscriptFormat`. */
  readonly cutsAnswers: boolean
  readonly window: ImportWindow
}

/**
 * Stores the records of one transcript, whatever its format. Messages go in batches; every batch that was written
 * stays valid. What is there already is left as it is.
 */
export class TranscriptWriter {
  readonly report: ImportReport
  readonly #options: WriterOptions
  readonly #store: ConversationStore
  readonly #sessions: StoredSessions
  readonly #batch: ImportBatch
  readonly #titles = new Map<number, string>()
  readonly #givenUp = new Map<number, ReadonlySet<string>>()
  /** Of sessions that were there before: what was replaced shows when their branches stand as they do now. */
  readonly #laterCompactions: CompactionRecord[] = []
  readonly #laterPrunings: PruningRecord[] = []

  constructor(options: WriterOptions) {
    const { db, estimator, clock, path, format, cutsAnswers } = options
    this.#options = options
    this.#store = new ConversationStore(db, estimator, clock)
    this.report = new ImportReport(path, format)
    this.#sessions = new StoredSessions(db, this.#store, format, path)
    this.#batch = new ImportBatch(this.#store, this.report, cutsAnswers ? () => null : this.#continued)
  }

  readonly storedBlocks = (sessionId: string, externalId: string): number | undefined =>
    this.#sessions.storedBlocks(sessionId, externalId)

  /** A message that an earlier import found half written. */
  readonly #continued = (conversationId: number, message: NewMessage): NewMessage[] | null => {
    const links = storedLinks(message.externalId ?? '', (id) => this.#sessions.message(conversationId, id))
    const [first] = links
    return first
      ? continueMessage(
          message,
          first.role,
          links.map(({ parts }) => parts),
        )
      : null
  }

  /** Takes one record; true when a batch was written, which is a good moment to let others in. */
  take(record: TranscriptRecord): boolean {
    switch (record.kind) {
      case 'session': {
        const { id } = this.#sessions.declare(record)
        if (this.report.conversationId === null || record.isMain) {
          this.report.conversationId = id
          this.report.sessionId = record.sessionId
        }
        return false
      }
      case 'message':
        return this.#takeMessage(record)
      case 'answer':
        return this.#takeAnswer(record)
      case 'compaction':
        return this.#takeCompaction(record)
      case 'pruning':
        return this.#takePruning(record)
      case 'title':
        this.#titles.set(this.#session(record.sessionId).id, record.title)
        return false
      case 'given_up':
        this.#givenUp.set(this.#session(record.sessionId).id, record.externalIds)
        return false
      case 'other':
        this.report.otherRecords += 1
        return false
      case 'repeated':
        this.report.alreadyThere += 1
        return false
      case 'skipped':
        this.report.skip(record)
        return false
      default:
        return assertNever(record)
    }
  }

  /** To be called after the last record. */
  finish(): void {
    this.#batch.write()
    const { db, estimator, format, window } = this.#options
    const givenUp = window === 'agent' ? [...this.#givenUp] : []
    for (const [conversationId, externalIds] of givenUp) withdrawGivenUp({ db, conversationId, externalIds })
    for (const compaction of this.#laterCompactions) this.#compact(compaction)
    for (const pruning of this.#laterPrunings) this.#prune(pruning)
    for (const [conversationId, externalIds] of givenUp) {
      storeGivenUp({ db, estimator, importer: format, conversationId, externalIds })
    }
    for (const [conversationId, title] of this.#titles) this.#store.setTitle(conversationId, title)
  }

  #takeMessage({ sessionId, message, copiedFrom }: MessageRecord): boolean {
    const { id } = this.#session(sessionId)
    if (copiedFrom && this.#isCopy(copiedFrom, message.externalId)) return false
    return this.#add(id, message)
  }

  #takeAnswer(answer: AnswerRecord): boolean {
    const { sessionId, externalId } = answer
    const session = this.#session(sessionId)
    if (answer.copiedFrom && this.#isCopy(answer.copiedFrom, externalId)) return false
    const links = session.isNew ? [] : storedLinks(externalId, (id) => this.#sessions.message(session.id, id)?.parts)
    let wrote = false
    for (const message of cutGrown(answer, links)) wrote = this.#add(session.id, message) || wrote
    return wrote
  }

  #takeCompaction(compaction: CompactionRecord): boolean {
    if (this.#options.window === 'history') return false
    if (!this.#session(compaction.sessionId).isNew) {
      this.#laterCompactions.push(compaction)
      return false
    }
    this.#batch.write()
    this.#compact(compaction)
    return true
  }

  #compact(compaction: CompactionRecord): void {
    const { db, estimator, format } = this.#options
    const conversationId = this.#session(compaction.sessionId).id
    const isStored = storeCompaction({ db, estimator, importer: format, conversationId, compaction })
    if (isStored) this.report.compactions += 1
  }

  #takePruning(pruning: PruningRecord): boolean {
    if (this.#options.window === 'history') return false
    if (!this.#session(pruning.sessionId).isNew) {
      this.#laterPrunings.push(pruning)
      return false
    }
    this.#batch.write()
    this.#prune(pruning)
    return true
  }

  #prune(pruning: PruningRecord): void {
    const { db, estimator, format } = this.#options
    const conversationId = this.#session(pruning.sessionId).id
    storePruning({ db, estimator, importer: format, conversationId, pruning })
  }

  #add(conversationId: number, message: NewMessage): boolean {
    this.#batch.add(conversationId, message)
    if (!this.#batch.isFull) return false
    this.#batch.write()
    return true
  }

  #isCopy(sessionIds: readonly string[], externalId: string | null): boolean {
    if (externalId === null || !sessionIds.some((id) => this.#sessions.holds(id, externalId))) return false
    this.report.alreadyThere += 1
    return true
  }

  #session(sessionId: string): StoredSession {
    const session = this.#sessions.get(sessionId)
    if (!session) throw new Error(`session ${sessionId} was not declared before its first record`)
    return session
  }
}
