import type { FileInfo } from '../contract/lineage.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { allFiles } from '../systems/records/files.ts'
import { type Catalogue, CatalogueBuilder } from './catalogue.ts'
import type { Corpus, HitRow } from './corpus.ts'
import type { Fields } from './matcher.ts'

/**
 * Large files by their name and exploration summary. There are few files and no index of them. A row is an index of the
 * list of files by id, which is read when the corpus is made, so that one search sees one list.
 */
export class FileCorpus implements Corpus {
  readonly kind = 'file'
  readonly fields = ['content'] as const
  readonly index = null
  readonly #files: readonly FileInfo[]

  constructor(db: ReadDb) {
    this.#files = allFiles(db)
  }

  get known(): Catalogue {
    return this.excerpt([...this.#files.keys()])
  }

  excerpt(rows: readonly number[]): Catalogue {
    const builder = new CatalogueBuilder(null, rows.length)
    for (const row of rows) {
      const file = this.#files[row]
      if (file) builder.add(row, file.conversationId, 0, file.createdAtMs, textOf(file).length)
    }
    return builder.build()
  }

  newestRow(): number {
    return Math.max(0, this.#files.length - 1)
  }

  async catalogue(): Promise<Catalogue> {
    return this.known
  }

  holding(rows: readonly number[]): number[] {
    return [...rows]
  }

  liking(): number[] {
    return []
  }

  texts(rows: readonly number[]): Map<number, Fields> {
    return new Map(
      rows.flatMap((row): [number, Fields][] => {
        const file = this.#files[row]
        return file ? [[row, [textOf(file)]]] : []
      }),
    )
  }

  hits(rows: readonly number[]): Map<number, HitRow> {
    return new Map(
      rows.flatMap((row): [number, HitRow][] => {
        const file = this.#files[row]
        if (!file) return []
        const { id, conversationId, createdAtMs } = file
        const nothing = { seq: null, role: null, depth: null, coveredBy: [], coverInWindow: null, inContext: false }
        return [[row, { ...nothing, id, kind: 'file', conversationId, createdAtMs }]]
      }),
    )
  }
}

const textOf = ({ fileName, explorationSummary }: FileInfo): string =>
  [fileName, explorationSummary].filter((text) => text !== null).join('\n')
