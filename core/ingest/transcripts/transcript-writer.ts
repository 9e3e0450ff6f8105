import type { Clock } from '#core/clock.ts'
import type { ImportedFile, ImportWindow } from '#core/contract/import.ts'
import { assertNever } from '#core/errors.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import type { BrokenChainNote } from '#core/systems/records/broken-chains.ts'
import type { SentAgainNote } from '#core/systems/records/sent-again.ts'
import { noteSession } from '#core/systems/records/session-notes.ts'
import { noteCosts } from '#core/systems/records/stated-costs.ts'
import type { ConversationStore } from '../conversation-store.ts'
import type { LargeTexts } from '../large-texts.ts'
import type { NewMessage } from '../new-message.ts'
import { storedLinks } from './answer-links.ts'
import { ForkedCopies } from './forked-copies.ts'
import { Forks } from './forks.ts'
import type { AnswerRecord, BrokenChainRecord, MessageRecord, StoredHistory, TranscriptRecord } from './format.ts'
import { continueMessage, cutGrown } from './grown-answer.ts'
import { ImportBatch } from './import-batch.ts'
import { ImportReport, type ResumeOf } from './import-report.ts'
import { LargeRecordTexts, partsOf } from './large-record-texts.ts'
import { PartRemovals } from './removed-parts.ts'
import { SessionTitles } from './session-titles.ts'
import { type StoredSession, StoredSessions } from './stored-sessions.ts'
import { newerVersion, type Tried } from './tried-versions.ts'
import { WindowChanges } from './window-changes.ts'

export type WriterOptions = {
  readonly db: WriteDb
  readonly store: ConversationStore
  readonly estimator: TokenEstimator
  readonly clock: Clock
  readonly path: string
  readonly format: string
  readonly tried: Tried | undefined
  readonly window: ImportWindow
  readonly largeTexts: LargeTexts | null
  readonly resumeOf?: ResumeOf
}

/**
 * Stores the records of one transcript of any format. Messages are written in batches, and every written batch stays
 * valid. Messages that are stored already stay unchanged.
 */
export class TranscriptWriter {
  readonly report: ImportReport
  /** Null when large texts stay in their messages. */
  readonly largeTexts: LargeRecordTexts | null
  readonly #options: WriterOptions
  readonly #store: ConversationStore
  readonly #sessions: StoredSessions
  readonly #batch: ImportBatch
  readonly #titles = new SessionTitles()
  readonly #chains: BrokenChainRecord[] = []
  /** The conversations whose chain breaks. */
  readonly #broken: number[] = []
  readonly #costs = new Map<string, Extract<TranscriptRecord, { kind: 'cost' }>>()
  readonly #sentAgain = new Map<string, ReadonlyMap<string, number>>()
  readonly #forks: Forks
  readonly #copies: ForkedCopies
  readonly #removals: PartRemovals
  readonly #changes: WindowChanges

  constructor(options: WriterOptions) {
    const { db, store, clock, path, format, largeTexts } = options
    this.#options = options
    this.#store = store
    this.report = new ImportReport(path, format)
    this.#sessions = new StoredSessions(db, this.#store, format, path)
    this.#forks = new Forks(db, format)
    this.#copies = new ForkedCopies(this.#sessions, this.#forks, clock)
    this.#removals = new PartRemovals(this.#sessions)
    this.#changes = new WindowChanges({
      ...options,
      sessions: this.#sessions,
      forks: this.#forks,
      removals: this.#removals,
      open: (sessionId) => this.#session(sessionId),
      writeMessages: () => this.#batch.write(),
    })
    this.largeTexts =
      largeTexts &&
      new LargeRecordTexts({
        largeTexts,
        format,
        sessions: this.#sessions,
        expect: (sessionId) => this.#expect(sessionId),
        noteBeginning: (sessionId, message) => this.#titles.noteBeginning(sessionId, message),
      })
    this.#batch = new ImportBatch({
      store: this.#store,
      report: this.report,
      conversationOf: (sessionId) => this.#session(sessionId).id,
      continued: this.#continued,
    })
  }

  readonly stored: StoredHistory = {
    storedBlocks: (sessionId, externalId) => this.#sessions.storedBlocks(sessionId, externalId),
    lastStored: (sessionId) => this.#sessions.lastStored(sessionId),
    hasSession: (sessionId) => this.#sessions.has(sessionId),
    hasSummary: (summaryId) => this.#sessions.hasSummary(summaryId),
  }

  /** Continues a message that an earlier import found half written. */
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

  /** Stores some records, which are at most as many as one transaction should store. */
  takeAll(records: readonly TranscriptRecord[]): void {
    for (const record of records) this.#take(this.#copies.placed(record))
    this.#batch.write()
  }

  #take(record: TranscriptRecord): void {
    const { window } = this.#options
    switch (record.kind) {
      case 'session':
        // A fork in the same file: its copies are recognised by the messages of its parent that are stored.
        if (record.parentSessionId != null) this.#batch.write()
        this.#sessions.declare(record)
        this.#forks.declare(record)
        this.#copies.declare(record)
        if (record.title != null || record.keepsTitle) this.#titles.declare(record.sessionId)
        if (this.report.mainSessionId === null || record.isMain) this.report.mainSessionId = record.sessionId
        return
      case 'message':
        this.#takeMessage(record)
        return
      case 'answer':
        this.#takeAnswer(record)
        return
      case 'compaction':
        if (window === 'agent') this.#changes.takeCompaction(record, this.#expect(record.sessionId))
        return
      case 'pruning':
        if (window === 'agent') this.#changes.takePruning(record, this.#expect(record.sessionId))
        return
      case 'title':
        this.#titles.set(record.sessionId, record.title)
        return
      case 'given_up':
        this.#changes.takeGivenUp(record)
        return
      case 'origins':
        this.#changes.takeOrigins(record)
        return
      case 'held':
        this.#changes.takeHeld(record)
        return
      case 'cost':
        this.#costs.set(record.sessionId, record)
        return
      case 'sent_again':
        this.#sentAgain.set(record.sessionId, record.copies)
        return
      case 'broken_chain':
        this.#chains.push(record)
        return
      case 'written_by':
        this.report.newer = newerVersion(this.report.newer, record.version, this.#options.tried)
        return
      case 'read_to':
        // A file to which nothing was added belongs to its conversation all the same.
        this.#expect(record.sessionId)
        return
      case 'other':
        this.report.otherRecords += 1
        return
      case 'repeated':
        this.report.alreadyThere += 1
        return
      case 'conflict':
        this.report.conflicts += 1
        this.report.skip(record)
        return
      case 'skipped':
        this.report.skip(record)
        return
      default:
        assertNever(record)
    }
  }

  /** Completes the import after the last record. */
  finish(): void {
    const { db, format } = this.#options
    // A fork in which nothing was said yet is a session, too.
    for (const fork of this.#copies.origins.keys()) this.#session(fork)
    this.#changes.finish(this.#copies.origins)
    this.report.compactions = this.#changes.compactions
    for (const { sessionId, conversationId } of this.report.conversations.values()) {
      this.#forks.finish(sessionId, conversationId, this.#changes.givenUp)
      this.#sessions.adoptForks(sessionId, conversationId)
    }
    this.#finishChains()
    for (const [sessionId, costs] of this.#costs) noteCosts(db, { importer: format, sessionId }, costs)
    for (const [sessionId, copies] of this.#sentAgain) {
      const note: SentAgainNote = [...copies]
      const session = { importer: format, sessionId }
      noteSession(db, 'sent_again', session, note.length === 0 ? null : JSON.stringify(note))
    }
    this.#nameConversations()
  }

  /** Says of which conversations a resume would load less than their agent should see. */
  #finishChains(): void {
    const { db, format, path } = this.#options
    for (const { sessionId, breaks } of this.#chains) {
      const note: BrokenChainNote = { path, breaks: [...breaks] }
      // The transcript may have been mended since an earlier import.
      const written = breaks.length === 0 ? null : JSON.stringify(note)
      noteSession(db, 'broken_chain', { importer: format, sessionId }, written)
      const conversationId = this.#sessions.get(sessionId)?.id
      if (breaks.length > 0 && conversationId !== undefined) this.#broken.push(conversationId)
    }
  }

  /**
   * Returns the result of the file, after what `finish` stored was committed.
   * @param failure says why the file could not be read to its end
   */
  result(failure: string | null): ImportedFile {
    for (const conversationId of this.#broken) {
      const resume = this.#options.resumeOf?.(conversationId)
      if (resume) this.report.brokenChains.push({ conversationId, ...resume })
    }
    return this.report.result(failure)
  }

  #nameConversations(): void {
    for (const [sessionId, title] of this.#titles.found()) {
      const id = this.#sessions.get(sessionId)?.id
      if (id !== undefined) this.#store.setTitle(id, title)
    }
    for (const conversation of this.report.conversations.values()) {
      conversation.title = this.#store.titleOf(conversation.conversationId)
    }
  }

  #takeMessage(record: MessageRecord): void {
    const { sessionId, message, copiedFrom } = record
    const session = this.#expect(sessionId)
    this.largeTexts?.noteCalls(sessionId, message.parts)
    if (copiedFrom && this.#isCopy(sessionId, copiedFrom, message.externalId)) return
    if (record.isComplete && session?.isNew === false && this.#removals.fromMessage(session, record)) {
      this.report.count(session.id, 'alreadyThere', 1)
      return
    }
    this.#add(sessionId, message)
  }

  #takeAnswer(answer: AnswerRecord): void {
    const { sessionId, externalId } = answer
    const session = this.#expect(sessionId)
    this.largeTexts?.noteCalls(sessionId, partsOf(answer))
    if (answer.copiedFrom && this.#isCopy(sessionId, answer.copiedFrom, externalId)) return
    const stored =
      session === null || session.isNew
        ? []
        : storedLinks(externalId, (id) => {
            const parts = this.#sessions.message(session.id, id)?.parts
            return parts && { externalId: id, parts }
          })
    if (session && answer.isComplete && this.#removals.fromAnswer(answer, stored)) {
      this.report.count(session.id, 'alreadyThere', stored.length)
      return
    }
    const links = stored.map(({ parts }) => parts)
    const messages = cutGrown(answer, links)
    const [whole] = links.length === 1 && messages.length > 1 ? cutGrown(answer, []) : []
    if (whole) this.#add(sessionId, { ...whole, cut: messages })
    else for (const message of messages) this.#add(sessionId, message)
  }

  #add(sessionId: string, message: NewMessage): void {
    this.#titles.noteBeginning(sessionId, message)
    this.#batch.add(sessionId, message)
  }

  #isCopy(sessionId: string, sessionIds: readonly string[], externalId: string | null): boolean {
    if (externalId === null || !sessionIds.some((id) => this.#sessions.holds(id, externalId))) return false
    // Earlier imports stored the copies of a fork whose parent came later.
    if (this.#sessions.hasOwn(sessionId, externalId)) return false
    this.#forks.copied(sessionId, externalId)
    this.report.count(this.#session(sessionId).id, 'alreadyThere')
    return true
  }

  /** Returns null for a session without stored messages. */
  #expect(sessionId: string): StoredSession | null {
    return this.#sessions.expect(sessionId) && this.#session(sessionId)
  }

  #session(sessionId: string): StoredSession {
    const session = this.#sessions.open(sessionId)
    const { id: conversationId } = session
    if (!this.report.conversations.has(conversationId)) {
      this.report.conversations.set(conversationId, {
        conversationId,
        sessionId,
        title: null,
        added: 0,
        alreadyThere: 0,
      })
    }
    return session
  }
}
