// Why it is so: docs/decisions/0030-embeddings.md

import type { JobProgress } from '#core/contract/job.ts'
import type { EmbedInput, EmbedResult, VectorStatus } from '#core/contract/vectors.ts'
import { LcmError } from '#core/errors.ts'
import { embedTexts } from '#core/models/embeddings/embed-texts.ts'
import { SummarizerFailure } from '#core/models/summarizers/summarizer.ts'
import type { ConfiguredEmbedder } from '#core/settings/configured-embedder.ts'
import { VARIABLES } from '#core/settings/variables.ts'
import { pathExists } from '#core/sqlite/memory-file.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { rowCount } from '#core/systems/records/counts.ts'
import { type TimeSlice, throwIfCancelled } from '#core/yielding.ts'
import type { Corpus } from '../indexes/corpus.ts'
import type { Ground } from '../planning/search.ts'
import { findNear } from './find-near.ts'
import { type Nearness, NOTHING_NEAR, nearnessOf } from './nearness.ts'
import { SignTable } from './sign-table.ts'
import { VectorFile } from './vector-file.ts'
import { lastVectorsOf, vectorFolder, vectorPath } from './vector-folder.ts'

export type MeaningOptions = {
  readonly read: ReadDb
  /** The path of the memory without symbolic links. */
  readonly memory: string
  readonly cacheDir: string
  /** Null when no model is configured for it. */
  readonly embedder: ConfiguredEmbedder | null
  /** How many pieces of text a run sends at most, unless it is told otherwise. */
  readonly maxTexts: number
}

/** The vectors of so many questions are kept, so that further pages ask nobody. */
const MOST_ASKED = 32
/** A table that is read this quickly is always read anew when vectors were stored. */
const QUICK_MS = 50
/** Reading tables takes at most this part of the time while vectors are being made. */
const REST_PER_READ = 20

type KnownTable = {
  readonly version: number
  readonly table: SignTable
  readonly readAt: number
  readonly tookMs: number
}

/** The vectors of one memory by the configured model: what they are made from, and how many there are. */
export class Meaning {
  readonly #options: MeaningOptions
  readonly #folder: string
  readonly #asked = new Map<string, Float32Array>()
  readonly #tables = new Map<Corpus['kind'], KnownTable>()
  #file: VectorFile | null = null

  constructor(options: MeaningOptions) {
    this.#options = options
    this.#folder = vectorFolder(options.cacheDir)
  }

  /**
   * See `makeVectors`.
   * @throws LcmError invalid_argument when no model is configured for it
   */
  async *make({ maxTexts }: EmbedInput, signal: AbortSignal): AsyncGenerator<JobProgress, EmbedResult> {
    const { read, memory, embedder } = this.#options
    if (!embedder) {
      throw new LcmError(
        'invalid_argument',
        `No model is named that makes vectors: add a provider of the kind openai-embeddings to the settings, and name it with ${VARIABLES.embeddings.name} (docs/models.md).`,
      )
    }
    const { makeVectors } = await import('./make-vectors.ts')
    const access = embedder.forRun()
    const limit = maxTexts ?? this.#options.maxTexts
    return yield* makeVectors({ read, memory, folder: this.#folder, access, maxTexts: limit }, signal)
  }

  status(): VectorStatus {
    const { read, memory, embedder } = this.#options
    const all = rowCount(read, 'messages') + rowCount(read, 'summaries')
    if (!embedder) return { provider: null, model: null, texts: 0, totalTexts: all, bytes: 0 }
    const { name: provider, model } = embedder.provider
    const path = lastVectorsOf(this.#folder, model)
    const file = path === null ? null : VectorFile.open(path)
    try {
      const known = file?.memoryOf(memory) ?? null
      const { rows, blank } = file && known !== null ? file.counts(known) : { rows: 0, blank: 0 }
      return { provider, model, texts: rows, totalTexts: Math.max(rows, all - blank), bytes: file?.bytes() ?? 0 }
    } finally {
      file?.close()
    }
  }

  /**
   * Returns what a question finds by what it says, as far as there are vectors. A model that does not answer is no
   * error: the words of the question are searched for all the same.
   * @throws LcmError cancelled
   */
  async near(question: string, grounds: readonly Ground[], slice: TimeSlice): Promise<Nearness | null> {
    const { embedder } = this.#options
    if (!embedder) return null
    const { name, model } = embedder.provider
    const byWords = (why: string): Nearness => ({ rows: NOTHING_NEAR, note: `Answered by words only: ${why}` })
    try {
      // Without vectors there is nothing to compare a question with, so it is not sent.
      if (lastVectorsOf(this.#folder, model) === null) return byWords(noVectors(name))
      const vector = await this.#vectorOf(question, embedder, slice.signal ?? new AbortController().signal)
      await slice.yieldIfOver()
      const file = this.#fileFor(model, vector.length)
      const memory = file?.memoryOf(this.#options.memory) ?? null
      if (!file || memory === null) return byWords(noVectors(name))
      const cosines = { message: NONE_NEAR, summary: NONE_NEAR }
      for (const { corpus, filters, newestRow } of grounds) {
        const table = await this.#tableOf(file, memory, corpus.kind, vector.length, slice)
        const catalogue = await corpus.catalogue(slice)
        const isAllowed = filters.allows(corpus.kind, catalogue) ?? (() => true)
        const allows = (row: number): boolean => {
          const index = row > newestRow ? -1 : catalogue.indexOf(row)
          return index >= 0 && isAllowed(index)
        }
        cosines[corpus.kind] = await findNear(vector, { corpus, table, file }, allows, slice)
      }
      return { rows: nearnessOf(cosines), note: `Searched for what the question says, too, with ${name} (${model}).` }
    } catch (error) {
      throwIfCancelled(slice.signal)
      if (error instanceof SummarizerFailure) return byWords(`${name} (${model}) did not answer. ${error.message}`)
      if (!this.#failed(error)) throw error
      return byWords('the vectors in the cache are damaged. "lcm embed" makes them anew.')
    }
  }

  async #vectorOf(question: string, embedder: ConfiguredEmbedder, signal: AbortSignal): Promise<Float32Array> {
    const known = this.#asked.get(question)
    if (known) return known
    const [vector] = await embedTexts(embedder.forQuestion(), [question.toWellFormed()], signal)
    if (!vector) throw new Error('a checked answer has no vector')
    const [oldest] = this.#asked.keys()
    if (oldest !== undefined && this.#asked.size >= MOST_ASKED) this.#asked.delete(oldest)
    this.#asked.set(question, vector)
    return vector
  }

  #fileFor(model: string, dimensions: number): VectorFile | null {
    const path = vectorPath(this.#folder, model, dimensions)
    if (this.#file && (this.#file.db.path !== path || !pathExists(path))) this.#letGo()
    this.#file ??= pathExists(path) ? VectorFile.open(path) : null
    return this.#file
  }

  /**
   * A table is read again when somebody has stored vectors since. While they are being made, one that takes long to read
   * is used a little longer: what it says is compared with the texts anyway.
   */
  async #tableOf(
    file: VectorFile,
    memory: number,
    kind: Corpus['kind'],
    dimensions: number,
    slice: TimeSlice,
  ): Promise<SignTable> {
    const version = file.db.dataVersion()
    const known = this.#tables.get(kind)
    const began = performance.now()
    if (known && (known.version === version || began - known.readAt < known.tookMs * REST_PER_READ)) return known.table
    const table = await SignTable.load(file, memory, kind, dimensions, slice)
    const readAt = performance.now()
    const tookMs = readAt - began > QUICK_MS ? readAt - began : 0
    this.#tables.set(kind, { version, table, readAt, tookMs })
    return table
  }

  /** Whether an error comes from the vectors, which are then not used any more. */
  #failed(error: unknown): boolean {
    if (!(error instanceof LcmError) || !this.#file || error.details?.path !== this.#file.db.path) return false
    this.#letGo()
    return true
  }

  #letGo(): void {
    const file = this.#file
    this.#file = null
    this.#tables.clear()
    try {
      file?.close()
    } catch (error) {
      // A damaged file may fail to close. Nothing depends on it.
      if (!(error instanceof LcmError)) throw error
    }
  }

  close(): void {
    this.#letGo()
  }
}

const NONE_NEAR: ReadonlyMap<number, number> = new Map()

const noVectors = (name: string): string =>
  `no text of this memory has a vector of ${name} yet. "lcm embed" makes them.`
