import { parse, type TomlTable, type TomlValue } from 'smol-toml'
import { plural } from '#core/text.ts'
import { type Explorer, Unreadable } from './explorer.ts'
import { describeShape, ShapeCollector } from './shape.ts'
import { shown } from './shown.ts'
import type { Entry } from './summary-text.ts'

/** Keys are read in parts, so that a long table is not read at once. */
const PART_CHARS = 16 * 1024
/** A single value is at most this long. */
const LONGEST_PART_CHARS = 256 * 1024
/** At most this many parts may end within a value of several lines. */
const MOST_ATTEMPTS = 2000
/** Further tables are counted and not described. */
const MOST_TABLES = 500
const NAME_CHARS = 60
const LINES_PER_STEP = 100

const HEADER = /^\s*(\[\[?)([^\]#]{1,500})\]\]?\s*(?:#.*)?$/
const KEY = /^\s*[\w"'][^=]*=/

/** The tables of a file, and the keys that each has. */
export const exploreToml: Explorer = function* (file) {
  const tables = new TomlTables()
  let lines = 0
  for (const line of (yield* file.text()).split('\n')) {
    tables.addLine(line)
    lines += 1
    if (lines % LINES_PER_STEP === 0) yield
  }
  // The last value of a part may be cut in two.
  if (!tables.end() && file.partBytes === null) throw new Unreadable('something in it is not TOML')
  if (tables.count + tables.keys === 0) throw new Unreadable('it has no key')
  return {
    facts: [`${plural(tables.count, 'table')}, ${plural(tables.keys, 'key')}.`],
    sections: [
      {
        kind: 'entries',
        title: 'Tables and keys',
        entries: tables.entries(),
        total: tables.named,
        use: 'always',
      },
    ],
  }
}

type Table = { readonly isList: boolean; readonly shapes: ShapeCollector; count: number }

class TomlTables {
  readonly #tables = new Map<string, Table>()
  readonly #others = new Set<string>()
  #table: Table = this.#named('', false)
  #lines: string[] = []
  #chars = 0
  #attempts = 0
  #isBegun = false
  count = 0
  keys = 0

  /** How many names tables have. */
  get named(): number {
    return [...this.#tables.values()].filter(({ shapes }) => shapes.root.count > 0).length + this.#others.size
  }

  addLine(line: string): void {
    const header = HEADER.exec(line)
    const isEnd = header !== null || (this.#chars > PART_CHARS && KEY.test(line))
    if (isEnd && this.#endPart() && header !== null) {
      this.#endTable()
      this.count += 1
      this.#table = this.#named((header[2] ?? '').trim(), header[1] === '[[')
      this.#begin()
      return
    }
    this.#lines.push(line)
    this.#chars += line.length + 1
    if (this.#chars > LONGEST_PART_CHARS) throw new Unreadable('a value in it is too long')
  }

  /** Says whether the last lines are whole. */
  end(): boolean {
    const isWhole = this.#endPart()
    this.#endTable()
    return isWhole
  }

  entries(): Entry[] {
    return [...this.#tables].flatMap(([name, { isList, shapes, count }]) => {
      if (shapes.root.count === 0) return []
      const keys = [...shapes.root.names].map(([key, shape]) => `${shown(key, 40)} ${describeShape(shape)}`)
      const times = isList ? `${plural(count, 'time')}: ` : ''
      const what = keys.length === 0 ? 'no keys of its own' : keys.join('; ')
      const title =
        name === '' ? 'at the top' : isList ? `[[${shown(name, NAME_CHARS)}]]` : `[${shown(name, NAME_CHARS)}]`
      return [{ name: title, detail: shown(`${times}${what}`, 600) }]
    })
  }

  /** Reads the lines so far. Says whether they are whole: a value of several lines may look like a header. */
  #endPart(): boolean {
    if (this.#lines.length === 0) return true
    let part: TomlTable
    try {
      part = parse(this.#lines.join('\n'), { integersAsBigInt: 'asNeeded' })
    } catch (error) {
      if (!(error instanceof Error)) throw error
      this.#attempts += 1
      if (this.#attempts > MOST_ATTEMPTS) throw new Unreadable('something in it is not TOML')
      return false
    }
    this.#begin()
    for (const [key, value] of Object.entries(part)) {
      this.keys += 1
      this.#table.shapes.key(key)
      tell(this.#table.shapes, value)
    }
    this.#lines = []
    this.#chars = 0
    return true
  }

  #begin(): void {
    if (this.#isBegun) return
    this.#isBegun = true
    this.#table.count += 1
    this.#table.shapes.open('object')
  }

  #endTable(): void {
    this.#table.shapes.closeAll()
    this.#isBegun = false
  }

  #named(name: string, isList: boolean): Table {
    const known = this.#tables.get(name)
    if (known !== undefined) return known
    const table: Table = { isList, shapes: new ShapeCollector(), count: 0 }
    if (this.#tables.size < MOST_TABLES) this.#tables.set(name, table)
    else this.#others.add(name)
    return table
  }
}

function tell(shapes: ShapeCollector, value: TomlValue): void {
  if (typeof value === 'string') shapes.text(value)
  else if (typeof value === 'number' || typeof value === 'bigint') shapes.number(Number(value), String(value))
  else if (typeof value === 'boolean') shapes.boolean(value)
  else if (value instanceof Date) shapes.written(value.toISOString())
  else if (Array.isArray(value)) {
    shapes.open('array')
    for (const item of value) tell(shapes, item)
    shapes.close()
  } else {
    shapes.open('object')
    for (const [key, inner] of Object.entries(value)) {
      shapes.key(key)
      tell(shapes, inner)
    }
    shapes.close()
  }
}
