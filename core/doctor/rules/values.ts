import { OTHER_ROLE } from '#core/memory/messages.ts'
import { migrations } from '#core/sqlite/native.ts'
import { type NativeColumn, nativeSchema } from '#core/sqlite/native-schema.ts'
import { hasWrongValue, isWrongValue, looseTables } from '#core/sqlite/native-values.ts'
import { isNative } from '#core/systems/native/native.ts'
import { type Fix, namedSummaries } from '#core/systems/rules/fix.ts'
import { onlyInTranscript, type Rule, type RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, isAsked } from '#core/systems/rules/scanned-memory.ts'
import type { ValueRule } from '#core/systems/rules/value-rules.ts'
import { plural } from '#core/text.ts'
import { settle } from '../repair/settle.ts'
import { rangesWith } from './row-conditions.ts'
import { rowRanges } from './row-ranges.ts'

/** Columns that lead from a row to its node, in the order in which they are tried. */
const NODES: readonly (readonly [column: string, sql: string])[] = [
  ['summary_id', 't.summary_id'],
  ['message_id', `'msg_' || t.message_id`],
  ['node_id', 'CAST(t.node_id AS TEXT)'],
  ['store_id', `'msg_' || t.store_id`],
  ['file_id', 't.file_id'],
]

/** SQL that quotes a value, cut to 40 characters. A number is not cut, because `substr` would make it a text. */
const quoted = (value: string): string =>
  `coalesce(quote(iif(typeof(${value}) IN ('integer', 'real'), ${value}, substr(${value}, 1, 40))), 'NULL')`

function sqlOf({ table, column, isWrong, what }: ValueRule, columns: ReadonlySet<string>): string {
  const node =
    NODES.find(([name]) => columns.has(name))?.[1] ??
    (table === 'messages' ? `'msg_' || t.rowid` : table === 'conversations' ? 'NULL' : 'CAST(t.rowid AS TEXT)')
  const conversation = columns.has('conversation_id') && !columns.has('node_id') ? 't.conversation_id' : 'NULL'
  return /* sql */ `
    SELECT ${node} AS id, CASE typeof(${conversation}) WHEN 'integer' THEN ${conversation} END AS conversationId,
      '${what} ' || ${quoted(`t.${column}`)} AS detail
    FROM main.${table} AS t
    WHERE (${isWrong}) AND t.rowid > :after AND t.rowid <= :upTo`
}

function* findInTables(context: RuleContext): Iterable<Finding | null> {
  const { db, probe, system } = context
  for (const rule of system.valueRules) {
    const columns = probe.tables.get(rule.table)
    if (!columns?.has(rule.column)) continue
    const sql = sqlOf(rule, columns)
    for (const range of yield* rangesWith(context, { table: rule.table, condition: rule.isWrong })) {
      for (const finding of db.iterate<Finding>(sql, range)) {
        yield finding.conversationId === null || isAsked(context, finding.conversationId) ? finding : null
      }
      yield null
    }
  }
}

function* findInMemory(context: RuleContext): Iterable<Finding | null> {
  const { messages, summaries } = context.memory
  for (let position = 0; position < messages.length; position += 1) {
    const tokens = messages.tokens[position] as number
    const detail =
      messages.roles[position] === OTHER_ROLE
        ? 'its role is none of the known ones'
        : !(tokens >= 0)
          ? `its number of tokens is ${Number.isNaN(tokens) ? 'none' : tokens}`
          : !((messages.seqs[position] as number) >= 0)
            ? 'its position in the sequence is not possible'
            : null
    if (detail === null) {
      if (position % 1024 === 0) yield null
      continue
    }
    const conversationId = context.memory.messageConversation(position)
    if (isAsked(context, conversationId)) yield { id: context.memory.messageId(position), conversationId, detail }
  }
  for (const { id, conversationId, kind, tokens } of summaries.rows) {
    const detail =
      kind !== 'leaf' && kind !== 'condensed'
        ? `its kind is ${kind}`
        : !(tokens >= 0)
          ? `its number of tokens is ${tokens}`
          : null
    yield detail === null || !isAsked(context, conversationId) ? null : { id, conversationId, detail }
  }
}

/** Wrong values of these columns are found in the memory already. */
const IN_MEMORY: ReadonlySet<string> = new Set(['messages.role', 'summaries.kind'])

/** A native file refuses such values unless it was damaged, or written without its constraints. */
function* findInOwnTables(context: RuleContext): Iterable<Finding | null> {
  const { db, probe } = context
  const made = migrations.slice(0, db.value<number>('PRAGMA main.user_version') ?? 0)
  const isLoose = new Set(looseTables(db, made).map(({ table }) => table))
  for (const [table, { columns }] of nativeSchema(made).tables) {
    const shown = columns.filter(({ name }) => isLoose.has(table) || !IN_MEMORY.has(`${table}.${name}`))
    const range = probe.hasRowids(table) ? 't.rowid > :after AND t.rowid <= :upTo' : '1'
    const isAny = /* sql */ `SELECT 1 FROM main.${table} AS t WHERE (${hasWrongValue(table, shown)}) AND ${range} LIMIT 1`
    for (const rows of probe.hasRowids(table) ? rowRanges(db, table) : [{}]) {
      yield null
      if (db.value(isAny, rows) === undefined) continue
      for (const column of shown) {
        for (const finding of db.iterate<Finding>(`${sqlOfWrong(table, columns, column)} AND ${range}`, rows)) {
          yield finding.conversationId === null || isAsked(context, finding.conversationId) ? finding : null
        }
      }
    }
  }
}

/** SQL for rows in which a column of a native table has a value that it cannot have. */
function sqlOfWrong(table: string, columns: readonly NativeColumn[], column: NativeColumn): string {
  const names = new Set(columns.map(({ name }) => name))
  const [, id] = NODES.find(([name]) => names.has(name)) ?? []
  const conversation = names.has('conversation_id') ? 't.conversation_id' : 'NULL'
  return /* sql */ `
    SELECT CAST(${id ?? 'NULL'} AS TEXT) AS id,
      CASE typeof(${conversation}) WHEN 'integer' THEN ${conversation} END AS conversationId,
      '${table}.${column.name} is ' || ${quoted(`t.${column.name}`)} AS detail
    FROM main.${table} AS t
    WHERE (${isWrongValue(table, column)})`
}

function* findInNative(context: RuleContext): Iterable<Finding | null> {
  yield* findInMemory(context)
  yield* findInOwnTables(context)
}

/** Corrects impossible values of summaries. Those of messages are canonical and stay. */
const setValues: Fix = {
  name: 'invalid_value',
  stage: 'values',
  reads: ['edges', 'kind', 'depth', 'tokens', 'text', 'summaries'],
  *apply(context) {
    const { draft, was, estimator } = context
    const nodes = namedSummaries(context).filter((id) => !draft.isEmpty(id))
    for (const id of nodes) {
      const summary = draft.summaries.get(id)
      const isCount = summary?.tokens !== null && summary?.tokens !== undefined && summary.tokens >= 0
      const kind = draft.sourceLinks(id).length > 0 ? 'condensed' : 'leaf'
      draft.set(id, { kind, ...(isCount ? {} : { tokens: estimator.count(draft.textOf(id)) }) })
      draft.setSourceLinks(id, draft.sourceLinks(id))
    }
    if (nodes.length === 0) return
    settle(draft, was)
    yield {
      title: `Set impossible values of ${plural(nodes.length, 'summary', 'summaries')}`,
      rule: 'Kind and depth follow from the links, tokens from the text.',
      risk: 'safe',
      nodes,
    }
  },
}

export const valueRules = [
  {
    id: 'invalid_value',
    group: 'content',
    severity: 'error',
    phase: 'text',
    invariant: 'Roles, kinds, types, texts and numbers are possible ones.',
    explanation: 'A value cannot be what it says. Tools that rely on it stop, or treat the row as something else.',
    fixes: [setValues],
    ...onlyInTranscript('Restore a backup, or import the transcript into a new memory.'),
    find: (context) => (isNative(context.info) ? findInNative(context) : findInTables(context)),
  },
] as const satisfies readonly Rule[]
