import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { MemoryInfo } from '../../contract/memory.ts'
import { LcmError } from '../../errors.ts'
import { sha256 } from '../../hashing.ts'
import { pathExists } from '../../sqlite/memory-file.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import { changeStamp } from '../../systems/change-stamp.ts'
import { rowCount } from '../../systems/records/counts.ts'
import type { TextIndexes, TextIndexSource } from '../corpus.ts'
import { IndexFile, type IndexSubject } from './index-file.ts'
import { indexesOf, indexFolder, keyOf } from './index-folder.ts'
import type { SourceState } from './source-state.ts'

/** Below both a scan takes a few milliseconds. */
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

/** What is known of an index without asking whether it is of use now. */
export type SideIndexFacts = { readonly indexedRows: number; readonly totalRows: number; readonly bytes: number }

/**
 * The search index of a file that has none of its own, as one connection to that file sees it. It answers only while
 * what it was made from is exactly what that connection reads; whatever else happens to it is no error, but no index.
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

  /** A scan of the file takes so long that an index is worth its room. */
  get isWorthwhile(): boolean {
    const { info, read } = this.#options
    // Asked again and again: a file that did not change is not read for it.
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

  /** Of the source, now. */
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

  /** Of the right kind, but not necessarily of what the source is now. */
  #opened(): IndexFile | null {
    // It may have been replaced since.
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

  /** `indexed` is null when there is no index at all. */
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
      // A damaged index may not even close well; nothing depends on it.
      if (!(error instanceof LcmError)) throw error
    }
  }
}

/** So that whoever writes it next begins anew. */
function markDamaged(file: IndexFile): void {
  try {
    file.set('format', 'damaged')
  } catch (error) {
    // Then its damage will be seen when it is opened.
    if (!(error instanceof LcmError)) throw error
  }
}

const NOTE = 'Answered from the search index that this app keeps for the file.'

/** Also of a folder that is yet to be made. */
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
