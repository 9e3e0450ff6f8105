import type { ImportedFile, SkippedLine } from '../contract/import.ts'
import type { TranscriptRecord } from './format.ts'

const LISTED_SKIPS = 1000

/** What became of one file, as it becomes it. */
export class ImportReport {
  readonly #path: string
  readonly #format: string
  readonly #skipped: SkippedLine[] = []
  #skippedCount = 0
  conversationId: number | null = null
  sessionId: string | null = null
  added = 0
  alreadyThere = 0
  conflicts = 0
  compactions = 0
  otherRecords = 0

  constructor(path: string, format: string) {
    this.#path = path
    this.#format = format
  }

  skip({ line, reason }: Extract<TranscriptRecord, { kind: 'skipped' }>): void {
    this.#skippedCount += 1
    if (this.#skipped.length < LISTED_SKIPS) this.#skipped.push({ line, reason })
  }

  /** Nothing in the file was what its format says. */
  get isEmpty(): boolean {
    return this.added + this.alreadyThere + this.conflicts + this.otherRecords === 0
  }

  result(error: string | null): ImportedFile {
    return {
      path: this.#path,
      format: this.#format,
      conversationId: this.conversationId,
      sessionId: this.sessionId,
      added: this.added,
      alreadyThere: this.alreadyThere,
      conflicts: this.conflicts,
      compactions: this.compactions,
      otherRecords: this.otherRecords,
      skipped: this.#skipped,
      skippedCount: this.#skippedCount,
      error,
    }
  }
}
