import { utimesSync } from 'node:fs'
import { LcmError } from '#core/errors.ts'
import { openCacheDb } from '#core/sqlite/cache-db.ts'
import { measureFile } from '#core/sqlite/memory-file.ts'
import { SMALL_PAGE_CACHE } from '#core/sqlite/page-cache.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { VOCABULARY } from '#core/sqlite/search-schema.ts'
import type { TextIndex } from '../indexes/corpus.ts'
import { NativeTextIndex } from '../indexes/native-text-index.ts'
import { SIDE_FORMAT, SIDE_SCHEMA } from './side-schema.ts'

const queries = {
  tables: /* sql */ `
    SELECT count(*) FROM sqlite_schema
    WHERE name IN ('meta', 'messages_indexed', 'summaries_indexed', 'messages_blocks', 'summaries_blocks')`,
  meta: /* sql */ `SELECT value FROM meta WHERE key = :key`,
  setMeta: /* sql */ `INSERT OR REPLACE INTO meta (key, value) VALUES (:key, :value)`,
  forgetMeta: /* sql */ `DELETE FROM meta WHERE key = :key`,
  indexed: /* sql */ `
    SELECT (SELECT count(*) FROM messages_indexed) + (SELECT count(*) FROM summaries_indexed)`,
}

/**
 * `format`, `source` (path of the indexed file) and `views` (hash of the views over its rows) never change. `state`
 * identifies the content of the source of which every text is indexed, and is absent while there is no such content.
 * `was_whole` is set once `state` has been set for the first time. `too_large` is the size of the source when its index
 * was given up.
 */
type MetaKey = 'format' | 'source' | 'views' | 'state' | 'was_whole' | 'too_large'

/** The file and the views for which an index is made. */
export type IndexSubject = { readonly source: string; readonly views: string }

/**
 * One search index on disk. Each statement reads one row or writes one step, so that nobody waits for another for long.
 */
export class IndexFile {
  readonly db: WriteDb
  readonly messages: TextIndex
  readonly summaries: TextIndex

  private constructor(db: WriteDb) {
    this.db = db
    this.messages = new NativeTextIndex(db, 'messages')
    this.summaries = new NativeTextIndex(db, 'summaries')
  }

  /** Returns null when the index is damaged, of another version, or made for something else. */
  static open(path: string, subject: IndexSubject): IndexFile | null {
    let db: WriteDb | null = null
    try {
      db = openCacheDb(path, { create: false })
      const file = new IndexFile(db)
      const isWhole = db.value(queries.tables) === 5 && file.get('format') === SIDE_FORMAT
      if (isWhole && file.get('source') === subject.source && file.get('views') === subject.views) {
        db.exec(SMALL_PAGE_CACHE)
        db.exec(VOCABULARY)
        return file
      }
    } catch (error) {
      if (!(error instanceof LcmError)) throw error
    }
    db?.close()
    return null
  }

  /** @throws LcmError disk_full, file_not_readable, read_only_file */
  static create(path: string, subject: IndexSubject): IndexFile {
    const db = openCacheDb(path, { create: true })
    const file = new IndexFile(db)
    db.transaction(() => {
      db.exec(SIDE_SCHEMA)
      file.set('format', SIDE_FORMAT)
      file.set('source', subject.source)
      file.set('views', subject.views)
    })
    db.exec(VOCABULARY)
    return file
  }

  get(key: MetaKey): string | null {
    return this.db.value<string>(queries.meta, { key }) ?? null
  }

  /** Sets a note; null removes it. */
  set(key: MetaKey, value: string | null): void {
    if (value === null) this.db.run(queries.forgetMeta, { key })
    else this.db.run(queries.setMeta, { key, value })
  }

  /** How many rows of both corpora are indexed, in their present or an earlier state. */
  indexedRows(): number {
    return this.db.value<number>(queries.indexed) ?? 0
  }

  bytes(): number {
    return measureFile(this.db.path).bytes
  }

  /** Notes that the index is in use, so that it is removed later than others. */
  touch(): void {
    const now = new Date()
    utimesSync(this.db.path, now, now)
  }

  close(): void {
    this.db.close()
  }
}
