import { closeSync, statSync } from 'node:fs'
import {
  type FileBytes,
  type FileBytesInput,
  type FileContent,
  type FileRow,
  type FileState,
  type FileView,
  MOST_LINES,
  PAGE_BYTES,
} from '../contract/file.ts'
import { LcmError } from '../errors.ts'
import { readAt } from '../read-at.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { contentsOnServer } from '../systems/opening/pulled-from.ts'
import { fileRow, type StoredFileRow } from '../systems/records/files.ts'
import { cutText } from '../text.ts'
import { buildIndex, type FileIndex, markBefore, type RowMark } from './file-index.ts'
import { characterStart, rowEnds } from './row-ends.ts'
import { findStoredFile } from './stored-file.ts'
import { openPlainFile } from './stored-path.ts'

type Options = {
  readonly db: ReadDb
  /** The folder of files that is configured, or null. */
  readonly filesDir: string | null
  readonly find: FindInFile
}

/** Finds the rows of a content in which a match begins, as far as they are asked for. */
export type FindInFile = (
  content: { readonly path: string; readonly bytes: number },
  marks: readonly RowMark[],
  view: Extract<FileView, { kind: 'search' }>,
  signal: AbortSignal,
) => Promise<Pick<FileContent, 'hits' | 'next'>>

/** A file that was found, with the size and time that tell whether it is still the same. */
type Found = { readonly path: string; readonly bytes: number; readonly stamp: string }

const KEPT_INDEXES = 8
const answered = (state: FileState, found: Partial<FileContent> = {}): FileContent => ({
  state,
  text: '',
  rows: [],
  hits: [],
  next: null,
  ...found,
})

/** Reads large files by row, line, page and search, a piece at a time, whatever their size. */
export class FileReader {
  readonly #options: Options
  /** By stamp, so that a state is told at once where a file was read before. */
  readonly #known = new Map<string, FileIndex>()

  constructor(options: Options) {
    this.#options = options
  }

  /**
   * What became of the content of a file, which is read to its end for that.
   * @param allowed further folders out of which may be read
   * @throws LcmError not_found, cancelled
   */
  async check(id: string, signal: AbortSignal, allowed: readonly string[] = []): Promise<FileState> {
    const row = this.#row(id)
    try {
      const found = this.#find(row, allowed)
      return found === null ? this.#missing(row) : this.#state(row, found, await this.#index(found, signal))
    } catch (error) {
      return unreadable(row, error)
    }
  }

  /** @throws LcmError not_found, invalid_argument, cancelled */
  async read(id: string, view: FileView, signal: AbortSignal, allowed: readonly string[] = []): Promise<FileContent> {
    const row = this.#row(id)
    try {
      return await this.#readRow(row, view, signal, allowed)
    } catch (error) {
      return answered(unreadable(row, error))
    }
  }

  /**
   * Returns some bytes of a file as they are stored.
   * @throws LcmError not_found
   */
  bytes({ id, from, count }: FileBytesInput): FileBytes {
    const row = this.#row(id)
    try {
      const found = this.#find(row, [])
      if (found === null) return UNREADABLE
      const file = openPlainFile(found.path)
      try {
        return { base64: readAt(file, from, count).toString('base64'), sizeBytes: found.bytes }
      } finally {
        closeSync(file)
      }
    } catch (error) {
      if (isOfFile(error)) return UNREADABLE
      throw error
    }
  }

  async #readRow(
    row: StoredFileRow,
    view: FileView,
    signal: AbortSignal,
    allowed: readonly string[],
  ): Promise<FileContent> {
    const found = this.#find(row, allowed)
    if (found === null) return answered(this.#missing(row))
    const needsNoIndex = view.kind === 'page' || (view.kind === 'rows' && view.from === 0)
    const index = this.#known.get(found.stamp) ?? (needsNoIndex ? null : await this.#index(found, signal))
    const state = this.#state(row, found, index)
    if (state.condition === 'not_text') return answered(state)
    const file = openPlainFile(found.path)
    try {
      return answered(state, await this.#view(file, found, index, view, signal))
    } finally {
      closeSync(file)
    }
  }

  async #view(
    file: number,
    { path, bytes }: Found,
    index: FileIndex | null,
    view: FileView,
    signal: AbortSignal,
  ): Promise<Partial<FileContent>> {
    const marks = index?.marks ?? []
    switch (view.kind) {
      case 'page':
        return pageOf(file, bytes, view.page)
      case 'rows':
        return rowsFrom(
          file,
          markBefore(marks, view.from, ({ row }) => row),
          view.from,
          view.count,
        )
      case 'lines':
        return linesFrom(file, marks, view)
      case 'search':
        return await this.#options.find({ path, bytes }, marks, view, signal)
    }
  }

  #row(id: string): StoredFileRow {
    const row = fileRow(this.#options.db, id)
    if (row) return row
    throw new LcmError('not_found', `${id} is no large file: "lcm files" lists them.`, { id })
  }

  #missing(row: StoredFileRow): FileState {
    return contentsOnServer(this.#options.db)(row)
      ? { ...without(row, ON_SERVER), condition: 'on_server' }
      : missing(row)
  }

  #find({ conversationId, uri }: StoredFileRow, allowed: readonly string[]): Found | null {
    const { db, filesDir } = this.#options
    const path = findStoredFile({
      database: db.path,
      conversationId,
      storageUri: uri,
      allowed: [...allowed, ...(filesDir === null ? [] : [filesDir])],
    })
    if (path === null) return null
    const { size, mtimeNs, ino } = statSync(path, { bigint: true })
    return { path, bytes: Number(size), stamp: `${path}\n${size} ${mtimeNs} ${ino}` }
  }

  async #index(found: Found, signal: AbortSignal): Promise<FileIndex> {
    const known = this.#known.get(found.stamp)
    if (known) return known
    const index = await buildIndex(found.path, signal)
    this.#known.set(found.stamp, index)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KEPT_INDEXES) break
      this.#known.delete(oldest)
    }
    return index
  }

  #state({ id, bytes, hash }: StoredFileRow, found: Found, index: FileIndex | null): FileState {
    const state = {
      id,
      path: found.path,
      bytes: found.bytes,
      pages: Math.max(1, Math.ceil(found.bytes / PAGE_BYTES)),
      lines: index?.lines ?? null,
      rows: index?.rows ?? null,
    }
    if (bytes !== null && found.bytes !== bytes) {
      const reason = `It has ${found.bytes.toLocaleString('en')} bytes; ${bytes.toLocaleString('en')} were stored. It was changed since.`
      return { ...state, condition: 'altered', reason }
    }
    if (index !== null && hash !== null && index.hash !== hash.toLowerCase()) {
      return {
        ...state,
        condition: 'altered',
        reason: 'Its content is not the one that was stored: it was changed since.',
      }
    }
    // What was taken out of a message is a text, whatever characters it has.
    if (hash === null && index !== null && !index.isText) {
      return { ...state, condition: 'not_text', reason: 'It is not a text.' }
    }
    return { ...state, condition: index !== null && hash !== null ? 'sound' : 'unchecked', reason: null }
  }
}

const ON_SERVER =
  'Its content is on the server, and was not copied with the conversation: open it in the window, or copy the conversation with all contents by "lcm pull".'

function missing(row: StoredFileRow): FileState {
  const named = row.uri ? JSON.stringify(cutText(row.uri, 500)) : 'nothing of a path'
  return without(
    row,
    `It is not in a folder of files that may be read. Its row says ${named}: put it back, or allow its folder (LCM_FILES_DIR, or --allow of "lcm file").`,
  )
}

const UNREADABLE: FileBytes = { base64: '', sizeBytes: null }

const isOfFile = (error: unknown): error is Error & { readonly code: unknown } =>
  error instanceof Error && 'syscall' in error && 'code' in error

/** The system refuses to read it, or it went away meanwhile. Any other error is not about the file. */
function unreadable(row: StoredFileRow, error: unknown): FileState {
  if (!isOfFile(error)) throw error
  return without(row, `It cannot be read (${error.code}). Look at its permissions, and try again.`)
}

const without = ({ id }: StoredFileRow, reason: string): FileState => ({
  id,
  path: null,
  condition: 'missing',
  reason,
  bytes: null,
  pages: null,
  lines: null,
  rows: null,
})

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/** Characters at the edges of two pages belong to the first. */
function pageOf(file: number, bytes: number, page: number): Partial<FileContent> {
  const edge = (at: number): number => {
    if (at >= bytes) return bytes
    const before = Math.max(0, at - 3)
    const around = readAt(file, before, 7)
    const start = before + characterStart(around, at - before)
    return start === at ? at : start + lengthOfCharacter(around[start - before] ?? 0)
  }
  const start = edge((page - 1) * PAGE_BYTES)
  const end = edge(page * PAGE_BYTES)
  return { text: decode(readAt(file, start, end - start)), next: end < bytes ? page + 1 : null }
}

const lengthOfCharacter = (first: number): number => (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1)

const WINDOW_BYTES = 1 << 18

type StoredRow = FileRow & { readonly offset: number; readonly end: number; readonly isLineEnd: boolean }

/** The rows from a mark on, read in pieces. */
function* rowsAfter(file: number, mark: RowMark): Generator<StoredRow> {
  let { row, offset, line, isLineStart } = mark
  for (;;) {
    const bytes = readAt(file, offset, WINDOW_BYTES)
    let start = 0
    for (const end of rowEnds(bytes, bytes.length < WINDOW_BYTES)) {
      const isLineEnd = bytes[end - 1] === 10
      const isBreakWide = isLineEnd && bytes[end - 2] === 13 && end - 2 >= start
      const text = decode(bytes.subarray(start, isLineEnd ? end - (isBreakWide ? 2 : 1) : end))
      yield { row, line, isLineStart, text, offset: offset + start, end: offset + end, isLineEnd }
      row += 1
      if (isLineEnd) line += 1
      isLineStart = isLineEnd
      start = end
    }
    if (bytes.length < WINDOW_BYTES) return
    offset += start
  }
}

function rowsFrom(file: number, mark: RowMark, from: number, count: number): Partial<FileContent> {
  const rows: FileRow[] = []
  for (const { row, line, isLineStart, text } of rowsAfter(file, mark)) {
    if (row < from) continue
    if (rows.length === count) return { rows, next: row }
    rows.push({ row, line, isLineStart, text })
  }
  return { rows, next: null }
}

/** Whole lines with their breaks, so that lines put together are the file. A line that is too long is cut. */
function linesFrom(
  file: number,
  marks: readonly RowMark[],
  { first, last = first }: { readonly first: number; readonly last?: number | undefined },
): Partial<FileContent> {
  if (last < first) throw new LcmError('invalid_argument', `Lines ${first} to ${last}: the last is before the first.`)
  const end = Math.min(last, first + MOST_LINES - 1)
  // A mark within the first line has its beginning behind it.
  const mark = markBefore(marks, first, ({ line, isLineStart }) => (isLineStart ? line : line + 1))
  const rows: FileRow[] = []
  let [from, to] = [-1, -1]
  let next: number | null = null
  for (const row of rowsAfter(file, mark)) {
    if (row.line < first) continue
    if (row.line > end || (from >= 0 && row.end - from > 2 * PAGE_BYTES)) {
      next = row.line <= end && !row.isLineStart ? row.line + 1 : row.line
      break
    }
    if (from < 0) from = row.offset
    to = row.end
    rows.push({ row: row.row, line: row.line, isLineStart: row.isLineStart, text: row.text })
  }
  return { text: from < 0 ? '' : decode(readAt(file, from, to - from)), rows, next }
}
