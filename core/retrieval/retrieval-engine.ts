import type { Description, FileInfo } from '../contract/lineage.ts'
import type { Capabilities } from '../contract/memory.ts'
import type { ExpandInput, Expansion, GrepInput, GrepResult } from '../contract/retrieval.ts'
import type { HistoryIndex } from '../conversations/history-index.ts'
import type { ReadDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'
import { describeNode } from './describe.ts'
import { expandSummary } from './expand.ts'
import { filesOf } from './files.ts'

/** Finds things in a memory, says what they are, and leads back from summaries to what they were made of. */
export class RetrievalEngine {
  readonly #db: ReadDb
  readonly #histories: HistoryIndex

  constructor(db: ReadDb, _capabilities: Capabilities, histories: HistoryIndex) {
    this.#db = db
    this.#histories = histories
  }

  /** See `describeNode`. */
  describe(id: string, contentChars: number): Description {
    return describeNode(this.#db, this.#histories, id, contentChars)
  }

  /** See `expandSummary`. */
  expand(input: ExpandInput): Expansion {
    return expandSummary(this.#db, this.#histories, input)
  }

  /** Files of a conversation, oldest first. */
  files(conversationId: number): FileInfo[] {
    return filesOf(this.#db, conversationId)
  }

  grep(_input: GrepInput, _signal?: AbortSignal): Promise<GrepResult> {
    throw new LcmError('unsupported', 'not built yet')
  }
}
