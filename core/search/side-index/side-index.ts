// Why it is so: docs/decisions/0007-side-index.md

import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { MemoryInfo } from '#core/contract/memory.ts'
import { LcmError } from '#core/errors.ts'
import { sha256 } from '#core/hashing.ts'
import { pathExists } from '#core/sqlite/memory-file.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { changeStamp } from '#core/systems/reading/change-stamp.ts'
import { rowCount } from '#core/systems/records/counts.ts'
import type { TextIndexes, TextIndexSource } from '../indexes/corpus.ts'
import { IndexFile, type IndexSubject } from './index-file.ts'
import { indexesOf, indexFolder, keyOf } from './index-folder.ts'
import type { SourceState } from './source-state.ts'

/** A smaller file is scanned in a few milliseconds. */
const SMALL_ROWS = 2000
const SMALL_BYTES = 4_000_000

const queries = {
  views: /* sql */ `SELECT group_concat(sql, char(10) ORDER BY name) FROM sqlite_temp_schema WHERE sql IS NOT NULL`,
}

export type SideIndexOptions = {
  readonly read: ReadDb
  readonly info: MemoryInfo
  readonly state: SourceState
  readonly cacheDir: string
}

/** What is known of an index without checking whether it can be used now. */
export type SideIndexFacts = { readonly indexedRows: number; readonly totalRows: number; readonly bytes: number }

/**
 * The search index of a file that has no reliable index of its own, as one connection to that file sees it. It answers
 * only while it was made from exactly the content that the connection reads. In any other case there is no index, which
 * is not an error.
 */
export class SideIndex implements TextIndexSource {
  readonly folder: string
  readonly key: string
  readonly subject: IndexSubject
  readonly #options: SideIndexOptions
  #file: IndexFile | null = null
  #worth: { readonly stamp: string; readonly is: boolean } | null = null
  readonly #broken = new Set<string>()

  constructor(options: SideIndexOptions) {
    const { read, state, cacheDir } = options
    this.#options = options
    this.folder = indexFolder(cacheDir)
    this.key = keyOf(state.realPath)
    const views = sha256(read.value<string>(queries.views) ?? '')
    this.subject = { source: state.realPath, views }
  }

  /** True when scanning the file takes so long that an index is worth its room. */
  get isWorthwhile(): boolean {
    const { info, read } = this.#options
    // This is asked often, so a file that did not change is not read for it.
    const stamp = changeStamp(read)
    if (this.#worth?.stamp !== stamp) {
      this.#worth = { stamp, is: info.bytes > SMALL_BYTES || this.rowsOf('messages') > SMALL_ROWS }
    }
    return this.#worth.is
  }

  /** See `SourceState.id`. */
  sourceId(): string | null {
    return this.#options.state.id()
  }

  /** Returns the present number of rows in the source. */
  rowsOf(table: 'messages' | 'summaries'): number {
    return rowCount(this.#options.read, table)
  }

  current(): TextIndexes | null {
    try {
      const state = this.sourceId()
      if (state === null) return null
      const file = this.#opened()
      if (file?.get('state') !== state) return null
      return { messages: file.messages, summaries: file.summaries, note: NOTE }
    } catch (error) {
      if (this.failed(error)) return null
      throw error
    }
  }

  absence(): string {
    const { total, indexed, wasWhole } = this.#progress()
    if (wasWhole) return 'the file has changed since its search index was brought up to date.'
    if (indexed !== null) {
      return `its search index is not whole yet (${indexed.toLocaleString('en')} of ${total.toLocaleString('en')} rows).`
    }
    return canBeWritten(this.folder)
      ? 'this file has no index that can be relied on.'
      : `this file has no index that can be relied on, and none can be kept in ${this.folder}.`
  }

  failed(error: unknown): boolean {
    const file = this.#file
    if (!file || !(error instanceof LcmError) || error.details?.path !== file.db.path) return false
    this.#broken.add(file.db.path)
    markDamaged(file)
    this.#letGo()
    return true
  }

  facts(): SideIndexFacts {
    const { total, indexed } = this.#progress()
    return { indexedRows: indexed ?? 0, totalRows: total, bytes: indexed === null ? 0 : (this.#file?.bytes() ?? 0) }
  }

  close(): void {
    this.#letGo()
  }

  /** Returns an index that was made for this file, though not necessarily for its present content. */
  #opened(): IndexFile | null {
    // Another process may have replaced the index.
    if (this.#file && !pathExists(this.#file.db.path)) this.#letGo()
    if (this.#file) return this.#file
    for (const path of indexesOf(this.folder, this.key)) {
      if (this.#broken.has(path)) continue
      this.#file = IndexFile.open(path, this.subject)
      if (!this.#file) continue
      this.#file.touch()
      return this.#file
    }
    return null
  }

  /** `indexed` is null when there is no index. */
  #progress(): { total: number; indexed: number | null; wasWhole: boolean } {
    const total = this.rowsOf('messages') + this.rowsOf('summaries')
    try {
      const file = this.#opened()
      if (!file || file.get('too_large') !== null) return { total, indexed: null, wasWhole: false }
      return { total, indexed: file.indexedRows(), wasWhole: file.get('was_whole') !== null }
    } catch (error) {
      if (this.failed(error)) return { total, indexed: null, wasWhole: false }
      throw error
    }
  }

  #letGo(): void {
    const file = this.#file
    this.#file = null
    try {
      file?.close()
    } catch (error) {
      // A damaged index may fail to close. Nothing depends on it.
      if (!(error instanceof LcmError)) throw error
    }
  }
}

/** Marks the index as damaged, so that the next writer begins anew. */
function markDamaged(file: IndexFile): void {
  try {
    file.set('format', 'damaged')
  } catch (error) {
    // An index that cannot be marked will be found damaged when it is opened.
    if (!(error instanceof LcmError)) throw error
  }
}

const NOTE = 'Answered from the search index that this app keeps for the file.'

/** Whether a folder can be written, also when it does not exist yet. */
function canBeWritten(folder: string): boolean {
  try {
    const found = statSync(folder, { throwIfNoEntry: false })
    if (!found) return dirname(folder) !== folder && canBeWritten(dirname(folder))
    accessSync(folder, constants.W_OK)
    return found.isDirectory()
  } catch {
    return false
  }
}
