import type { MemoryInfo, System } from '../contract/memory.ts'
import type { ReadDb } from '../db/read-db.ts'
import { probeSchema, type SchemaProbe } from '../db/schema-probe.ts'
import { LcmError } from '../errors.ts'

/** One full-text table of a foreign file, by the names that its system gives things. */
type OwnTable = {
  readonly name: string
  readonly base: string
  /** Column of the base table that names a row. */
  readonly key: string
  readonly text: string
  /**
   * Where the table keeps its own copy of the text: column of its `_content` table, and of the key there (`id` is the
   * rowid). null: it has none and reads the base table.
   */
  readonly copy: { readonly key: 'id' | 'c0'; readonly text: 'c0' | 'c1' } | null
  /** Of the triggers that keep it up to date; of none where the system writes it itself. */
  readonly triggers: readonly ('INSERT' | 'UPDATE' | 'DELETE')[]
  /** Whether a file with these tables ought to have it. Default: always. */
  readonly isExpected?: (probe: SchemaProbe) => boolean
}

const messagesOfClaw: OwnTable = {
  name: 'messages_fts',
  base: 'messages',
  key: 'message_id',
  text: 'content',
  copy: { key: 'id', text: 'c0' },
  triggers: [],
}
const summariesOfClaw: OwnTable = {
  name: 'summaries_fts',
  base: 'summaries',
  key: 'summary_id',
  text: 'content',
  copy: { key: 'c0', text: 'c1' },
  triggers: [],
}
const overMessages = (key: string, text: string, triggers: OwnTable['triggers']): OwnTable => ({
  ...{ name: 'messages_fts', base: 'messages', copy: null },
  ...{ key, text, triggers },
})

const OWN_TABLES: Readonly<Record<System, readonly OwnTable[]>> = {
  native: [],
  'lossless-claw': [
    messagesOfClaw,
    summariesOfClaw,
    // Since the release that also archives conversations.
    { ...summariesOfClaw, name: 'summaries_fts_cjk', isExpected: (probe) => probe.has('conversations', 'archived_at') },
  ],
  'lossless-claude': [messagesOfClaw, summariesOfClaw],
  'hermes-lcm': [
    overMessages('store_id', 'content', ['INSERT', 'UPDATE', 'DELETE']),
    {
      name: 'nodes_fts',
      base: 'summary_nodes',
      key: 'node_id',
      text: 'summary',
      copy: null,
      triggers: ['INSERT', 'DELETE'],
    },
  ],
  argentos: [overMessages('id', 'content', ['INSERT', 'DELETE'])],
  'pi-lcm': [overMessages('rowid', 'content_text', ['INSERT', 'UPDATE', 'DELETE'])],
  decapod: [],
}

/** How one of a file's own full-text tables fits its texts. */
export type OwnIndexState = {
  readonly table: string
  /** The table that it is an index of. */
  readonly base: string
  /** `missing`: there is no such table. `damaged`: it cannot be read. `drifted`: see what follows. */
  readonly state: 'sound' | 'drifted' | 'missing' | 'damaged'
  /** Rows that have a text and are not in it. */
  readonly rowsMissing: number
  /**
   * Rows in it whose text is another now, or that are not there any more. An index without a copy of the text cannot say
   * that a text is another: of it the latter only.
   */
  readonly rowsStale: number
  /** Events after which nothing brings it up to date, where its system has triggers for that. */
  readonly missingTriggers: readonly string[]
  /** Names of some of the rows, missing ones first, by the base table's key. */
  readonly examples: readonly (string | number)[]
}

const MAX_EXAMPLES = 20
/**
 * What stands for a large file or tool output. Its system indexes what is left without the boilerplate, perhaps nothing:
 * of such rows nothing can be said.
 */
const standsForFile = (text: string): string =>
  `(${text} LIKE '[LCM File: file~_%' ESCAPE '~' OR ${text} LIKE '[LCM Tool Output: file~_%' ESCAPE '~')`

const queries = {
  triggers: /* sql */ `
    SELECT sql FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = :base AND sql LIKE '%' || :name || '%'`,
}

/**
 * The health of the full-text tables that another system keeps in its own file. Compares row by row: a count proves
 * nothing (https://www.sqlite.org/fts5.html#external_content_tables), and FTS5's own check would have to write. Reads
 * every text of the tables that hold a copy. Nothing for a native file.
 */
export function ownIndexState(read: ReadDb, info: Pick<MemoryInfo, 'system'>): OwnIndexState[] {
  const probe = probeSchema(read)
  return OWN_TABLES[info.system]
    .filter(({ base, key, text }) => (key === 'rowid' || probe.has(base, key)) && probe.has(base, text))
    .filter((table) => isThere(read, table) || (table.isExpected?.(probe) ?? true))
    .map((table) => stateOf(read, table))
}

const isThere = (read: ReadDb, { name }: OwnTable): boolean =>
  read.value('SELECT 1 FROM main.sqlite_schema WHERE name = :name', { name }) === 1

function stateOf(read: ReadDb, table: OwnTable): OwnIndexState {
  const nothing = { rowsMissing: 0, rowsStale: 0, missingTriggers: [], examples: [] }
  const facts = { table: table.name, base: table.base }
  if (!isThere(read, table)) return { ...facts, state: 'missing', ...nothing }
  try {
    const missing = read.column<string | number>(missingRows(table))
    const stale = [...new Set([...read.column<string | number>(goneRows(table)), ...changedRows(read, table)])]
    const missingTriggers = triggersMissing(read, table)
    const isSound = missing.length + stale.length + missingTriggers.length === 0
    return {
      ...facts,
      state: isSound ? 'sound' : 'drifted',
      rowsMissing: missing.length,
      rowsStale: stale.length,
      missingTriggers,
      examples: [...missing, ...stale].slice(0, MAX_EXAMPLES),
    }
  } catch (error) {
    // One of the tables that it is made of is gone, or its pages are.
    if (!(error instanceof LcmError) || (error.code !== 'sqlite_failed' && error.code !== 'file_corrupt')) throw error
    return { ...facts, state: 'damaged', ...nothing }
  }
}

/** Keys of what is indexed: every row of the table of sizes, under the name that its text is known by. */
const indexedKeys = ({ name, copy }: OwnTable): string =>
  copy && copy.key !== 'id'
    ? `SELECT c.${copy.key} FROM main.${name}_docsize AS d JOIN main.${name}_content AS c ON c.id = d.id`
    : `SELECT d.id FROM main.${name}_docsize AS d`

const missingRows = (table: OwnTable): string => /* sql */ `
  SELECT b.${table.key} FROM main.${table.base} AS b
  WHERE trim(b.${table.text}, char(9, 10, 13, 32)) <> '' AND NOT ${standsForFile(`b.${table.text}`)} AND b.${table.key} NOT IN (${indexedKeys(table)})
  ORDER BY b.rowid`

const goneRows = (table: OwnTable): string => /* sql */ `
  SELECT * FROM (${indexedKeys(table)}) EXCEPT SELECT b.${table.key} FROM main.${table.base} AS b`

function changedRows(read: ReadDb, { name, base, key, text, copy }: OwnTable): (string | number)[] {
  if (!copy) return []
  return read.column(/* sql */ `
    SELECT b.${key} FROM main.${name}_content AS c
    JOIN main.${base} AS b ON b.${key} = c.${copy.key}
    WHERE c.${copy.text} IS NOT b.${text} AND NOT ${standsForFile(`b.${text}`)}
    ORDER BY b.rowid`)
}

function triggersMissing(read: ReadDb, { name, base, triggers }: OwnTable): string[] {
  if (triggers.length === 0) return []
  const present = read.column<string>(queries.triggers, { base, name }).map((sql) => sql.toUpperCase())
  return triggers.filter((event) => !present.some((sql) => new RegExp(`\\b(BEFORE|AFTER)\\s+${event}\\b`).test(sql)))
}
