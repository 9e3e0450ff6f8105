import { INDEXES, rebuildSql } from '#core/sqlite/fill-indexes.ts'
import { ftsContentOf, ftsShadowsOf } from '#core/sqlite/schema-objects.ts'
import type { Fix } from '#core/systems/rules/fix.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import type { Finding } from '#core/systems/rules/scanned-memory.ts'
import { ftsInSync } from './indexes.ts'
import { isCheckTooLong, pageReport } from './page-report.ts'

const queries = {
  objects: /* sql */ `SELECT type, name, tbl_name AS tableName, rootpage AS rootPage, sql FROM main.sqlite_schema`,
}

export type StoredObject = {
  readonly type: string
  readonly name: string
  readonly tableName: string
  readonly rootPage: number | null
  readonly sql: string | null
}

type DamagedIndex = {
  readonly name: string
  /** The table from whose rows it can be made again. */
  readonly of: string
  readonly isFullText: boolean
  /** The first line of SQLite's check about it. */
  readonly line: string
}

/** https://www.sqlite.org/src/file/src/pragma.c, at `PRAGMA integrity_check`. */
const OF_INDEX =
  /^(?:row \S+ missing from|row \S+ values differ from|wrong # of entries in|rowid not at end-of-record for row \S+ of) index (.+)$/
const OF_FULL_TEXT =
  /^(?:fts5: .*\btable "(.+)"|(?:malformed inverted index|unable to validate the inverted index) for FTS5 table main\.([^:]+).*)$/
const OF_TREE = /^Tree (\d+)\b/

/**
 * Sorts the lines of SQLite's check by what they touch. Returns the damaged indexes where everything else is sound, and
 * null where a line may be about a table with text.
 */
export function damagedIndexesIn(
  lines: readonly string[],
  objects: readonly StoredObject[],
): readonly DamagedIndex[] | null {
  const byName = new Map(objects.map((object) => [object.name, object]))
  const byRoot = new Map(objects.flatMap((object) => (object.rootPage ? [[object.rootPage, object]] : [])))
  const shadows = new Map(objects.flatMap((table) => ftsShadowsOf(table).map((shadow) => [shadow, table])))
  const found = new Map<string, DamagedIndex>()
  let hasBrokenTree = false
  for (const line of lines) {
    // A page that a broken tree of an index does not reach any more. The trees of all tables were walked to their ends.
    if (/^Page \d+: never used$/.test(line)) continue
    const [, root] = OF_TREE.exec(line) ?? []
    if (root !== undefined) hasBrokenTree = true
    const name =
      OF_INDEX.exec(line)?.[1] ??
      OF_FULL_TEXT.exec(line)
        ?.slice(1)
        .find((text) => text !== undefined)
    const object = root === undefined ? byName.get(name ?? '') : byRoot.get(Number(root))
    const index = object && indexAt(object, shadows, line)
    if (!index) return null
    if (!found.has(index.name)) found.set(index.name, index)
    // An index with more rows than its table may be all that is left of rows that the table has lost.
    if (line.startsWith('wrong #') && !lines.some((other) => isRowMissingFrom(other, index.name))) return null
  }
  const hasUnusedPages = lines.some((line) => line.startsWith('Page '))
  return hasUnusedPages && !hasBrokenTree ? null : [...found.values()]
}

const isRowMissingFrom = (line: string, name: string): boolean => line.endsWith(` missing from index ${name}`)

function indexAt(
  object: StoredObject,
  shadows: ReadonlyMap<string, StoredObject>,
  line: string,
): DamagedIndex | undefined {
  const fullText = shadows.get(object.tableName) ?? (ftsShadowsOf(object).length > 0 ? object : undefined)
  if (fullText) {
    const of = ftsContentOf(fullText)
    return of === null ? undefined : { name: fullText.name, of, isFullText: true, line }
  }
  return object.type === 'index' ? { name: object.name, of: object.tableName, isFullText: false, line } : undefined
}

export function* damagedIndexes(context: RuleContext): Generator<null, readonly DamagedIndex[] | null> {
  const lines = yield* pageReport(context)
  return lines.length === 0 ? [] : damagedIndexesIn(lines, context.db.all<StoredObject>(queries.objects))
}

function* findDamaged(context: RuleContext): Iterable<Finding | null> {
  for (const { name, of, isFullText, line } of (yield* damagedIndexes(context)) ?? []) {
    const what = isFullText ? `the full-text index ${name}` : `the index ${name}`
    const detail = `${what} is damaged; no text is lost: it can be rebuilt from ${of} (${line})`
    yield { id: null, conversationId: null, detail, mark: name }
  }
}

const DAMAGED = /^the (full-text )?index (.+?) is damaged; no text is lost/

/** Whether a finding is about an index by which rows are read here. What is read by it may be wrong. */
export function isOfRows({ detail }: { readonly detail: string }): boolean {
  const found = DAMAGED.exec(detail)
  return found !== null && found[1] === undefined
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** The name of an index is quoted. Of a file of ours only the full-text tables of its schema are written. */
function statementFor(detail: string, isNative: boolean): string[] {
  const [, fullText, name] = DAMAGED.exec(detail) ?? []
  if (name === undefined) return []
  if (fullText === undefined) return [/* sql */ `REINDEX main.${quoted(name)}`]
  return isNative && !INDEXES.some(([table]) => table === name) ? [] : [rebuildSql(quoted(name))]
}

const rebuildDamaged: Fix = {
  name: 'index_damaged',
  stage: 'damaged indexes',
  reads: ['index'],
  isFileWide: true,
  *apply({ isNative, findings, findingsOf }) {
    // The step for indexes that lack rows fills every full-text index.
    const areFilled = isNative && findingsOf(ftsInSync).length > 0
    const damaged = findings.filter((finding) => isOfRows(finding) || !areFilled)
    const statements = damaged.flatMap(({ detail }) => statementFor(detail, isNative))
    if (statements.length === 0) return
    const names = damaged.flatMap(({ detail }) => DAMAGED.exec(detail)?.[2] ?? [])
    yield {
      title: `Rebuild ${names.length === 1 ? 'the index' : 'the indexes'} ${names.join(', ')}`,
      rule: isNative
        ? "Written again from its table; no text is lost, and no text changes. SQLite's own check follows."
        : "Written again from its table; no text is lost, and no text changes. A working copy has indexes of its own and is whole. To mend the file itself, run the exported SQL on a copy of it while its own program is closed: it ends with SQLite's own check.",
      risk: 'safe',
      nodes: [],
      changes: names.map((table) => ({ table, key: {}, before: { damaged: 1 }, after: { damaged: 0 } })),
      statements,
      isForOriginal: !isNative,
    }
  },
}

export const indexDamaged = {
  id: 'index_damaged',
  group: 'file',
  severity: 'error',
  phase: 'sqlite',
  invariant: "Every index of the file is sound by SQLite's own check.",
  explanation:
    'An index is damaged, and every table with text is sound: no text is lost. Until it is rebuilt, the system that writes the file may find nothing, or fail to write.',
  fixes: [rebuildDamaged],
  leavesUnreadFile: true,
  isLeftOutOfCommit: isCheckTooLong,
  consequenceOf: [
    'invalid_value',
    'lineage_cycle',
    'fts_in_sync',
    'fts_trigger_missing',
    'sequence_duplicate',
    'ordinal_duplicate',
    'duplicate_edge',
  ],
  find: findDamaged,
} as const satisfies Rule
