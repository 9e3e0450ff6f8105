import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { readLog } from '../write-ahead-log.ts'

/** Position of the first page of the free list. https://www.sqlite.org/fileformat2.html#the_database_header */
const FIRST_TRUNK_AT = 32
const RESERVED_AT = 20

/** The pages of a database, read without its table of contents. Page numbers begin at 1. */
export class PageFile {
  readonly pageSize: number
  /** The bytes of a page that SQLite uses. */
  readonly usableBytes: number
  readonly count: number
  readonly #file: number
  readonly #missing: (page: number) => boolean

  /** @param missing tells which pages exist only because the file was lengthened, with zeros */
  constructor(path: string, pageSize: number, missing: (page: number) => boolean) {
    this.#file = openSync(path, 'r')
    this.#missing = missing
    this.pageSize = pageSize
    this.count = Math.floor(fstatSync(this.#file).size / pageSize)
    const reserved = this.read(1)?.[RESERVED_AT] ?? 0
    this.usableBytes = pageSize - (reserved > pageSize - 480 ? 0 : reserved)
  }

  /** Returns null for a page that does not exist. */
  read(page: number): Buffer | null {
    if (page < 1 || page > this.count || this.#missing(page)) return null
    const bytes = Buffer.alloc(this.pageSize)
    return readSync(this.#file, bytes, 0, this.pageSize, (page - 1) * this.pageSize) === this.pageSize ? bytes : null
  }

  /** Returns the free pages, as far as their list can be read. https://www.sqlite.org/fileformat2.html#the_freelist */
  freePages(): Set<number> {
    const free = new Set<number>()
    for (let trunk = this.read(1)?.readUInt32BE(FIRST_TRUNK_AT) ?? 0; trunk > 0 && !free.has(trunk); ) {
      const bytes = this.read(trunk)
      if (!bytes) break
      free.add(trunk)
      const leaves = Math.min(bytes.readUInt32BE(4), this.usableBytes / 4 - 2)
      for (let at = 0; at < leaves; at += 1) free.add(bytes.readUInt32BE(8 + 4 * at))
      trunk = bytes.readUInt32BE(0)
    }
    return free
  }

  close(): void {
    closeSync(this.#file)
  }
}

/**
 * Writes the commits in the log of a file into the file, because SQLite does not do so when it cannot read the file.
 * Returns the written pages.
 */
export function* foldIn(path: string, log: string, pageSize: number): Generator<void, Set<number>> {
  const written = new Set<number>()
  const file = openSync(path, 'r+')
  try {
    let open: { page: number; content: Buffer }[] = []
    for (const { page, isCommit, content } of readLog(log)) {
      yield
      if (content.length !== pageSize) break
      open.push({ page, content: Buffer.from(content) })
      if (!isCommit) continue
      for (const one of open) {
        writeSync(file, one.content, 0, pageSize, (one.page - 1) * pageSize)
        written.add(one.page)
      }
      open = []
    }
    return written
  } finally {
    closeSync(file)
  }
}
