import type { Description, FileInfo } from '../contract/lineage.ts'
import type { Capabilities } from '../contract/memory.ts'
import type { ExpandInput, Expansion, GrepInput, GrepResult, GrepStep } from '../contract/retrieval.ts'
import type { TextIndexSource } from '../search/corpus.ts'
import { Grep } from '../search/grep.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/memory-reader.ts'
import { filesOf } from '../systems/records/files.ts'
import { describeNode } from './describe.ts'
import { type ExpandLimits, expandSummary } from './expand.ts'

/** Searches a memory, describes its nodes, and expands summaries to their sources. */
export class RetrievalEngine {
  readonly #db: ReadDb
  readonly #reader: MemoryReader
  readonly #grep: Grep
  readonly #indexes: TextIndexSource | undefined

  /** @param indexes default: those of the file itself, if it has any */
  constructor(db: ReadDb, capabilities: Capabilities, reader: MemoryReader, indexes?: TextIndexSource) {
    this.#db = db
    this.#reader = reader
    this.#indexes = indexes
    this.#grep = new Grep(db, capabilities, reader, indexes)
  }

  /** See `describeNode`. */
  describe(id: string, contentChars: number): Description {
    return describeNode(this.#db, this.#reader, id, contentChars)
  }

  /** See `Grep.search`. */
  async grep(input: GrepInput, signal?: AbortSignal): Promise<GrepResult> {
    try {
      return await this.#grep.search(input, signal)
    } catch (error) {
      if (!this.#indexes?.failed?.(error)) throw error
      return await this.#grep.search(input, signal)
    }
  }

  /** See `Grep.stream`. */
  async *grepStream(input: GrepInput, signal?: AbortSignal): AsyncGenerator<GrepStep, void> {
    let isTold = false
    try {
      for await (const step of this.#grep.stream(input, signal)) {
        isTold = true
        yield step
      }
    } catch (error) {
      if (!this.#indexes?.failed?.(error) || isTold) throw error
      yield* this.#grep.stream(input, signal)
    }
  }

  /** See `expandSummary`. */
  expand(input: ExpandInput, limits?: ExpandLimits): Expansion {
    return expandSummary(this.#db, this.#reader, input, limits)
  }

  /** Returns the files of a conversation, oldest first. */
  files(conversationId: number): FileInfo[] {
    return filesOf(this.#db, conversationId)
  }
}
