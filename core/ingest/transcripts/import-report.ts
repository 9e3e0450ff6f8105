import type { Resume } from '#core/contract/context.ts'
import type { ImportedConversation, ImportedFile, NewerVersion, SkippedLine } from '#core/contract/import.ts'
import type { TranscriptRecord } from './format.ts'

/** Says what a resume would load of a conversation, or returns null when it would load the whole window. */
export type ResumeOf = (conversationId: number) => Resume | null

const LISTED_SKIPS = 1000
const LISTED_CONVERSATIONS = 1000

type Conversation = { -readonly [Field in keyof ImportedConversation]: ImportedConversation[Field] }

/** Collects the result of one file while it is imported. */
export class ImportReport {
  readonly #path: string
  readonly #format: string
  readonly #skipped: SkippedLine[] = []
  #skippedCount = 0
  /** Conversations by number, in the order of their arrival. */
  readonly conversations = new Map<number, Conversation>()
  /** The session that the file is about. */
  mainSessionId: string | null = null
  added = 0
  alreadyThere = 0
  completed = 0
  conflicts = 0
  compactions = 0
  otherRecords = 0
  brokenChains: NonNullable<ImportedFile['brokenChains']> = []
  newer: NewerVersion | null = null

  constructor(path: string, format: string) {
    this.#path = path
    this.#format = format
  }

  skip({ line, reason }: Extract<TranscriptRecord, { kind: 'skipped' | 'conflict' }>): void {
    this.#skippedCount += 1
    if (this.#skipped.length < LISTED_SKIPS) this.#skipped.push({ line, reason })
  }

  /** Counts a message of a conversation that was stored, or was stored before. */
  count(conversationId: number, what: 'added' | 'alreadyThere', times = 1): void {
    this[what] += times
    const conversation = this.conversations.get(conversationId)
    if (conversation) conversation[what] += times
  }

  /** True when nothing in the file matched its format. */
  get isEmpty(): boolean {
    return this.conversations.size === 0 && this.added + this.alreadyThere + this.conflicts + this.otherRecords === 0
  }

  result(error: string | null): ImportedFile {
    const conversations = [...this.conversations.values()]
    const main = conversations.find(({ sessionId }) => sessionId === this.mainSessionId) ?? conversations[0]
    return {
      path: this.#path,
      format: this.#format,
      conversationId: main?.conversationId ?? null,
      sessionId: main?.sessionId ?? null,
      conversations: conversations.slice(0, LISTED_CONVERSATIONS).map((conversation) => ({ ...conversation })),
      conversationCount: conversations.length,
      added: this.added,
      alreadyThere: this.alreadyThere,
      completed: this.completed,
      conflicts: this.conflicts,
      compactions: this.compactions,
      otherRecords: this.otherRecords,
      skipped: this.#skipped,
      skippedCount: this.#skippedCount,
      ...(this.brokenChains.length > 0 ? { brokenChains: this.brokenChains } : {}),
      newer: this.newer,
      error,
    }
  }
}
