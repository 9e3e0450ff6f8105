import { setTimeout } from 'node:timers/promises'
import type { JobProgress } from '../contract/job.ts'
import type { MemoryInfo } from '../contract/memory.ts'
import type { SearchIndexResult } from '../contract/search-index.ts'
import { removeUnusedDb } from '../db/cache-db.ts'
import type { ReadDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'
import { Breather } from '../retrieval/breather.ts'
import type { Corpus } from '../retrieval/corpus.ts'
import { MessageCorpus } from '../retrieval/message-corpus.ts'
import { SummaryCorpus } from '../retrieval/summary-corpus.ts'
import { IndexFile } from './index-file.ts'
import { FOLDER_LIMIT_BYTES, indexesOf, lockIndex, makeFolder, newIndexPath, tidyFolder } from './index-folder.ts'
import { IndexWriter } from './index-writer.ts'
import type { SideIndex } from './side-index.ts'

/** Rows whose texts are read at once; fewer where they are long. */
const LARGEST_BATCH = 1024
const BATCH_MS = 10
const PROGRESS_INTERVAL_MS = 100
const NAMING_MS = 15

export type UpdateIndexOptions = {
  readonly read: ReadDb
  readonly info: Pick<MemoryInfo, 'bytes'>
  readonly index: SideIndex
  /** All indexes of this folder together. */
  readonly limitBytes?: number
}

/**
 * Makes the search index of a foreign file, or brings it up to date: every text is read and compared with what was
 * indexed of it, and what differs is indexed anew. Gives way to other work every 20 ms. What was committed before it was
 * cancelled, or killed, is where the next one goes on.
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
    file = openOrCreate(index)
    const wasTooLarge = file.get('too_large')
    if (wasTooLarge !== null && Number(wasTooLarge) <= options.info.bytes) return { outcome: 'too_large', ...nothing }
    tidyFolder(index.folder, index.key, limitBytes)
    const result = yield* new Update(options, file, limitBytes).run(signal)
    if (result.outcome === 'too_large') {
      discard(file)
      file = null
    }
    return result
  } catch (error) {
    const isOurs = error instanceof LcmError && error.details?.path === file?.db.path
    if (!isOurs || error.code === 'disk_full' || error.code === 'read_only_file') throw error
    // A damaged index: it is made anew next time.
    discard(file)
    file = null
    return { outcome: 'behind', ...nothing, indexedRows: 0, bytes: 0 }
  } finally {
    file?.close()
    unlock()
  }
}

/** The one that there is, or a new one; those that cannot be used go. */
function openOrCreate({ folder, key, subject }: SideIndex): IndexFile {
  let usable: IndexFile | null = null
  for (const path of indexesOf(folder, key)) {
    const file: IndexFile | null = usable ? null : IndexFile.open(path, subject)
    if (file) usable = file
    else removeUnusedDb(path)
  }
  return usable ?? IndexFile.create(newIndexPath(folder, key), subject)
}

function discard(file: IndexFile | null): void {
  if (!file) return
  try {
    file.set('format', 'damaged')
  } catch (error) {
    // So damaged that it cannot be marked: then it cannot be opened either.
    if (!(error instanceof LcmError)) throw error
  }
  file.close()
  removeUnusedDb(file.db.path)
}

/** A file that was written this moment can be named in the next. */
async function namedSource(index: SideIndex, breather: Breather): Promise<string | null> {
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const id = index.sourceId()
    if (id !== null) return id
    await setTimeout(NAMING_MS)
    await breather.pause()
  }
  return index.sourceId()
}

/** One pass over all texts. */
class Update {
  readonly #options: UpdateIndexOptions
  readonly #file: IndexFile
  readonly #writer: IndexWriter
  readonly #limitBytes: number
  #done = 0
  #total = 0

  constructor(options: UpdateIndexOptions, file: IndexFile, limitBytes: number) {
    this.#options = options
    this.#file = file
    this.#writer = new IndexWriter(file)
    this.#limitBytes = limitBytes
  }

  async *run(signal: AbortSignal): AsyncGenerator<JobProgress, SearchIndexResult> {
    const { read, index } = this.#options
    const breather = new Breather(signal)
    const before = await namedSource(index, breather)
    const corpora = [new MessageCorpus(read, () => null), new SummaryCorpus(read, () => null)]
    try {
      const rows: Float64Array[] = []
      for (const corpus of corpora) rows.push((await corpus.catalogue(breather)).rows)
      this.#total = rows.reduce((sum, some) => sum + some.length, 0)
      for (const [place, corpus] of corpora.entries()) {
        const isTooLarge = yield* this.#pass(corpus, rows[place] ?? new Float64Array(0), breather)
        if (isTooLarge) return this.#giveUp()
      }
      this.#writer.endStep()
      yield* this.#merge(breather)
    } catch (error) {
      // Every row is whole: what was done of the step need not be done again.
      if (error instanceof LcmError && error.code === 'cancelled') this.#writer.endStep()
      throw error
    }
    // Every text was read in between, so what it is named after is what was read, unless the name changed.
    const isSame = before !== null && index.sourceId() === before
    if (isSame) {
      this.#file.set('state', before)
      this.#file.set('was_whole', 'yes')
    }
    tidyFolder(index.folder, index.key, this.#limitBytes)
    return this.#result(isSame ? 'ready' : 'behind')
  }

  /** @returns whether it grew too large */
  async *#pass(corpus: Corpus, rows: Float64Array, breather: Breather): AsyncGenerator<JobProgress, boolean> {
    let shownAtMs = 0
    let from = Number.MIN_SAFE_INTEGER
    for (let start = 0, size = 16; start <= rows.length; ) {
      const began = performance.now()
      const batch = Array.from(rows.subarray(start, start + size))
      const isLast = start + size >= rows.length
      const to = isLast ? Number.MAX_SAFE_INTEGER : (batch.at(-1) ?? 0)
      const known = this.#writer.known(corpus, from, to)
      const texts = corpus.texts(batch)
      const took = performance.now() - began
      for (const row of known.keys()) {
        if (!texts.has(row)) this.#writer.drop(corpus, row)
        if (this.#writer.isStepFull && this.#writer.endStep()) yield* this.#merge(breather)
        await breather.pause()
      }
      for (const [row, fields] of texts) {
        this.#writer.put(corpus, row, fields, known.get(row))
        if (this.#writer.isStepFull && this.#writer.endStep()) yield* this.#merge(breather)
        await breather.pause()
      }
      this.#done += batch.length
      start += size
      from = to + 1
      size = took > BATCH_MS ? Math.max(1, size >> 1) : Math.min(LARGEST_BATCH, size << 1)
      await breather.pause()
      if (performance.now() - shownAtMs < PROGRESS_INTERVAL_MS) continue
      shownAtMs = performance.now()
      yield this.#progress()
      if (this.#file.bytes() > this.#limitBytes) return true
    }
    return false
  }

  async *#merge(breather: Breather): AsyncGenerator<JobProgress> {
    for (const _ of this.#writer.merge()) await breather.pause()
    yield this.#progress()
  }

  #progress(): JobProgress {
    const note = `${this.#writer.changedRows.toLocaleString('en')} texts indexed`
    return { done: this.#done, total: this.#total, unit: 'messages', note }
  }

  /** Leaves an empty index that says so. */
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
