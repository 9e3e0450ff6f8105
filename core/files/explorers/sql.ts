import { plural } from '#core/text.ts'
import { type Explorer, Unreadable } from './explorer.ts'
import { counted, shown } from './shown.ts'
import { readStatements, type Statement } from './sql-statements.ts'
import type { Entry, Findings } from './summary-text.ts'

const NAME_CHARS = 60
/** More are counted and not kept. */
const MOST_TABLES = 500
const MOST_ENTRIES = 200
const MOST_QUERIES = 20
const LISTED_VERBS = 10

const NAME =
  '((?:[`"\\[][^`"\\]]{1,200}[`"\\]]|[\\w$]{1,200})(?:\\s{0,3}\\.\\s{0,3}(?:[`"\\[][^`"\\]]{1,200}[`"\\]]|[\\w$]{1,200})){0,3})'
const OF = '\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?(?:CONCURRENTLY\\s+)?(?:ONLY\\s+)?'
const CREATE_TABLE = new RegExp(`^CREATE\\s+(?:\\w+\\s+){0,2}TABLE${OF}${NAME}\\s*(\\([\\s\\S]*)?`, 'i')
const CREATE_OTHER = new RegExp(
  `^CREATE\\s+(?:[\\w=\`@%]+\\s+){0,6}?(VIEW|INDEX|TRIGGER|FUNCTION|PROCEDURE|TYPE|SEQUENCE|SCHEMA|DATABASE|DOMAIN|EXTENSION)${OF}${NAME}`,
  'i',
)
const INSERT = new RegExp(`^(?:INSERT|REPLACE)\\s+(?:\\w+\\s+){0,3}?INTO\\s+${NAME}`, 'i')
const COPY = new RegExp(`^COPY\\s+${NAME}`, 'i')
/** What stands in a table definition beside columns. */
const NO_COLUMN = /^(?:PRIMARY|FOREIGN|UNIQUE|CONSTRAINT|KEY|INDEX|CHECK|FULLTEXT|SPATIAL|EXCLUDE|LIKE|PERIOD)\b/i
const SPECIAL_SCRIPTS = /\b(MySQL dump[^\n]{0,60}|MariaDB dump[^\n]{0,60}|PostgreSQL database dump|phpMyAdmin SQL Dump)/

/** The tables with their columns and rows, the other objects, and how many statements of which kind there are. */
export const exploreSql: Explorer = function* (file) {
  const script = new SqlScript()
  yield* readStatements(yield* file.text(), (statement) => script.add(statement))
  return script.findings(SPECIAL_SCRIPTS.exec(file.head)?.[1] ?? null)
}

/** Says whether the head of a file has statements at beginnings of lines. */
export const isLikelySql = (head: string): boolean =>
  /^\s{0,8}(?:CREATE\s+(?:\w+\s+){0,2}(?:TABLE|VIEW|INDEX|FUNCTION|TRIGGER|DATABASE|SCHEMA)\s|INSERT\s+INTO\s+\S+|ALTER\s+TABLE\s+\S+|DROP\s+TABLE\s|DELETE\s+FROM\s+\S+|SELECT\s[^;]{1,2000}\sFROM\s|COPY\s\S+\s[^;]{0,500}FROM\s+stdin;)/im.test(
    head,
  ) && head.includes(';')

type SqlTable = { columns: string | null; rows: number; inserts: number }

class SqlScript {
  readonly #tables = new Map<string, SqlTable>()
  /** Names of tables that are counted and not kept, and what they hold together. */
  readonly #furtherTables = new Set<string>()
  readonly #further: SqlTable = { columns: '', rows: 0, inserts: 0 }
  readonly #objects: Entry[] = []
  readonly #verbs = new Map<string, number>()
  readonly #queries: Entry[] = []
  #statements = 0
  #objectCount = 0
  #queryCount = 0

  add({ text, groups, copiedRows }: Statement): void {
    const verb = /^[a-z]{2,20}/i.exec(text)?.[0]?.toUpperCase()
    if (verb === undefined) return
    this.#statements += 1
    if (this.#verbs.has(verb) || this.#verbs.size < MOST_ENTRIES)
      this.#verbs.set(verb, (this.#verbs.get(verb) ?? 0) + 1)
    if (verb === 'CREATE') this.#addCreate(text)
    else if (verb === 'INSERT' || verb === 'REPLACE') this.#addInsert(text, groups)
    else if (verb === 'COPY') this.#addCopy(text, copiedRows)
    else if (verb === 'SELECT' || verb === 'WITH' || verb === 'UPDATE' || verb === 'DELETE') {
      this.#queryCount += 1
      if (this.#queries.length < MOST_QUERIES) this.#queries.push({ name: '', detail: shown(text, 160) })
    }
  }

  findings(dump: string | null): Findings {
    if (this.#statements === 0) throw new Unreadable('it has no statement')
    const kinds = [...this.#verbs].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    const verbs = kinds.slice(0, LISTED_VERBS)
    const others = this.#statements - verbs.reduce((sum, [, count]) => sum + count, 0)
    const rows = [...this.#tables.values(), this.#further].reduce((sum, table) => sum + table.rows, 0)
    return {
      facts: [
        ...(dump === null ? [] : [`It says of itself: ${shown(dump, 80)}.`]),
        `${plural(this.#statements, 'statement')}: ${verbs.map(([verb, count]) => `${verb} ${counted(count)}`).join(', ')}${others === 0 ? '' : `, others ${counted(others)}`}.`,
        ...(rows === 0 ? [] : [`${plural(rows, 'row')} of data.`]),
      ],
      sections: [
        {
          kind: 'entries',
          title: 'Tables',
          entries: [...this.#tables].map(tableEntry),
          total: this.#tables.size + this.#furtherTables.size,
          use: 'always',
        },
        { kind: 'entries', title: 'Other objects', entries: this.#objects, total: this.#objectCount, use: 'always' },
        { kind: 'entries', title: 'Queries', entries: this.#queries, total: this.#queryCount, use: 'more' },
      ],
    }
  }

  #addCreate(text: string): void {
    const [, table, definition] = CREATE_TABLE.exec(text) ?? []
    const [, kind, name] = CREATE_OTHER.exec(text) ?? []
    if (table !== undefined) {
      this.#table(table).columns ??= columnsIn(definition ?? '')
    } else if (kind !== undefined && name !== undefined) {
      this.#objectCount += 1
      if (this.#objects.length < MOST_ENTRIES)
        this.#objects.push({ name: `${kind.toLowerCase()} ${plainName(name)}`, detail: '' })
    }
  }

  #addInsert(text: string, groups: number): void {
    const name = INSERT.exec(text)?.[1]
    if (name === undefined) return
    const table = this.#table(name)
    table.inserts += 1
    const [before = '', after] = text.split(/\bVALUES\b/i, 2)
    if (after === undefined) return
    const named = /\(([^)]*)\)\s*$/.exec(before)?.[1]
    table.rows += Math.max(0, groups - (named === undefined ? 0 : 1))
    if (named !== undefined) table.columns ??= named.split(',').map(plainName).join(', ')
  }

  #addCopy(text: string, rows: number): void {
    const name = COPY.exec(text)?.[1]
    if (name === undefined) return
    const table = this.#table(name)
    table.rows += rows
    const named = /\(([^)]*)\)/.exec(text)?.[1]
    if (named !== undefined) table.columns ??= named.split(',').map(plainName).join(', ')
  }

  #table(name: string): SqlTable {
    const key = plainName(name)
    const known = this.#tables.get(key)
    if (known !== undefined) return known
    if (this.#tables.size >= MOST_TABLES) {
      this.#furtherTables.add(key)
      return this.#further
    }
    const table: SqlTable = { columns: null, rows: 0, inserts: 0 }
    this.#tables.set(key, table)
    return table
  }
}

const plainName = (name: string): string => shown(name.replaceAll(/[`"[\]\s]/g, ''), NAME_CHARS)

function tableEntry([name, { columns, rows, inserts }]: [string, SqlTable]): Entry {
  const data = rows > 0 ? plural(rows, 'row') : inserts > 0 ? plural(inserts, 'insert') : null
  return { name, detail: [columns, data].filter((part) => part !== null).join('; ') || 'not defined here' }
}

/** The names and types of the columns in the brackets of a table definition. */
function columnsIn(definition: string): string | null {
  const parts = partsWithin(definition)
  const columns = parts.flatMap((part) => {
    if (NO_COLUMN.test(part)) return []
    const [, name, type = ''] =
      /^([`"[][^`"\]]{1,200}[`"\]]|[\w$]{1,200})\s*(\w*(?:\s*\([\d\s,]{1,20}\))?)/.exec(part) ?? []
    return name === undefined ? [] : `${plainName(name)} ${type.toLowerCase().replaceAll(/\s+/g, '')}`.trim()
  })
  return columns.length === 0 ? null : columns.join(', ')
}

/** The parts between commas within the first brackets. */
function partsWithin(definition: string): string[] {
  const parts: string[] = []
  let depth = 0
  let part = ''
  for (const character of definition.replaceAll(/'(?:[^'\\]|\\.|''){0,2000}'/g, "''")) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth === 0) break
    if (depth === 1 && character === ',') {
      parts.push(part.trim())
      part = ''
    } else if (depth > 1 || character !== '(') part += character
  }
  return [...parts, part.trim()].filter((one) => one !== '')
}
