import type { JobProgress } from '#core/contract/job.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { SearchIndexResult } from '#core/contract/search-index.ts'
import { LcmError } from '#core/errors.ts'
import { removeUnusedDb } from '#core/sqlite/cache-db.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { TimeSlice } from '#core/yielding.ts'
import type { Corpus } from '../indexes/corpus.ts'
import { MessageCorpus } from '../indexes/message-corpus.ts'
import { SummaryCorpus } from '../indexes/summary-corpus.ts'
import type { Fields } from '../query/matcher.ts'
import { BlockReader } from './block-reader.ts'
import { IndexFile } from './index-file.ts'
import { FOLDER_LIMIT_BYTES, indexesOf, lockIndex, makeFolder, newIndexPath, tidyFolder } from './index-folder.ts'
import { IndexWriter } from './index-writer.ts'
import type { SideIndex } from './side-index.ts'
import { nameSoon } from './source-state.ts'

/** How many rows of a large block are read at once. */
const FEW_ROWS = 8
const PROGRESS_INTERVAL_MS = 100

export type UpdateIndexOptions = {
  readonly read: ReadDb
  readonly info: Pick<MemoryInfo, 'bytes'>
  readonly index: SideIndex
  /** The size limit of all indexes of this folder together. */
  readonly limitBytes?: number
}

/**
 * Makes the search index of a file of another system, or brings it up to date: every text is read and compared with
 * what was indexed, and what differs is indexed anew. It yields to other work every 20 ms. After it was cancelled or
 * killed, the next run continues after the last commit.
 * @throws LcmError cancelled; file_not_readable, read_only_file, disk_full when the cache cannot be written
 */
export async function* updateIndex(
  options: UpdateIndexOptions,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, SearchIndexResult> {
  const { index, limitBytes = FOLDER_LIMIT_BYTES } = options
  const facts = index.facts()
  const nothing = { changedRows: 0, ...facts }
  if (index.current()) return { outcome: 'ready', ...nothing }
  makeFolder(index.folder)
  const unlock = lockIndex(index.folder, index.key)
  if (!unlock) return { outcome: 'busy', ...nothing }
  let file: IndexFile | null = null
  try {
    file = openOrCreate(index, limitBytes)
    const wasTooLarge = file.get('too_large')
    if (wasTooLarge !== null && Number(wasTooLarge) <= options.info.bytes) return { outcome: 'too_large', ...nothing }
    const result = yield* new Update(options, file, limitBytes).run(signal)
    if (result.outcome === 'too_large') {
      discard(file)
      file = null
    }
    return result
  } catch (error) {
    const isOurs = error instanceof LcmError && error.details?.path === file?.db.path
    if (!isOurs || error.code === 'disk_full' || error.code === 'read_only_file') throw error
    // The index is damaged, so the next run makes it anew.
    discard(file)
    file = null
    return { outcome: 'behind', ...nothing, indexedRows: 0, bytes: 0 }
  } finally {
    file?.close()
    unlock()
  }
}

/** Returns the existing index, or a new one. Indexes that cannot be used are removed. */
function openOrCreate({ folder, key, subject }: SideIndex, limitBytes: number): IndexFile {
  let usable: IndexFile | null = null
  for (const path of indexesOf(folder, key)) {
    const file: IndexFile | null = usable ? null : IndexFile.open(path, subject)
    if (file) usable = file
    else removeUnusedDb(path)
  }
  if (usable) return usable
  tidyFolder(folder, new Set([key]), limitBytes)
  return IndexFile.create(newIndexPath(folder, key), subject)
}

function discard(file: IndexFile | null): void {
  if (!file) return
  try {
    file.set('format', 'damaged')
  } catch (error) {
    // An index that is too damaged to be marked cannot be opened either.
    if (!(error instanceof LcmError)) throw error
  }
  file.close()
  removeUnusedDb(file.db.path)
}

/** Yields the texts of a block that are too long to be held together. */
function* textsOf(corpus: Corpus, rows: readonly number[]): Generator<ReadonlyMap<number, Fields>> {
  for (let start = 0; start < rows.length; start += FEW_ROWS) yield corpus.texts(rows.slice(start, start + FEW_ROWS))
}

/** One pass over all texts. */
class Update {
  readonly #options: UpdateIndexOptions
  readonly #file: IndexFile
  readonly #writer: IndexWriter
  readonly #limitBytes: number
  #done = 0
  readonly #total: number

  constructor(options: UpdateIndexOptions, file: IndexFile, limitBytes: number) {
    this.#options = options
    this.#file = file
    this.#writer = new IndexWriter(file)
    this.#limitBytes = limitBytes
    this.#total = options.index.facts().totalRows
  }

  async *run(signal: AbortSignal): AsyncGenerator<JobProgress, SearchIndexResult> {
    const { read, index } = this.#options
    const slice = new TimeSlice(signal, 'The search was cancelled.')
    const before = await nameSoon(() => index.sourceId())
    try {
      for (const corpus of [new MessageCorpus(read, () => null), new SummaryCorpus(read, () => null)]) {
        const isTooLarge = yield* this.#pass(corpus, slice)
        if (isTooLarge) return this.#giveUp()
      }
      this.#writer.endStep()
      yield* this.#merge(slice)
      // A short pass may have checked the size only while the index was small.
      if (this.#file.bytes() > this.#limitBytes) return this.#giveUp()
    } catch (error) {
      // Every row is indexed completely, so the part of the step that is done can be kept.
      if (error instanceof LcmError && error.code === 'cancelled') this.#writer.endStep()
      throw error
    }
    // Every text was read in between, so unless the id changed it identifies what was read.
    const isSame = before !== null && index.sourceId() === before
    if (isSame) {
      this.#file.set('state', before)
      this.#file.set('was_whole', 'yes')
    }
    if (this.#writer.changedRows > 0) tidyFolder(index.folder, new Set([index.key]), this.#limitBytes)
    return this.#result(isSame ? 'ready' : 'behind')
  }

  /** @returns whether the index grew too large */
  async *#pass(corpus: Corpus, slice: TimeSlice): AsyncGenerator<JobProgress, boolean> {
    const reader = new BlockReader(this.#options.read, corpus)
    const blocks = new Set([...(await reader.numbers(slice)), ...this.#writer.blocks(corpus)])
    const [before, share] = [this.#done, this.#rowsOf(corpus) / Math.max(1, blocks.size)]
    let shownAtMs = 0
    for (const [place, block] of [...blocks].sort((a, b) => a - b).entries()) {
      yield* this.#lookAt(corpus, reader, block, slice)
      this.#done = Math.round(before + share * (place + 1))
      await slice.yieldIfOver()
      if (performance.now() - shownAtMs < PROGRESS_INTERVAL_MS) continue
      shownAtMs = performance.now()
      yield this.#progress()
      if (this.#file.bytes() > this.#limitBytes) return true
    }
    return false
  }

  async *#lookAt(corpus: Corpus, reader: BlockReader, block: number, slice: TimeSlice): AsyncGenerator<JobProgress> {
    const writer = this.#writer
    const signature = writer.signatureOf(corpus, block)
    const found = reader.look(block, signature)
    if (found.kind === 'same') return
    if (signature !== undefined) writer.forgetBlock(corpus, block)
    const known = writer.known(corpus, block)
    const gone = new Set(known.keys())
    const batches = found.kind === 'texts' ? [found.texts] : textsOf(corpus, found.rows)
    for (const texts of batches) {
      for (const [row, fields] of texts) {
        gone.delete(row)
        writer.put(corpus, row, fields, known.get(row))
        if (writer.isStepFull && writer.endStep()) yield* this.#merge(slice)
        await slice.yieldIfOver()
      }
    }
    for (const row of gone) writer.drop(corpus, row)
    if (found.kind === 'texts') writer.signBlock(corpus, block, found.signature)
    if (writer.isStepFull && writer.endStep()) yield* this.#merge(slice)
  }

  #rowsOf(corpus: Corpus): number {
    return this.#options.index.rowsOf(corpus.kind === 'summary' ? 'summaries' : 'messages')
  }

  async *#merge(slice: TimeSlice): AsyncGenerator<JobProgress> {
    for (const _ of this.#writer.merge()) await slice.yieldIfOver()
    yield this.#progress()
  }

  #progress(): JobProgress {
    const note = `${this.#writer.changedRows.toLocaleString('en')} texts indexed`
    return { done: this.#done, total: this.#total, unit: 'messages', note }
  }

  /** Leaves an empty index which says that the file is too large for one. */
  #giveUp(): SearchIndexResult {
    const { index, info } = this.#options
    this.#writer.endStep()
    const stub = IndexFile.create(newIndexPath(index.folder, index.key), index.subject)
    stub.set('too_large', String(info.bytes))
    stub.close()
    return { ...this.#result('too_large'), indexedRows: 0, bytes: 0 }
  }

  #result(outcome: SearchIndexResult['outcome']): SearchIndexResult {
    return {
      outcome,
      changedRows: this.#writer.changedRows,
      indexedRows: this.#file.indexedRows(),
      totalRows: this.#total,
      bytes: this.#file.bytes(),
    }
  }
}
