import { basename, dirname, join } from 'node:path'
import type { Role } from '#core/contract/ids.ts'
import { startSha1 } from '#core/hashing.ts'
import { jsonElements } from '#core/parsed-json.ts'
import { nextKey } from '#core/sqlite/keyset.ts'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import { MESSAGE_TEXT_VIEW, requireRowids, view } from '../deriving/canonical.ts'
import { BEFORE_ALL, clearDerived, haveDerivedTables, inRanges, STAND_IN } from '../deriving/derived-tables.ts'
import { asCount, asId, asText, columnsOf, derivedViews } from '../deriving/derived-views.ts'
import { RowInserter } from '../deriving/row-inserter.ts'
import type { Place } from '../places.ts'
import type { ForeignSystem, Source } from '../system.ts'
import { unshownRows } from '../unshown-rows.ts'
import { facts, knownExceptions, valueRules } from './facts.ts'
import { type ContentLines, ledgerPath, ledgerState, shownHash } from './ledger.ts'
import { originals, readingOriginals, timeMs, toldKind } from './originals.ts'

/**
 * The database is an index; what was said stands in the ledger beside it, and is fetched from there. A message is an
 * original: a content that stands in the ledger several times is one message, of the first session that it was said in.
 */
export const decapod = {
  id: 'decapod',
  facts,
  valueRules,
  ownIndexes: [],
  tokenRules: [(text) => Math.floor((Buffer.byteLength(text) + 3) / 4)],
  knownExceptions,
  rules: [],
  preset: null,
  // Every project has a memory in its own folder. The folder that is worked in may lie below that.
  places: ({ cwd }) => {
    const places: Place[] = []
    for (let folder = cwd; ; folder = dirname(folder)) {
      places.push({ path: join(folder, ...MEMORY_FOLDER, 'lcm.db'), label: basename(folder) || folder })
      if (dirname(folder) === folder) return places
    }
  },
  nameOf: (path) => {
    const project = dirname(dirname(dirname(path)))
    return dirname(path) === join(project, ...MEMORY_FOLDER) ? basename(project) : null
  },
  summaries: 'beside',
  ledger: { pathOf: ledgerPath, roleOf },
  label: () => 'decapod',
  detect: (probe) =>
    probe.has('originals_index') && probe.has('summaries', 'summary_hash') && probe.has('summaries', 'original_hashes'),
  version: () => null,
  capabilities: () => ({
    parts: true,
    files: false,
    runs: false,
    storedWindow: false,
    derivedWindow: 'decapod keeps no window and has no rule for one: every message is in it.',
    freeSummaries: true,
    levels: true,
    fullTextIndex: false,
    substringIndex: false,
  }),
  lacks,
  views,
  deriving,
  companions: (realPath) => [ledgerPath(realPath)],
} satisfies ForeignSystem

/** The folder of the memory within that of a project. */
const MEMORY_FOLDER = ['.decapod', 'data']

/** Whoever is not known to be a tool, a person or the system is taken for an agent. */
function roleOf({ kind, actor }: { readonly kind: string; readonly actor: string }): Role {
  if (kind === 'tool_result') return 'tool'
  if (kind === 'event') return 'system'
  if (/^(human|user)\b/i.test(actor)) return 'user'
  return /^system\b/i.test(actor) ? 'system' : 'assistant'
}

function lacks(_probe: SchemaProbe, source: Source): string[] {
  return [
    ...ledgerFacts(source.db, source.realPath),
    ...unshownRows(source, queries.shown),
    'No window is stored and decapod has no rule for one: every message is shown as if it were in it.',
    'Summaries stand side by side: none is made of others, they overlap, and those of everything go over several sessions.',
    'Tool calls are not recorded, and a result does not name its call.',
  ]
}

type Counts = { readonly indexed: number; readonly unread: number; readonly unlisted: number }

function ledgerFacts(db: Source['db'], realPath: string): string[] {
  const ledger = ledgerState(db)
  const { indexed, unread, unlisted } = { indexed: 0, unread: 0, unlisted: 0, ...db.get<Counts>(queries.counts) }
  if (!ledger) {
    return [
      `The ledger ${ledgerPath(realPath)} is not there: what was said stands in it alone, so that all ${indexed} messages are shown without their text.`,
    ]
  }
  const facts = [
    `The ledger holds ${ledger.events + ledger.unended} events; a content that was recorded again is one message, and the index lists ${indexed}.`,
  ]
  if (unlisted > 0) facts.push(`${unlisted} messages stand in the ledger and not in the index.`)
  if (unread > 0) facts.push(`${unread} messages that the index lists are shown without a text: the ledger lacks them.`)
  if (ledger.unreadable > 0) facts.push(`${ledger.unreadable} lines of the ledger cannot be read.`)
  return facts
}

function* deriving(source: Source): Generator<void> {
  const { db, probe } = source
  haveDerivedTables(db)
  db.exec(STATE)
  const { isGrown, lines } = yield* readingOriginals(source)
  yield
  const stamp = yield* readingLineageStamp(source)
  const known = isGrown ? db.value<string>(queries.lineage) : undefined
  if (known === stamp && !db.value(queries.hasMissingSource)) return
  clearDerived(db, 'lineage')
  yield* fillingLinks(db, probe, lines)
  yield* inRanges(
    db,
    (last) => db.value(queries.nextSummary, { last }),
    BEFORE_ALL,
    (range) => db.run(summaries(probe), range),
  )
  db.run(queries.forgetLineage)
  db.run(queries.keepLineage, { stamp })
}

/** What the summaries were when their links were made. */
const STATE = /* sql */ `CREATE TEMP TABLE IF NOT EXISTS decapod_lineage (stamp TEXT NOT NULL)`

/** Returns a hash of all that the summaries and their links are made from. */
function* readingLineageStamp({ db, probe }: Source): Generator<void, string> {
  const column = columnsOf(probe, 'summaries', 's')
  const columns = ['summary_hash', 'original_hashes', 'ts', 'token_estimate'].map((name) => column(name))
  const hash = startSha1().update(String(db.value(queries.conversations)))
  const rows = db.iterateRows(/* sql */ `SELECT s.rowid, ${columns.join(', ')} FROM main.summaries AS s`)
  let read = 0
  for (const row of rows) {
    hash.update(JSON.stringify(row))
    read += 1
    if (read % SUMMARIES_AT_ONCE === 0) yield
  }
  return hash.digest('hex')
}

const SUMMARY_ID = `coalesce(${asId('s.summary_hash')}, 'row_' || s.rowid)`

/** The system makes all its summaries without a model. */
function summaries(probe: SchemaProbe): string {
  const column = columnsOf(probe, 'summaries', 's')
  return /* sql */ `
    INSERT OR IGNORE INTO temp.derived_summaries
      (summary_rowid, summary_id, conversation_id, kind, depth, token_count, created_at, level)
    SELECT s.rowid, ${SUMMARY_ID},
      -- It belongs where most of its sources do.
      coalesce(
        (SELECT d.conversation_id
          FROM temp.derived_summary_messages AS e JOIN temp.derived_messages AS d ON d.message_id = e.message_id
          WHERE e.summary_id = ${SUMMARY_ID}
          GROUP BY d.conversation_id ORDER BY count(*) DESC, min(e.ordinal) LIMIT 1),
        (SELECT max(c.conversation_id) FROM temp.derived_conversations AS c)
      ),
      'leaf', 0, ${asCount(column('token_estimate'))}, ${timeMs(asText(column('ts')))}, 'deterministic'
    FROM main.summaries AS s
    WHERE s.rowid > :last AND s.rowid <= :end`
}

type SummaryHashes = readonly [row: number, summaryId: string, hashes: string]

/** Finds sources by their hashes. A hash that no content has keeps its place under a number that no message has. */
function* fillingLinks(db: Source['db'], probe: SchemaProbe, lines: ContentLines): Generator<void> {
  const inserter = new RowInserter(db, 'temp.derived_summary_messages (summary_id, message_id, ordinal)', 3)
  const hashes = columnsOf(probe, 'summaries', 's')('original_hashes')
  for (let last = BEFORE_ALL; ; ) {
    // Rows are read in one piece: while they are stepped through, one of the drivers lets nothing be written.
    const rows = db.rows<SummaryHashes>(queries.listed(hashes), { last })
    for (const [row, summaryId, list] of rows) {
      const seen = new Set<unknown>()
      // SQLite reads a text up to a NUL only, and so may take one for a list that is none.
      jsonElements(list).forEach((value, place) => {
        if (seen.has(value)) return
        seen.add(value)
        const line = value === null ? null : lines.of(typeof value === 'object' ? JSON.stringify(value) : String(value))
        inserter.add(summaryId, line ?? 2 * STAND_IN + row * MOST_SOURCES + place, place)
      })
    }
    if (rows.length < SUMMARIES_AT_ONCE) break
    last = nextKey(db, 'the rows of summaries', last, rows.at(-1)?.[0])
    yield
  }
  inserter.end()
}

/** Enough to tell the missing sources of one summary from those of the next. */
const MOST_SOURCES = 1_000_000

/** Summaries whose sources are read without a pause. */
const SUMMARIES_AT_ONCE = 200

const queries = {
  shown: {
    originals_index: /* sql */ `SELECT count(index_row) FROM temp.decapod_lines`,
    summaries: /* sql */ `SELECT count(*) FROM temp.derived_summaries`,
  },
  /** Reads only lists that are valid JSON. */
  listed: (hashes: string) => /* sql */ `
    SELECT s.rowid, ${SUMMARY_ID}, ${asText(hashes)} FROM main.summaries AS s
    WHERE s.rowid > :last AND CASE WHEN json_valid(${hashes}) THEN json_type(${hashes}) = 'array' END
    ORDER BY s.rowid
    LIMIT ${SUMMARIES_AT_ONCE}`,
  nextSummary: /* sql */ `SELECT min(rowid) FROM main.summaries WHERE rowid > :last`,
  counts: /* sql */ `
    SELECT (SELECT count(*) FROM main.originals_index) AS indexed,
      (SELECT count(*) FROM temp.decapod_lines WHERE at IS NULL) AS unread,
      (SELECT count(*) FROM temp.decapod_lines WHERE index_row IS NULL) AS unlisted`,
  conversations: /* sql */ `SELECT count(*) FROM temp.derived_conversations`,
  lineage: /* sql */ `SELECT stamp FROM temp.decapod_lineage`,
  forgetLineage: /* sql */ `DELETE FROM temp.decapod_lineage`,
  keepLineage: /* sql */ `INSERT INTO temp.decapod_lineage (stamp) VALUES (:stamp)`,
  /** Whether a source was missing, which may have come since. */
  hasMissingSource: /* sql */ `SELECT 1 FROM temp.derived_summary_messages WHERE message_id >= ${2 * STAND_IN} LIMIT 1`,
}

/** The text of a message. It is empty, not NULL, where the ledger does not hold it, and `lacks` says so. */
const TEXT = `coalesce(
    (SELECT decapod_text(l.at, l.bytes, l.hash) FROM temp.decapod_lines AS l WHERE l.line = d.message_id), '')`

function views(probe: SchemaProbe): string {
  requireRowids(probe, 'decapod', ['originals_index', 'summaries'])
  const kind = toldKind(probe, 'kind')
  return [
    derivedViews({
      importer: 'decapod',
      showsAllMessages: true,
      messageContent: TEXT,
      messageName: 'd.external_id',
      messageHash: `(SELECT iif(l.at IS NULL, NULL, ${shownHash('l.hash')}) FROM temp.decapod_lines AS l WHERE l.line = d.message_id)`,
      summaryContent: probe.has('summaries', 'summary_text')
        ? `(SELECT ${asText('t.summary_text')} FROM main.summaries AS t WHERE t.rowid = s.summary_rowid)`
        : `''`,
    }),
    view(
      'message_parts',
      {
        part_id: `'msg_' || l.line || '/0'`,
        message_id: 'l.line',
        session_id: `(SELECT c.session_id FROM temp.derived_messages AS d
          JOIN temp.derived_conversations AS c ON c.conversation_id = d.conversation_id
          WHERE d.message_id = l.line)`,
        part_type: `CASE ${kind} WHEN 'tool_result' THEN 'tool' WHEN 'artifact' THEN 'file' ELSE 'text' END`,
        ordinal: '0',
        is_content: '1',
        is_ignored: '0',
        is_synthetic: '0',
        tool_name: `iif(${kind} = 'tool_result', iif(f.source LIKE 'tool:%', substr(f.source, 6), f.source), NULL)`,
        file_name: `iif(${kind} = 'artifact', f.source, NULL)`,
        metadata: `json_object('kind', ${kind}, 'actor', ${toldKind(probe, 'actor')}, 'source', f.source)`,
      },
      originals(),
    ),
    view('message_names', { external_id: 'd.external_id', message_id: 'd.message_id' }, 'temp.derived_messages AS d'),
    MESSAGE_TEXT_VIEW,
  ].join('')
}
