import { ROLES } from '#core/contract/ids.ts'
import type { JobProgress } from '#core/contract/job.ts'
import type { EmbedResult } from '#core/contract/vectors.ts'
import { LcmError } from '#core/errors.ts'
import { embedAccepted, embedTexts } from '#core/models/embeddings/embed-texts.ts'
import type { ProviderAccess } from '#core/models/summarizers/ask-model.ts'
import { SummarizerFailure } from '#core/models/summarizers/summarizer.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { TimeSlice, throwIfCancelled } from '#core/yielding.ts'
import type { Corpus } from '../indexes/corpus.ts'
import { MessageCorpus } from '../indexes/message-corpus.ts'
import { SummaryCorpus } from '../indexes/summary-corpus.ts'
import { makeFolder } from '../side-index/index-folder.ts'
import { type Piece, piecesOf } from './recipe.ts'
import { type PiecedRow, type StoredVector, VectorFile } from './vector-file.ts'
import { lockVectors, tidyVectors, VECTORS_LIMIT_BYTES, vectorPath } from './vector-folder.ts'

/** At most this many texts are read at a time. */
const ROWS_AT_ONCE = 100
/** A request is sent when at least this many pieces wait. A row adds at most four. */
const PIECES_A_REQUEST = 32
const TOOL = ROLES.indexOf('tool')
const PROGRESS_INTERVAL_MS = 100
const CANCELLED = 'Cancelled. The vectors that were made are kept, and the next run goes on.'

export type MakeVectorsOptions = {
  readonly read: ReadDb
  /** The path of the memory without symbolic links. */
  readonly memory: string
  readonly folder: string
  readonly access: ProviderAccess
  /** How many pieces of text are sent at most. */
  readonly maxTexts: number
  /** The size limit of all vectors together. */
  readonly limitBytes?: number
}

/**
 * Has a model turn every text of a memory into vectors that has none yet: summaries first, then messages, the newest
 * first. It yields to other work every 20 ms. What was stored stays when it ends early, and the next run goes on.
 * @throws LcmError cancelled; model_failed when the model does not answer, or not with vectors;
 * file_not_readable, read_only_file, disk_full when the cache cannot be written
 */
export async function* makeVectors(
  options: MakeVectorsOptions,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, EmbedResult> {
  const { folder, access, memory, limitBytes = VECTORS_LIMIT_BYTES } = options
  const { provider } = access
  makeFolder(folder)
  const unlock = lockVectors(folder)
  const known = { provider: provider.name, model: provider.model }
  const nothing = { dimensions: 0, sent: 0, refused: 0, texts: 0, totalTexts: 0, bytes: 0 }
  if (!unlock) return { outcome: 'busy', ...known, ...nothing }
  let file: VectorFile | null = null
  try {
    // The vectors of a model have their file by their length, which only the model can tell.
    const dimensions = await asking(
      provider,
      signal,
      async () => (await embedTexts(access, ['ready'], signal))[0]?.length,
    )
    const path = vectorPath(folder, provider.model, dimensions ?? 0)
    tidyVectors(folder, path, limitBytes)
    file = VectorFile.openOrCreate(path)
    const run = new Run(options, file, file.addMemory(memory), dimensions ?? 0)
    const outcome = yield* run.all(signal)
    return { outcome, ...known, ...run.facts(), bytes: file.bytes() }
  } finally {
    file?.close()
    unlock()
  }
}

/** Says in our own words why a model could not be asked. */
async function asking<T>(
  { name, model }: ProviderAccess['provider'],
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throwIfCancelled(signal, CANCELLED)
    if (!(error instanceof SummarizerFailure)) throw error
    throw new LcmError(
      'model_failed',
      `${name} (${model}) made no vectors: ${error.message} What was made before is kept; the next run goes on.`,
      { provider: name },
    )
  }
}

type Waiting = { readonly rows: PiecedRow[]; readonly pieces: Map<string, Piece> }

class Run {
  readonly #options: MakeVectorsOptions
  readonly #file: VectorFile
  readonly #memory: number
  readonly #dimensions: number
  readonly #limitBytes: number
  #sent = 0
  #refused = 0
  #blank = 0
  #done = 0
  #total = 0
  #shownAtMs = 0

  constructor(options: MakeVectorsOptions, file: VectorFile, memory: number, dimensions: number) {
    this.#options = options
    this.#file = file
    this.#memory = memory
    this.#dimensions = dimensions
    this.#limitBytes = options.limitBytes ?? VECTORS_LIMIT_BYTES
  }

  async *all(signal: AbortSignal): AsyncGenerator<JobProgress, EmbedResult['outcome']> {
    const { read } = this.#options
    const slice = new TimeSlice(signal, CANCELLED)
    const corpora = [new SummaryCorpus(read, () => null), new MessageCorpus(read, () => null)]
    this.#total = corpora.reduce((sum, corpus) => sum + corpus.rowCount(), 0)
    for (const corpus of corpora) {
      const outcome = yield* this.#pass(corpus, slice, signal)
      if (outcome !== 'ready') return outcome
    }
    this.#file.noteBlank(this.#memory, this.#blank)
    return 'ready'
  }

  facts(): Pick<EmbedResult, 'dimensions' | 'sent' | 'refused' | 'texts' | 'totalTexts'> {
    const { rows, blank } = this.#file.counts(this.#memory)
    return {
      dimensions: this.#dimensions,
      sent: this.#sent,
      refused: this.#refused,
      texts: rows,
      totalTexts: Math.max(rows, this.#total - blank),
    }
  }

  async *#pass(
    corpus: Corpus,
    slice: TimeSlice,
    signal: AbortSignal,
  ): AsyncGenerator<JobProgress, EmbedResult['outcome']> {
    const catalogue = await corpus.catalogue(slice)
    const { rows } = catalogue
    const isOfTool = (row: number): boolean =>
      corpus.kind === 'message' && catalogue.groups[catalogue.indexOf(row)] === TOOL
    this.#dropMissing(corpus, rows)
    const waiting: Waiting = { rows: [], pieces: new Map() }
    for (let end = rows.length; end > 0; end -= ROWS_AT_ONCE) {
      const some = rows.subarray(Math.max(0, end - ROWS_AT_ONCE), end)
      const known = this.#file.known(this.#memory, corpus.kind, some[0] ?? 0, some.at(-1) ?? 0)
      const texts = corpus.texts([...some])
      for (const row of some.toReversed()) {
        const fields = texts.get(row)
        const pieces = fields && !isOfTool(row) ? piecesOf(corpus.kind, fields) : []
        if (pieces.length === 0) this.#blank += 1
        await slice.yieldIfOver()
        if (isSame(pieces, known.get(row) ?? [])) continue
        const isRoom = this.#enqueue(waiting, { row, pieces })
        if (isRoom && waiting.pieces.size < PIECES_A_REQUEST && waiting.rows.length < ROWS_AT_ONCE) continue
        await this.#flush(corpus, waiting, signal)
        if (!isRoom) return 'cap'
        if (this.#file.bytes() > this.#limitBytes) return 'too_large'
        yield* this.#progress()
      }
      this.#done += some.length
      yield* this.#progress()
    }
    await this.#flush(corpus, waiting, signal)
    return 'ready'
  }

  #dropMissing(corpus: Corpus, rows: Float64Array): void {
    const present = new Set(rows)
    const gone = this.#file.rows(this.#memory, corpus.kind).filter((row) => !present.has(row))
    if (gone.length > 0) this.#file.dropRows(this.#memory, corpus.kind, gone)
  }

  /** Returns false, and takes nothing, when the run may not send what the row needs. */
  #enqueue({ rows, pieces }: Waiting, row: PiecedRow): boolean {
    const missing = row.pieces.filter(({ hash }) => !pieces.has(hash.toString('hex')) && !this.#file.has(hash))
    if (this.#sent + pieces.size + missing.length > this.#options.maxTexts) return false
    rows.push(row)
    for (const piece of missing) pieces.set(piece.hash.toString('hex'), piece)
    return true
  }

  /** Sends the pieces that wait, and stores their rows. */
  async #flush(corpus: Corpus, { rows, pieces }: Waiting, signal: AbortSignal): Promise<void> {
    const texts = Array.from(pieces.values(), ({ text }) => text)
    const { access } = this.#options
    const vectors =
      texts.length === 0 ? [] : await asking(access.provider, signal, () => embedAccepted(access, texts, signal))
    throwIfCancelled(signal, CANCELLED)
    this.#requireSameLength(vectors)
    this.#sent += texts.length
    this.#refused += vectors.filter((vector) => vector === null).length
    const byHash = new Map([...pieces.keys()].map((hash, at): [string, StoredVector] => [hash, vectors[at] ?? null]))
    this.#file.store(this.#memory, corpus.kind, rows, byHash)
    rows.length = 0
    pieces.clear()
  }

  #requireSameLength(vectors: readonly StoredVector[]): void {
    const other = vectors.find((vector) => vector !== null && vector.length !== this.#dimensions)
    if (!other) return
    const { name, model } = this.#options.access.provider
    throw new LcmError(
      'model_failed',
      `${name} (${model}) answered vectors of ${this.#dimensions} numbers and then of ${other.length}: another model serves under this name now. What was made before is kept; run it again to begin with the other model.`,
      { provider: name },
    )
  }

  *#progress(): Generator<JobProgress> {
    if (performance.now() - this.#shownAtMs < PROGRESS_INTERVAL_MS) return
    this.#shownAtMs = performance.now()
    const note = `${this.#sent.toLocaleString('en')} pieces of text sent`
    yield { done: this.#done, total: this.#total, unit: 'messages', note }
  }
}

const isSame = (pieces: readonly Piece[], known: readonly string[]): boolean =>
  pieces.length === known.length && pieces.every(({ hash }, at) => hash.toString('hex') === known[at])
