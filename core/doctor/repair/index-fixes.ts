import type { RowChange } from '../../contract/repair.ts'
import type { WriteDb } from '../../sqlite/read-db.ts'
import { SCHEMA_V1 } from '../../sqlite/schema.ts'
import { SEARCH_SCHEMA } from '../../sqlite/search-schema.ts'
import { type Fixer, plural, type Scope } from '../rules/fix.ts'

const queries = {
  there: /* sql */ `SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'trigger', 'view')`,
}

/** Every full-text table of a native file, and whose rows it holds. */
export const INDEXES = [
  ['messages_fts', 'message'],
  ['messages_trigram', 'message'],
  ['summaries_fts', 'summary'],
  ['summaries_trigram', 'summary'],
] as const

/** https://www.sqlite.org/fts5.html#the_rebuild_command */
const rebuildSql = (table: string): string => /* sql */ `INSERT INTO ${table} (${table}) VALUES ('rebuild')`

/** Fills the indexes of one kind of rows, or of both, as far as they are there. */
export function fillIndexes(db: WriteDb, kinds: readonly (typeof INDEXES)[number][1][]): void {
  const there = new Set(db.column<string>(queries.there))
  for (const [table, kind] of INDEXES) if (kinds.includes(kind) && there.has(table)) db.exec(rebuildSql(table))
}

/** CREATE statements of the schema by what they make. */
const DEFINITIONS: ReadonlyMap<string, string> = new Map(
  [SCHEMA_V1, SEARCH_SCHEMA].flatMap((script) =>
    statementsOf(script).flatMap((sql): [string, string][] => {
      const name = /^CREATE (?:VIRTUAL TABLE|TRIGGER|VIEW) (\w+)/.exec(sql)?.[1]
      return name === undefined ? [] : [[name, sql]]
    }),
  ),
)

function statementsOf(script: string): string[] {
  return script.split(/(?<=;)\n(?=\n*(?:CREATE|--))/).map((sql) => sql.replace(/^(\s*--.*\n)*/, '').trim())
}

function missing({ db }: Scope): string[] {
  const there = new Set(db.column<string>(queries.there))
  return [...DEFINITIONS.keys()].filter((name) => !there.has(name))
}

const restoreDefinitions: Fixer = {
  checks: ['fts_trigger_missing'],
  reads: ['index'],
  isFileWide: true,
  *fix(scope) {
    if (!scope.isNative) return
    const names = missing(scope)
    if (names.length === 0) return
    yield {
      title: `Make ${names.join(', ')} again`,
      rule: 'As the schema defines them; then the indexes are filled from their tables.',
      risk: 'safe',
      nodes: [],
      changes: names.map(
        (name): RowChange => ({ table: 'sqlite_schema', key: { name }, before: null, after: { name } }),
      ),
      statements: [...names.map((name) => DEFINITIONS.get(name) ?? ''), ...INDEXES.map(([table]) => rebuildSql(table))],
      fixes: ['fts_in_sync'],
    }
  },
}

const rebuild: Fixer = {
  checks: ['fts_in_sync'],
  triggers: ['fts_in_sync', 'fts_trigger_missing'],
  reads: ['index'],
  isFileWide: true,
  *fix(scope) {
    const lacking = scope.findings('fts_in_sync').length
    // Making what is missing again fills the indexes too.
    if (scope.isNative && (lacking === 0 || scope.findings('fts_trigger_missing').length > 0)) return
    const lost = scope.isNative ? missing(scope) : []
    yield {
      title: 'Rebuild the search indexes',
      rule: scope.isNative
        ? `${plural(lacking, 'index entry', 'index entries')} written from the tables; no text changes.`
        : 'A working copy has indexes of its own, which are written when it is made.',
      risk: 'safe',
      fixes: scope.isNative ? [] : scope.findings('fts_trigger_missing').length > 0 ? ['fts_trigger_missing'] : [],
      nodes: scope.findings('fts_in_sync').flatMap(({ id }) => id ?? []),
      changes: [{ table: 'messages_fts, summaries_fts', key: {}, before: { missing: lacking }, after: { missing: 0 } }],
      statements: [...lost.map((name) => DEFINITIONS.get(name) ?? ''), ...INDEXES.map(([table]) => rebuildSql(table))],
    }
  },
}

export const indexFixes: readonly Fixer[] = [restoreDefinitions, rebuild]
