import type { Description, FileInfo } from '../contract/lineage.ts'
import type { Capabilities } from '../contract/memory.ts'
import type {
  ExpandInput,
  Expansion,
  GrepInput,
  GrepResult,
  GrepStep,
  Matches,
  MatchesInput,
} from '../contract/retrieval.ts'
import { elapsedMs, errorFields, levelOfError, logEvent, memoryKey } from '../log.ts'
import type { FileGrepOptions } from '../search/files/file-grep.ts'
import { type FoundIds, Grep } from '../search/grep.ts'
import type { TextIndexSource } from '../search/indexes/corpus.ts'
import type { Meaning } from '../search/meaning/meaning.ts'
import type { Permitted } from '../search/planning/filters.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { filesOf } from '../systems/records/files.ts'
import { describeNode } from './describe.ts'
import { type ExpandLimits, expandSummary } from './expand.ts'

/** Searches a memory, describes its nodes, and expands summaries to their sources. */
export class RetrievalEngine {
  readonly #db: ReadDb
  readonly #reader: MemoryReader
  readonly #grep: Grep
  readonly #indexes: TextIndexSource | undefined
  readonly #meaning: Meaning | null

  /**
   * @param indexes default: those of the file itself, if it has any
   * @param files how large files are searched
   * @param meaning finds what questions say in other words
   */
  constructor(
    db: ReadDb,
    capabilities: Capabilities,
    reader: MemoryReader,
    indexes?: TextIndexSource,
    files?: FileGrepOptions,
    meaning: Meaning | null = null,
  ) {
    this.#meaning = meaning
    this.#db = db
    this.#reader = reader
    this.#indexes = indexes
    this.#grep = new Grep(db, capabilities, reader, indexes, files)
  }

  /** See `describeNode`. */
  describe(id: string, contentChars: number): Description {
    return describeNode(this.#db, this.#reader, id, contentChars)
  }

  /** See `Grep.search`. */
  async grep(input: GrepInput, signal?: AbortSignal, permitted?: Permitted | null): Promise<GrepResult> {
    const start = performance.now()
    try {
      const result = await this.#searched(input, signal, permitted ?? null, this.#meaning)
      this.#logSearch(input, start, result.hits.length)
      return result
    } catch (error) {
      this.#logFailedSearch(input, start, error)
      throw error
    }
  }

  /**
   * As `grep`, for a service that searches in order to answer something else: it is not logged as a search, and asks no
   * model.
   */
  search(input: GrepInput, signal?: AbortSignal, permitted: Permitted | null = null): Promise<GrepResult> {
    return this.#searched(input, signal, permitted, null)
  }

  /** As `search`, when only the ids are needed. See `Grep.searchIds`. */
  searchIds(...asked: Parameters<Grep['searchIds']>): Promise<FoundIds | null> {
    return this.#again(() => this.#grep.searchIds(...asked))
  }

  /** See `Grep.messagesWith`. */
  messagesWith(word: string): Promise<number | null> {
    return this.#again(async () => this.#grep.messagesWith(word))
  }

  /** See `Grep.matchesIn`. */
  matchesIn(input: MatchesInput, signal?: AbortSignal): Promise<Matches> {
    return this.#again(() => this.#grep.matchesIn(input, signal))
  }

  #searched(...asked: Parameters<Grep['search']>): Promise<GrepResult> {
    return this.#again(() => this.#grep.search(...asked))
  }

  /** Repeats what failed because an index of the cache could not be read; it is not used any more then. */
  async #again<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (!this.#indexes?.failed?.(error)) throw error
      return await ask()
    }
  }

  /** See `Grep.stream`. */
  async *grepStream(input: GrepInput, signal?: AbortSignal): AsyncGenerator<GrepStep, void> {
    const start = performance.now()
    let hits = 0
    try {
      for await (const step of this.#stream(input, signal)) {
        hits += step.hits.length
        yield step
      }
      this.#logSearch(input, start, hits)
    } catch (error) {
      this.#logFailedSearch(input, start, error)
      throw error
    }
  }

  async *#stream(input: GrepInput, signal: AbortSignal | undefined): AsyncGenerator<GrepStep, void> {
    let isTold = false
    try {
      for await (const step of this.#grep.stream(input, signal, this.#meaning)) {
        isTold = true
        yield step
      }
    } catch (error) {
      if (!this.#indexes?.failed?.(error) || isTold) throw error
      yield* this.#grep.stream(input, signal, this.#meaning)
    }
  }

  #logSearch({ mode, scope }: GrepInput, start: number, hits: number): void {
    const fields = { memory: memoryKey(this.#db.path), mode, scope, hits, duration_ms: elapsedMs(start) }
    logEvent('info', 'search', 'search.done', fields)
  }

  #logFailedSearch({ mode, scope }: GrepInput, start: number, error: unknown): void {
    const { error_code = 'internal', ...rest } = errorFields(error)
    const fields = { memory: memoryKey(this.#db.path), mode, scope, duration_ms: elapsedMs(start), error_code, ...rest }
    logEvent(levelOfError(error_code), 'search', 'search.failed', fields)
  }

  /** See `expandSummary`. */
  expand(input: ExpandInput, limits?: ExpandLimits): Expansion {
    const start = performance.now()
    const memory = memoryKey(this.#db.path)
    try {
      const expansion = expandSummary(this.#db, this.#reader, input, limits)
      const fields = { memory, summary_id: input.summaryId, duration_ms: elapsedMs(start), depth: input.depth }
      logEvent('info', 'expand', 'expand.done', fields)
      return expansion
    } catch (error) {
      const { error_code = 'internal', ...rest } = errorFields(error)
      const fields = { memory, duration_ms: elapsedMs(start), error_code, ...rest }
      logEvent(levelOfError(error_code), 'expand', 'expand.failed', fields)
      throw error
    }
  }

  /** Returns the files of a conversation, oldest first. */
  files(conversationId: number): FileInfo[] {
    return filesOf(this.#db, conversationId)
  }
}
