import type { SqlValue } from '#core/sqlite/read-db.ts'
import { textTimeMs } from '../deriving/canonical.ts'
import { RowInserter } from '../deriving/row-inserter.ts'
import { type LosslessFile, linkRanges } from './links.ts'

/** Links between two yields. The time of the message is parsed for each. */
const LINKS_AT_ONCE = 2000
/** Summaries between two yields while ranges rise to their dependents. */
const SUMMARIES_AT_ONCE = 4000

const queries = {
  make: /* sql */ `
    DROP TABLE IF EXISTS temp.lossless_ranges;
    CREATE TEMP TABLE lossless_ranges (summary_id TEXT PRIMARY KEY, earliest_at INTEGER, latest_at INTEGER)
      WITHOUT ROWID;`,
  /** The LIMIT has SQLite compute each time once, and not once for each aggregate. */
  ofLinks: (where: string) => /* sql */ `
    SELECT id, min(at), max(at)
    FROM (
      SELECT l.summary_id AS id, ${textTimeMs('m.created_at')} AS at
      FROM main.summary_messages AS l
      CROSS JOIN main.messages AS m ON m.message_id = l.message_id
      ${where}
      LIMIT -1
    )
    GROUP BY id`,
  sources: /* sql */ `SELECT parent_summary_id, summary_id FROM main.summary_parents`,
}

type Range = { earliest: number | null; latest: number | null }

/** Times of the messages that a summary stands for, where the file has none or wrong ones. They rise from the leaves. */
export function* fillingRanges(file: LosslessFile): Generator<void> {
  const { db, named } = file
  db.exec(queries.make)
  const ranges = new Map<SqlValue, Range>()
  for (const { where, params } of linkRanges(file, LINKS_AT_ONCE)) {
    for (const [id, earliest, latest] of db.rows<[SqlValue, number | null, number | null]>(
      named(queries.ofLinks(where)),
      params,
    )) {
      widen(ranges, id, { earliest, latest })
    }
    yield
  }
  yield* rising(ranges, db.rows<[SqlValue, SqlValue]>(named(queries.sources)))
  const inserter = new RowInserter(db, 'temp.lossless_ranges (summary_id, earliest_at, latest_at)', 3)
  let rows = 0
  for (const [id, { earliest, latest }] of ranges) {
    if (typeof id === 'string') inserter.add(id, earliest, latest)
    rows += 1
    if (rows % SUMMARIES_AT_ONCE === 0) yield
  }
  inserter.end()
  yield
}

/** Widens the ranges of dependents until nothing changes, which also ends on cycles. */
function* rising(ranges: Map<SqlValue, Range>, links: readonly (readonly [SqlValue, SqlValue])[]): Generator<void> {
  const dependents = Map.groupBy(links, ([source]) => source)
  const open = [...ranges.keys()]
  for (let next = 0; next < open.length; next += 1) {
    const id = open[next] ?? null
    const range = ranges.get(id)
    for (const [, dependent] of dependents.get(id) ?? []) {
      if (range && widen(ranges, dependent, range)) open.push(dependent)
    }
    if (next % SUMMARIES_AT_ONCE === 0) yield
  }
}

/** Returns whether the range of a summary has changed. */
function widen(ranges: Map<SqlValue, Range>, id: SqlValue, { earliest, latest }: Range): boolean {
  const range = ranges.get(id)
  if (!range) {
    ranges.set(id, { earliest, latest })
    return true
  }
  const isEarlier = earliest !== null && (range.earliest === null || earliest < range.earliest)
  const isLater = latest !== null && (range.latest === null || latest > range.latest)
  if (isEarlier) range.earliest = earliest
  if (isLater) range.latest = latest
  return isEarlier || isLater
}
