import { CsvError, type InfoRecord, parse } from 'csv-parse/sync'
import { plural } from '#core/text.ts'
import { delimiterOf } from './delimiter.ts'
import { type Explorer, Unreadable } from './explorer.ts'
import { shown } from './shown.ts'
import type { Findings } from './summary-text.ts'
import { ValueStats } from './value-stats.ts'

/** csv-parse would take the line ending of the first line for that of all. */
const LINE_ENDINGS = ['\r\n', '\n', '\r']
/** No row is longer. */
const LONGEST_ROW = 1024 * 1024
const ROWS_PER_STEP = 200
const MOST_COLUMNS = 1000
const NAME_CHARS = 48
const EXAMPLES = 20
const EXAMPLE_CHARS = 240

/** A table of separated values: its columns with their types and ranges. */
export const exploreTable: Explorer = function* (file) {
  const delimiter = delimiterOf(file.head)
  if (delimiter === null) throw new Unreadable('its lines have no columns')
  const table = new Table()
  const text = withoutBlankEnd(yield* file.text())
  yield* readRows(Buffer.from(text), delimiter, (row) => table.add(row))
  return table.findings(delimiter)
}

function* readRows(bytes: Buffer, delimiter: string, take: (row: readonly string[]) => void): Generator<void> {
  let at = 0
  let unquotedTo = 0
  while (at < bytes.length) {
    const start = at
    const isQuoted = start >= unquotedTo
    let rows = 0
    const options = {
      delimiter,
      record_delimiter: LINE_ENDINGS,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      quote: isQuoted ? '"' : null,
      max_record_size: LONGEST_ROW,
      to: ROWS_PER_STEP,
      on_record: (row: string[], { bytes: read }: InfoRecord) => {
        at = start + read
        rows += 1
        take(row)
        return null
      },
    }
    try {
      parse(bytes.subarray(start), options)
      if (rows < ROWS_PER_STEP) return
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      if (!isQuoted) throw new Unreadable('a row of it is too long')
      // A quotation mark has no end, so what follows is read without quotation marks.
      unquotedTo = at + LONGEST_ROW
    }
    yield
  }
}

/** White space behind the last line ending is no row. */
function withoutBlankEnd(text: string): string {
  const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
  return text.slice(end).trim() === '' ? text.slice(0, end) : text
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
        `${plural(this.#rows, 'row')}${hasNames ? ' below the names of the columns' : ', no names of columns'}, ${plural(width, 'column')}, separated by ${NAMES.get(delimiter) ?? `"${delimiter}"`}.`,
        ...(this.#uneven === 0 ? [] : [`${plural(this.#uneven, 'row')} with more or fewer columns than the first.`]),
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
    return `${column.describe() ?? 'always empty'}${empty === 0 ? '' : `; empty ${plural(empty, 'time')}`}`
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
