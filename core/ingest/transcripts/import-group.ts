import type { ImportedFile } from '#core/contract/import.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { BULK_BATCH, type ConversationStore } from '../conversation-store.ts'
import { textUnits } from '../new-message.ts'
import type { StoredHistory, TranscriptRecord } from './format.ts'

/** Records of a transcript that wait to be stored in one transaction. */
export class WaitingRecords {
  readonly records: TranscriptRecord[] = []
  /** The sessions that storing the records may change. */
  readonly sessions = new Set<string>()
  messages = 0
  textUnits = 0

  /** Returns false when there are more than a transaction should store. */
  add(record: TranscriptRecord): boolean {
    if (this.records.length >= BULK_BATCH.messages) return false
    const units = unitsOf(record)
    if (this.textUnits + units > BULK_BATCH.textUnits) return false
    this.records.push(record)
    this.textUnits += units
    if ('sessionId' in record) this.sessions.add(record.sessionId)
    if (record.kind !== 'message' && record.kind !== 'answer') return true
    this.messages += 1
    for (const id of record.copiedFrom ?? []) this.sessions.add(id)
    return true
  }
}

function unitsOf(record: TranscriptRecord): number {
  if (record.kind === 'message') return textUnits(record.message)
  if (record.kind !== 'answer') return 0
  return textUnits({ content: '', parts: record.blocks.map(({ part }) => part) })
}

/** A transcript that was read to its end. */
export type ReadTranscript = {
  readonly importer: string
  /** What of it is not stored yet. */
  readonly waiting: WaitingRecords
  /** Stores the rest, within a transaction. */
  readonly store: () => void
  /** Returns the result when everything is committed. */
  readonly result: () => ImportedFile
  /** Returns the result when storing failed because of the file, and null for any other error. */
  readonly failed: (error: unknown) => ImportedFile | null
  /** Remembers the result for the next import. */
  readonly note: (result: ImportedFile) => void
}

/**
 * Stores the ends of transcripts, which are all of short ones, in one transaction. One for each would take several times
 * as long, because every transaction writes index segments of its own and makes the index triggers anew. An end is
 * stored as a whole or not at all, and the transcript is reported when it is committed
 * (docs/decisions/0012-speed-of-imports.md).
 */
export class ImportGroup {
  readonly #db: WriteDb
  readonly #store: ConversationStore
  /** The transcripts that wait, and between them the results of files that need not: in the order of the files. */
  #waiting: (ReadTranscript | ImportedFile)[] = []
  /** The sessions of which something waits, each with its importer. */
  readonly #sessions = new Set<string>()
  #messages = 0
  #textUnits = 0
  /** The results of all files that are done. */
  readonly results: ImportedFile[] = []

  constructor(db: WriteDb, store: ConversationStore) {
    this.#db = db
    this.#store = store
  }

  /** Adds the result of a file of which there is nothing to store. */
  pass(result: ImportedFile): void {
    this.#waiting.push(result)
  }

  /** Adds a transcript, and stores all that wait when they are enough for a transaction. */
  add(transcript: ReadTranscript): void {
    const { waiting } = transcript
    const isTooMuch =
      this.#messages + waiting.records.length > BULK_BATCH.messages ||
      this.#textUnits + waiting.textUnits > BULK_BATCH.textUnits
    if (isTooMuch) this.store()
    this.#waiting.push(transcript)
    for (const sessionId of waiting.sessions) this.#sessions.add(keyOf(transcript.importer, sessionId))
    this.#messages += waiting.records.length
    this.#textUnits += waiting.textUnits
  }

  /** Answers from what is stored, after storing the transcripts that would change an answer. */
  stored(importer: string, { storedBlocks, lastStored, hasSession, hasSummary }: StoredHistory): StoredHistory {
    return {
      storedBlocks: (sessionId, externalId) => {
        this.storeSession(importer, sessionId)
        return storedBlocks(sessionId, externalId)
      },
      lastStored: (sessionId) => {
        this.storeSession(importer, sessionId)
        return lastStored(sessionId)
      },
      hasSession: (sessionId) => {
        this.storeSession(importer, sessionId)
        return hasSession(sessionId)
      },
      // An import writes no summary to which a transcript refers by its id.
      hasSummary,
    }
  }

  /** Stores what waits if something of the session is among it. */
  storeSession(importer: string, sessionId: string): void {
    if (this.#sessions.has(keyOf(importer, sessionId))) this.store()
  }

  /** Stores all transcripts that wait. One that fails is left out, and the others stay. */
  store(): void {
    const waiting = this.#waiting
    const failures = new Map<ReadTranscript, ImportedFile>()
    const transcripts = waiting.filter(isRead)
    const messages = transcripts.reduce((sum, one) => sum + one.waiting.messages, 0)
    if (transcripts.length > 0)
      this.#store.together(messages, () => {
        for (const transcript of transcripts) {
          try {
            // Within a transaction this is a savepoint.
            this.#db.transaction(transcript.store)
          } catch (error) {
            const failure = transcript.failed(error)
            if (failure === null) throw error
            failures.set(transcript, failure)
          }
        }
      })
    this.#waiting = []
    this.#sessions.clear()
    this.#messages = 0
    this.#textUnits = 0
    const results = waiting.map((one) => (isRead(one) ? (failures.get(one) ?? one.result()) : one))
    for (const result of results) this.results.push(result)
    if (transcripts.length === 0) return
    this.#db.transaction(() => {
      for (const [at, one] of waiting.entries()) {
        const result = results[at]
        if (isRead(one) && result && !failures.has(one)) one.note(result)
      }
    })
  }
}

const keyOf = (importer: string, sessionId: string): string => `${importer}\n${sessionId}`

const isRead = (one: ReadTranscript | ImportedFile): one is ReadTranscript => 'importer' in one
