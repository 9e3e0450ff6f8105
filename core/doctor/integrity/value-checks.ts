import { PartType, Role, SummaryKind } from '../../contract/ids.ts'
import type { SystemId } from '../../contract/memory.ts'
import { migrations } from '../../sqlite/native.ts'
import { type NativeColumn, nativeSchema } from '../../sqlite/native-schema.ts'
import { hasWrongValue, isNoName, isWrongValue, looseTables } from '../../sqlite/native-values.ts'
import { type Check, type CheckContext, type Finding, isAsked } from './check.ts'
import { NO_ROLE } from './message-columns.ts'
import { rowRanges } from './row-ranges.ts'

/** What a value of a column of the file itself must be: SQL over the row `t`, true for what cannot be. */
type Rule = {
  readonly table: string
  readonly column: string
  readonly isWrong: string
  readonly what: string
}

const listed = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ')
const oneOf = (table: string, column: string, values: readonly string[], what: string): Rule => ({
  table,
  column,
  isWrong: `t.${column} IS NULL OR t.${column} NOT IN (${listed(values)})`,
  what,
})
const count = (table: string, column: string, what: string): Rule => ({
  table,
  column,
  isWrong: `typeof(t.${column}) <> 'integer' OR t.${column} < 0`,
  what,
})
const text = (table: string, column: string, what: string): Rule => ({
  table,
  column,
  isWrong: `typeof(t.${column}) <> 'text'`,
  what,
})
const id = (table: string, column: string): Rule => ({
  table,
  column,
  isWrong: `typeof(t.${column}) <> 'text' OR ${isNoName(`t.${column}`)}`,
  what: 'its id is',
})
const countOrNone = (table: string, column: string, what: string): Rule => ({
  table,
  column,
  isWrong: `t.${column} IS NOT NULL AND (typeof(t.${column}) <> 'integer' OR t.${column} < 0)`,
  what,
})
const named = (table: string, column: string, what: string): Rule => ({
  table,
  column,
  isWrong: `typeof(t.${column}) <> 'text' OR trim(t.${column}) = ''`,
  what,
})
const number = (table: string, column: string, what: string): Rule => ({
  table,
  column,
  isWrong: `typeof(t.${column}) <> 'integer'`,
  what,
})

const losslessRules: readonly Rule[] = [
  oneOf('messages', 'role', Role.options, 'its role is'),
  count('messages', 'token_count', 'its number of tokens is'),
  number('messages', 'seq', 'its place in the sequence is'),
  number('messages', 'conversation_id', 'its conversation is'),
  text('messages', 'content', 'its text is'),
  id('summaries', 'summary_id'),
  id('large_files', 'file_id'),
  oneOf('summaries', 'kind', SummaryKind.options, 'its kind is'),
  count('summaries', 'depth', 'its depth is'),
  count('summaries', 'token_count', 'its number of tokens is'),
  text('summaries', 'content', 'its text is'),
  oneOf('message_parts', 'part_type', PartType.options, 'the type of a part of it is'),
  number('message_parts', 'message_id', 'the message of a part is'),
  oneOf('context_items', 'item_type', ['message', 'summary'], 'the type of an item of the window is'),
  number('context_items', 'ordinal', 'the place of an item of the window is'),
  named('conversations', 'session_id', 'the session of the conversation is'),
  countOrNone('large_files', 'byte_size', 'its size is'),
  countOrNone('large_files', 'line_count', 'its number of lines is'),
]

const hermesRules: readonly Rule[] = [
  count('summary_nodes', 'depth', 'its depth is'),
  count('summary_nodes', 'token_count', 'its number of tokens is'),
  text('summary_nodes', 'summary', 'its text is'),
  text('messages', 'role', 'its role is'),
  count('messages', 'token_estimate', 'its number of tokens is'),
]

const RULES: Readonly<Record<SystemId, readonly Rule[]>> = {
  // What the tables of a native file refuse is looked for in the facts.
  native: [],
  'lossless-claw': losslessRules,
  'lossless-claude': losslessRules,
  'hermes-lcm': hermesRules,
  argentos: [
    count('summaries', 'depth', 'its depth is'),
    count('summaries', 'token_count', 'its number of tokens is'),
    count('messages', 'token_count', 'its number of tokens is'),
    text('messages', 'content', 'its text is'),
  ],
  'pi-lcm': [
    count('summaries', 'depth', 'its depth is'),
    count('summaries', 'token_estimate', 'its number of tokens is'),
    count('messages', 'token_estimate', 'its number of tokens is'),
    text('messages', 'content_text', 'its text is'),
  ],
  decapod: [
    count('summaries', 'token_estimate', 'its number of tokens is'),
    text('summaries', 'summary_text', 'its text is'),
  ],
}

/** Columns by which a row leads to its node, in the order in which they are tried. */
const NODES: readonly (readonly [column: string, sql: string])[] = [
  ['summary_id', 't.summary_id'],
  ['message_id', `'msg_' || t.message_id`],
  ['node_id', 'CAST(t.node_id AS TEXT)'],
  ['store_id', `'msg_' || t.store_id`],
  ['file_id', 't.file_id'],
]

/** SQL: a value as SQL has it, cut; the start of a number would be a text. */
const quoted = (value: string): string =>
  `coalesce(quote(iif(typeof(${value}) IN ('integer', 'real'), ${value}, substr(${value}, 1, 40))), 'NULL')`

function sqlOf({ table, column, isWrong, what }: Rule, columns: ReadonlySet<string>): string {
  const node =
    NODES.find(([name]) => columns.has(name))?.[1] ??
    (table === 'messages' ? `'msg_' || t.rowid` : table === 'conversations' ? 'NULL' : 'CAST(t.rowid AS TEXT)')
  const conversation = columns.has('conversation_id') && !columns.has('node_id') ? 't.conversation_id' : 'NULL'
  return `
    SELECT ${node} AS id, CASE typeof(${conversation}) WHEN 'integer' THEN ${conversation} END AS conversationId,
      '${what} ' || ${quoted(`t.${column}`)} AS detail
    FROM main.${table} AS t
    WHERE (${isWrong}) AND t.rowid > :after AND t.rowid <= :upTo`
}

function* findInTables(context: CheckContext): Iterable<Finding | null> {
  const { db, info, probe } = context
  for (const rule of RULES[info.system]) {
    const columns = probe.tables.get(rule.table)
    if (!columns?.has(rule.column)) continue
    const sql = sqlOf(rule, columns)
    for (const range of rowRanges(db, rule.table)) {
      for (const finding of db.iterate<Finding>(sql, range)) {
        yield finding.conversationId === null || isAsked(context, finding.conversationId) ? finding : null
      }
      yield null
    }
  }
}

function* findInFacts(context: CheckContext): Iterable<Finding | null> {
  const { messages, summaries } = context.facts
  for (let place = 0; place < messages.length; place += 1) {
    const tokens = messages.tokens[place] as number
    const detail =
      messages.roles[place] === NO_ROLE
        ? 'its role is none of the known ones'
        : !(tokens >= 0)
          ? `its number of tokens is ${Number.isNaN(tokens) ? 'none' : tokens}`
          : !((messages.seqs[place] as number) >= 0)
            ? 'its place in the sequence is none'
            : null
    if (detail === null) {
      if (place % 1024 === 0) yield null
      continue
    }
    const conversationId = context.facts.messageConversation(place)
    if (isAsked(context, conversationId)) yield { id: context.facts.messageId(place), conversationId, detail }
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

/** What is said of it in the facts already. */
const IN_FACTS: ReadonlySet<string> = new Set(['messages.role', 'summaries.kind'])

/** A native file refuses such values unless it was damaged, or written past what its tables say. */
function* findInOwnTables(context: CheckContext): Iterable<Finding | null> {
  const { db, probe } = context
  const made = migrations.slice(0, db.value<number>('PRAGMA main.user_version') ?? 0)
  const isLoose = new Set(looseTables(db, made).map(({ table }) => table))
  for (const [table, { columns }] of nativeSchema(made).tables) {
    const shown = columns.filter(({ name }) => isLoose.has(table) || !IN_FACTS.has(`${table}.${name}`))
    const range = probe.hasRowids(table) ? 't.rowid > :after AND t.rowid <= :upTo' : '1'
    const isAny = `SELECT 1 FROM main.${table} AS t WHERE (${hasWrongValue(table, shown)}) AND ${range} LIMIT 1`
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

/** Rows in which a column of a native table has a value that it cannot have. */
function sqlOfWrong(table: string, columns: readonly NativeColumn[], column: NativeColumn): string {
  const names = new Set(columns.map(({ name }) => name))
  const [, id] = NODES.find(([name]) => names.has(name)) ?? []
  const conversation = names.has('conversation_id') ? 't.conversation_id' : 'NULL'
  return `
    SELECT CAST(${id ?? 'NULL'} AS TEXT) AS id,
      CASE typeof(${conversation}) WHEN 'integer' THEN ${conversation} END AS conversationId,
      '${table}.${column.name} is ' || ${quoted(`t.${column.name}`)} AS detail
    FROM main.${table} AS t
    WHERE (${isWrongValue(table, column)})`
}

function* findInNative(context: CheckContext): Iterable<Finding | null> {
  yield* findInFacts(context)
  yield* findInOwnTables(context)
}

export const valueChecks: readonly Check[] = [
  {
    id: 'invalid_value',
    group: 'content',
    severity: 'error',
    phase: 'text',
    invariant: 'Roles, kinds, types, texts and numbers are possible ones.',
    explanation: 'A value cannot be what it says. Tools that rely on it stop, or treat the row as something else.',
    repairable: false,
    find: (context) => (context.info.system === 'native' ? findInNative(context) : findInTables(context)),
  },
]
