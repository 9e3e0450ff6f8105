import type { SqlValue } from '#core/sqlite/read-db.ts'
import type { PageFile } from './page-file.ts'

/** The type of a column in a record, known before its value is read. */
export type StoredType = 'null' | 'integer' | 'real' | 'text' | 'blob'

/** A row of a table or an entry of an index, as it is stored on a page. */
export type Cell = {
  /** null in an index, and in a table without rowids. */
  readonly rowid: number | null
  readonly types: readonly StoredType[]
  /** Returns null when one of its overflow pages is lost. */
  read(): SqlValue[] | null
}

type Kind = { readonly headerBytes: number; readonly childBytes: number; readonly hasRowid: boolean }

/** The first byte tells pages of tables from pages of indexes. https://www.sqlite.org/fileformat2.html#b_tree_pages */
const KINDS: ReadonlyMap<number, Kind> = new Map([
  [0x0d, { headerBytes: 8, childBytes: 0, hasRowid: true }],
  [0x0a, { headerBytes: 8, childBytes: 0, hasRowid: false }],
  [0x02, { headerBytes: 12, childBytes: 4, hasRowid: false }],
])

/** Returns the cells of a page without those that cannot be valid. A page of another kind has none. */
export function* cellsOf(pages: PageFile, number: number): Generator<Cell> {
  const page = pages.read(number)
  const start = number === 1 ? 100 : 0
  const kind = KINDS.get(page?.[start] ?? 0)
  if (!page || !kind) return
  const count = page.readUInt16BE(start + 3)
  const pointers = start + kind.headerBytes
  if (pointers + 2 * count > pages.usableBytes) return
  for (let at = 0; at < count; at += 1) {
    const offset = page.readUInt16BE(pointers + 2 * at)
    if (offset < pointers + 2 * count || offset >= pages.usableBytes) continue
    const cell = cellAt(pages, page.subarray(0, pages.usableBytes), offset + kind.childBytes, kind)
    if (cell) yield cell
  }
}

function cellAt(pages: PageFile, page: Buffer, offset: number, { hasRowid }: Kind): Cell | null {
  const size = varint(page, offset)
  const key = size && hasRowid ? varint(page, size.end) : null
  if (!size || (hasRowid && !key)) return null
  const start = key?.end ?? size.end
  const local = localBytes(size.value, pages.usableBytes, hasRowid)
  const more = size.value > local
  if (size.value === 0 || start + local + (more ? 4 : 0) > page.length) return null
  const head = page.subarray(start, start + local)
  const columns = columnsIn(head, size.value)
  if (!columns) return null
  const rest = more ? page.readUInt32BE(start + local) : 0
  return {
    rowid: key?.value ?? null,
    types: columns.map(({ type }) => type),
    read: () => {
      const payload = more ? whole(pages, head, rest, size.value) : head
      return payload && columns.map((column) => readValue(payload, column))
    },
  }
}

/** https://www.sqlite.org/fileformat2.html#cell_payload */
function localBytes(size: number, usable: number, hasRowid: boolean): number {
  const most = hasRowid ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  if (size <= most) return size
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const fitting = least + ((size - least) % (usable - 4))
  return fitting <= most ? fitting : least
}

/** Reads the rest from overflow pages. Returns null when one of them is lost. */
function whole(pages: PageFile, head: Buffer, first: number, size: number): Buffer | null {
  const pieces = [head]
  const seen = new Set<number>()
  let left = size - head.length
  for (let number = first; left > 0; ) {
    const page = seen.has(number) ? null : pages.read(number)
    if (!page) return null
    seen.add(number)
    const piece = page.subarray(4, Math.min(pages.usableBytes, 4 + left))
    pieces.push(piece)
    left -= piece.length
    number = page.readUInt32BE(0)
    // The chain of pages has to end exactly where the text ends.
    if (left > 0 === (number === 0)) return null
  }
  return Buffer.concat(pieces)
}

type Column = { readonly type: StoredType; readonly at: number; readonly bytes: number; readonly code: number }

/**
 * Returns null when the bytes are not the header of a record of that size.
 * https://www.sqlite.org/fileformat2.html#record_format
 */
function columnsIn(head: Buffer, size: number): Column[] | null {
  const headerSize = varint(head, 0)
  // Rows of native files have short headers, so a header that does not fit on its page is not valid.
  if (!headerSize || headerSize.value > head.length) return null
  const columns: Column[] = []
  let at = headerSize.value
  for (let next = headerSize.end; next < headerSize.value; ) {
    const code = varint(head, next)
    if (!code || code.value === 10 || code.value === 11) return null
    const [type, bytes] = storedAs(code.value)
    columns.push({ type, at, bytes, code: code.value })
    at += bytes
    next = code.end
    if (next > headerSize.value) return null
  }
  return at === size ? columns : null
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8] as const

function storedAs(code: number): [StoredType, number] {
  if (code === 0) return ['null', 0]
  if (code === 7) return ['real', 8]
  if (code === 8 || code === 9) return ['integer', 0]
  if (code < 7) return ['integer', INTEGER_BYTES[code] ?? 0]
  return [code % 2 === 1 ? 'text' : 'blob', Math.floor((code - 12) / 2)]
}

function readValue(payload: Buffer, { type, at, bytes, code }: Column): SqlValue {
  switch (type) {
    case 'null':
      return null
    case 'real':
      return payload.readDoubleBE(at)
    case 'text':
      return payload.toString('utf8', at, at + bytes)
    case 'blob':
      return payload.subarray(at, at + bytes)
    case 'integer': {
      if (bytes === 0) return code - 8
      if (bytes <= 6) return payload.readIntBE(at, bytes)
      const value = payload.readBigInt64BE(at)
      return Number.isSafeInteger(Number(value)) ? Number(value) : value
    }
  }
}

/** Returns null when the number does not end on the page, or when no native file has such a number. */
function varint(bytes: Buffer, at: number): { readonly value: number; readonly end: number } | null {
  let value = 0
  for (let next = at; next < Math.min(at + 8, bytes.length); next += 1) {
    const byte = bytes[next] as number
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return Number.isSafeInteger(value) ? { value, end: next + 1 } : null
  }
  return null
}
