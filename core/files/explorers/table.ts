import { CsvError, parse } from 'csv-parse/sync'
import { delimiterOf } from './delimiter.ts'
import { type Explorer, Unreadable } from './explorer.ts'
import { countOf, shown } from './shown.ts'
import type { Findings } from './summary-text.ts'
import { ValueStats } from './value-stats.ts'

/** csv-parse would take the line ending of the first line for that of all. */
const LINE_ENDINGS = ['\r\n', '\n', '\r']
/** A block of rows with a quotation mark that does not end is read without quotation marks. */
const LONGEST_RECORD_CHARS = 1024 * 1024
const MOST_COLUMNS = 1000
const NAME_CHARS = 48
const EXAMPLES = 20
const EXAMPLE_CHARS = 240

/** A table of separated values: its columns with their types and ranges. */
export const exploreTable: Explorer = function* (file) {
  const delimiter = delimiterOf(file.head)
  if (delimiter === null) throw new Unreadable('its lines have no columns')
  const blocks = new RowBlocks(delimiter)
  const table = new Table()
  for (const piece of file.pieces()) {
    for (const row of blocks.push(piece)) table.add(row)
    yield
  }
  for (const row of blocks.end()) table.add(row)
  return table.findings(delimiter)
}

/** Cuts a text into rows. A line break within quotation marks does not end a row. */
class RowBlocks {
  readonly #delimiter: string
  #rest = ''

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  push(piece: string): string[][] {
    const text = this.#rest + piece
    let end = lastRowEnd(text, this.#delimiter)
    if (end === 0 && text.length > LONGEST_RECORD_CHARS) end = lastLineEnd(text) || text.length
    this.#rest = text.slice(end)
    return this.#rows(text.slice(0, end))
  }

  end(): string[][] {
    return this.#rows(this.#rest)
  }

  #rows(text: string): string[][] {
    if (text.trim() === '') return []
    const lenient = {
      delimiter: this.#delimiter,
      record_delimiter: LINE_ENDINGS,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    }
    try {
      return parse(text, lenient) as string[][]
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      return parse(text, { ...lenient, quote: null }) as string[][]
    }
  }
}

/** The place behind the last line ending that stands outside quotation marks, or 0. Only at its start a value opens them. */
function lastRowEnd(text: string, delimiter: string): number {
  let end = 0
  for (let from = 0; ; ) {
    const quote = openingQuote(text, from, delimiter)
    const unquoted = text.slice(from, quote < 0 ? text.length : quote)
    const lineEnd = lastLineEnd(unquoted)
    if (lineEnd > 0) end = from + lineEnd
    if (quote < 0) return end
    from = closingQuote(text, quote + 1) + 1
    if (from === 0) return end
  }
}

/** The place behind the last line ending, or 0. A carriage return at the very end may be half of one. */
function lastLineEnd(text: string): number {
  const carriageReturn = text.lastIndexOf('\r', text.length - 2)
  return Math.max(text.lastIndexOf('\n'), text.length > 1 ? carriageReturn : -1) + 1
}

function openingQuote(text: string, from: number, delimiter: string): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    const before = text[at - 1]
    if (before === undefined || before === delimiter || before === '\n' || before === '\r') return at
  }
  return -1
}

/** A quotation mark within a value is written twice. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at
}

class Table {
  #first: readonly string[] | null = null
  readonly #examples: (readonly string[])[] = []
  readonly #columns: ValueStats[] = []
  #rows = 0
  #uneven = 0

  /** The first row waits until the end: it may hold the names of the columns. */
  add(row: readonly string[]): void {
    if (this.#first === null) {
      this.#first = row
      return
    }
    if (this.#examples.length < EXAMPLES) this.#examples.push(row)
    this.#rows += 1
    if (row.length !== this.#first.length) this.#uneven += 1
    this.#note(row)
  }

  findings(delimiter: string): Findings {
    const first = this.#first
    if (first === null) throw new Unreadable('it has no row')
    const hasNames = isHeader(first)
    if (!hasNames) {
      this.#rows += 1
      this.#note(first)
    }
    const width = Math.max(first.length, this.#columns.length)
    const entries = Array.from({ length: Math.min(width, MOST_COLUMNS) }, (_, index) => ({
      name: hasNames ? shown(first[index] ?? '', NAME_CHARS) || `column ${index + 1}` : `column ${index + 1}`,
      detail: this.#describe(index),
    }))
    const examples = (hasNames ? this.#examples : [first, ...this.#examples]).map((row) =>
      shown(row.map((cell) => shown(cell, 40)).join(' | '), EXAMPLE_CHARS),
    )
    return {
      facts: [
        `${countOf(this.#rows, 'row')}${hasNames ? ' below the names of the columns' : ', no names of columns'}, ${countOf(width, 'column')}, separated by ${NAMES.get(delimiter) ?? `"${delimiter}"`}.`,
        ...(this.#uneven === 0 ? [] : [`${countOf(this.#uneven, 'row')} with more or fewer columns than the first.`]),
      ],
      sections: [
        { kind: 'entries', title: 'Columns', entries, total: width, use: 'always' },
        {
          kind: 'entries',
          title: 'First rows',
          entries: examples.map((row) => ({ name: '', detail: row })),
          total: this.#rows,
          use: 'more',
        },
      ],
    }
  }

  #note(row: readonly string[]): void {
    for (const [index, cell] of row.entries()) {
      if (index === MOST_COLUMNS) return
      const column = this.#columns[index] ?? this.#newColumn(index)
      column.addWritten(cell)
    }
  }

  #newColumn(index: number): ValueStats {
    const column = new ValueStats()
    this.#columns[index] = column
    return column
  }

  #describe(index: number): string {
    const column = this.#columns[index]
    const empty = column?.nulls ?? 0
    if (column === undefined || empty === this.#rows) return 'always empty'
    return `${column.describe() ?? 'always empty'}${empty === 0 ? '' : `; empty ${countOf(empty, 'time')}`}`
  }
}

const NAMES: ReadonlyMap<string, string> = new Map([
  [',', 'commas'],
  ['\t', 'tabs'],
  [';', 'semicolons'],
  ['|', 'bars'],
])

/** Names of columns are different from each other, short, and neither numbers nor times. */
function isHeader(row: readonly string[]): boolean {
  const names = row.map((cell) => cell.trim()).filter((cell) => cell !== '')
  if (names.length === 0 || names.length < row.length / 2 || new Set(names).size < names.length) return false
  return names.every((name) => name.length <= 120 && !/^[+-]?[\d.,]+%?$/.test(name) && !/^\d{4}-\d{2}/.test(name))
}
