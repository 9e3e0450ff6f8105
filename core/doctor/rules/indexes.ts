import type { RowChange } from '#core/contract/repair.ts'
import { INDEXES, rebuildSql } from '#core/sqlite/fill-indexes.ts'
import { SCHEMA_V1 } from '#core/sqlite/schema.ts'
import { SEARCH_SCHEMA } from '#core/sqlite/search-schema.ts'
import { isNative } from '#core/systems/native/native.ts'
import type { Fix, FixContext } from '#core/systems/rules/fix.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, isAsked } from '#core/systems/rules/scanned-memory.ts'
import { indexesIn, type OwnIndex } from '#core/systems/system-facts.ts'
import { plural } from '#core/text.ts'
import { rowRanges } from './row-ranges.ts'

const queries = {
  there: /* sql */ `SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'trigger', 'view')`,
  names: /* sql */ `SELECT name FROM main.sqlite_schema WHERE type = :type`,
  /** True when an index has as many rows as its table. */
  isAsLong: ({ name, of }: OwnIndex) => /* sql */ `
    SELECT (SELECT count(*) FROM main."${name}_docsize") = (SELECT count(*) FROM main.${of})`,
  /** The substring indexes of a native file store no text lengths, so a rule can only check that they exist. */
  native: ['messages_trigram', 'summaries_trigram'],
}

const BLANK = `char(9, 10, 13, 32)`

const within = (rowid: string): string => `${rowid} > :after AND ${rowid} <= :upTo`

/** Names of its tables come from the list above, never from the file. */
function sqlOf(index: OwnIndex): { readonly missing: string; readonly stale: string | null; readonly surplus: string } {
  const { name, of, rowid, text, node, conversation, copy } = index
  const content = `main."${name}_content"`
  const sizes = `main."${name}_docsize"`
  const select = (detail: string): string =>
    /* sql */ `SELECT ${node} AS id, ${conversation} AS conversationId, ${detail} AS detail`
  const has = copy?.id
    ? `EXISTS (SELECT 1 FROM ${content} AS c WHERE c.${copy.id} = key)`
    : `EXISTS (SELECT 1 FROM ${sizes} AS d WHERE d.id = ${rowid})`
  const isFilled = copy ? `trim(${text}, ${BLANK}) <> ''` : '1'
  const missing = copy?.id
    ? /* sql */ `WITH indexed (key) AS MATERIALIZED (SELECT ${copy.id} FROM ${content})
      ${select(`'not in ${name}'`)} FROM main.${of} AS t
      WHERE ${isFilled} AND t.summary_id NOT IN (SELECT key FROM indexed WHERE key IS NOT NULL)`
    : `${select(`'not in ${name}'`)} FROM main.${of} AS t WHERE ${isFilled} AND NOT ${has} AND ${within(rowid)}`
  const joined = copy?.id ? `c.${copy.id} = t.summary_id` : `c.id = ${rowid}`
  const stale = copy
    ? `${select(`'${name} has another text'`)} FROM ${content} AS c JOIN main.${of} AS t ON ${joined}
      WHERE c.${copy.text} IS NOT ${text} AND NOT (${index.isRewritten ?? '0'}) AND ${copy.id ? '1' : within(rowid)}`
    : null
  const surplus = copy?.id
    ? /* sql */ `SELECT NULL AS id, NULL AS conversationId, '${name} has ' || c.${copy.id} || ', which does not exist' AS detail
      FROM ${content} AS c WHERE c.${copy.id} IS NULL OR c.${copy.id} NOT IN (SELECT summary_id FROM main.${of})
      UNION ALL
      SELECT c.${copy.id}, NULL, '${name} has it ' || count(*) || ' times' FROM ${content} AS c
      GROUP BY c.${copy.id} HAVING count(*) > 1`
    : /* sql */ `SELECT NULL AS id, NULL AS conversationId, '${name} has row ' || d.id || ', which does not exist' AS detail
      FROM ${sizes} AS d WHERE NOT EXISTS (SELECT 1 FROM main.${of} AS t WHERE ${rowid} = d.id) AND ${within('d.id')}`
  return { missing, stale, surplus }
}

function* findOutOfSync(context: RuleContext): Iterable<Finding | null> {
  const { db, info, probe, system } = context
  const tables = new Set(db.column<string>(queries.names, { type: 'table' }))
  if (isNative(info)) {
    for (const name of queries.native) {
      if (!tables.has(name)) yield { id: null, conversationId: null, detail: `the index ${name} is not there` }
    }
  }
  for (const index of indexesIn(system.ownIndexes, probe)) {
    const needed = [index.name, `${index.name}_docsize`, ...(index.copy ? [`${index.name}_content`] : [])]
    const gone = needed.find((name) => !tables.has(name) || probe.computed.has(name))
    if (gone !== undefined) {
      yield { id: null, conversationId: null, detail: `the index ${index.name} is not there: ${gone} is missing` }
      continue
    }
    const { missing, stale, surplus } = sqlOf(index)
    let found = 0
    for (const sql of [missing, stale, surplus]) {
      if (sql === null) continue
      // An index that lacks no row of its table and has as many rows has no surplus row.
      if (sql === surplus && !index.copy && found === 0 && db.value(queries.isAsLong(index)) === 1) continue
      for (const range of sql.includes(':after') ? rowRanges(db, index.of) : [{}]) {
        for (const finding of db.iterate<Finding>(sql, range)) {
          const isWanted =
            finding.conversationId === null ? context.conversationId === null : isAsked(context, finding.conversationId)
          found += 1
          yield isWanted ? finding : null
        }
        yield null
      }
    }
  }
}

function* findMissingTriggers(context: RuleContext): Iterable<Finding | null> {
  const { db, system } = context
  const there = new Set(db.column<string>(queries.names, { type: 'trigger' }))
  const tables = new Set(db.column<string>(queries.names, { type: 'table' }))
  for (const { name, needs, why } of system.facts.triggers) {
    const isMissing = !there.has(name) && needs.every((table) => tables.has(table))
    yield isMissing ? { id: null, conversationId: null, detail: `the trigger ${name} is missing: ${why}` } : null
  }
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

function missing({ db }: FixContext): string[] {
  const there = new Set(db.column<string>(queries.there))
  return [...DEFINITIONS.keys()].filter((name) => !there.has(name))
}

const restoreDefinitions: Fix = {
  name: 'fts_trigger_missing',
  stage: 'schema',
  reads: ['index'],
  isFileWide: true,
  *apply(context) {
    if (!context.isNative) return
    const names = missing(context)
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
      alsoSettles: [ftsInSync],
    }
  },
}

const rebuild: Fix = {
  name: 'fts_in_sync',
  stage: 'indexes',
  reads: ['index'],
  isFileWide: true,
  *apply(context) {
    const lacking = context.findingsOf(ftsInSync).length
    // Making what is missing again fills the indexes too.
    if (context.isNative && (lacking === 0 || context.findingsOf(ftsTriggerMissing).length > 0)) return
    const lost = context.isNative ? missing(context) : []
    yield {
      title: 'Rebuild the search indexes',
      rule: context.isNative
        ? `${plural(lacking, 'index entry', 'index entries')} written from the tables; no text changes.`
        : 'A working copy has indexes of its own, which are written when it is made.',
      risk: 'safe',
      nodes: context.findingsOf(ftsInSync).flatMap(({ id }) => id ?? []),
      changes: [{ table: 'messages_fts, summaries_fts', key: {}, before: { missing: lacking }, after: { missing: 0 } }],
      statements: [...lost.map((name) => DEFINITIONS.get(name) ?? ''), ...INDEXES.map(([table]) => rebuildSql(table))],
    }
  },
}

export const ftsTriggerMissing = {
  id: 'fts_trigger_missing',
  group: 'json',
  severity: 'error',
  phase: 'structure',
  invariant: 'The triggers that keep the indexes of the file in step are there.',
  explanation: 'From the next message on, what is written is not indexed: searching with this index misses it.',
  fixes: [restoreDefinitions, rebuild],
  notApplicable: ({ info, system }) =>
    system.facts.triggers.length > 0 ? null : `${info.systemLabel} keeps its indexes in step without triggers.`,
  find: findMissingTriggers,
} as const satisfies Rule

export const ftsInSync = {
  id: 'fts_in_sync',
  group: 'file',
  severity: 'warning',
  phase: 'index',
  invariant: 'Every message and summary is in the full-text indexes of the file, with its own text.',
  explanation:
    'The index lacks rows that the table has, has rows too many, or an older text: its own system does not find what is there. Searching here does not rely on it.',
  fixes: [rebuild],
  consequenceOf: [
    'fts_trigger_missing',
    'content_hash',
    'summary_hash',
    'empty_summary',
    'skeletal_summary',
    'fallback_summary',
    'truncated_summary',
    'dangling_edge',
    'dangling_item',
    'foreign_keys',
    'orphan_summary',
  ],
  notApplicable: ({ info, probe, system }) =>
    indexesIn(system.ownIndexes, probe).length > 0 ? null : `${info.systemLabel} keeps no full-text index.`,
  find: findOutOfSync,
} as const satisfies Rule

export const indexRules = [ftsTriggerMissing, ftsInSync] as const satisfies readonly Rule[]
