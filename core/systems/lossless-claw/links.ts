import { nextKey } from '#core/sqlite/keyset.ts'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import type { PreparableDb } from '#core/sqlite/uri-db.ts'
import { BEFORE_ALL } from '../deriving/derived-tables.ts'

/** A file of the family. `named` puts empty tables in the place of those that the file has lost. */
export type LosslessFile = {
  readonly db: PreparableDb
  readonly probe: SchemaProbe
  readonly named: (sql: string) => string
}

/** Links between two yields, each with a row and two entries of indexes. */
const LINKS_AT_ONCE = 2000

const queries = {
  // Copying the links first and indexing them afterwards would be quicker, but it could not be interrupted.
  make: /* sql */ `
    DROP TABLE IF EXISTS temp.lossless_links;
    CREATE TEMP TABLE lossless_links (summary_id TEXT, message_id INTEGER, ordinal INTEGER);
    CREATE INDEX temp.lossless_links_summary ON lossless_links (summary_id, message_id, ordinal);
    CREATE INDEX temp.lossless_links_message ON lossless_links (message_id, summary_id);`,
  fill: (where: string) => /* sql */ `
    INSERT INTO temp.lossless_links (summary_id, message_id, ordinal)
    SELECT l.summary_id, l.message_id, l.ordinal FROM main.summary_messages AS l ${where}`,
  end: /* sql */ `
    SELECT max(row) FROM (
      SELECT rowid AS row FROM main.summary_messages WHERE rowid > :last ORDER BY rowid LIMIT CAST(:limit AS INTEGER)
    )`,
}

/**
 * Copies the links to messages with an index by message, for files that could only tell which leaf stands for a message
 * by reading all of them.
 */
export function* fillingLinks(file: LosslessFile): Generator<void> {
  file.db.exec(queries.make)
  for (const { where, params } of linkRanges(file, LINKS_AT_ONCE)) {
    file.db.run(file.named(queries.fill(where)), params)
    yield
  }
}

/** SQL that limits the links `l`, and its parameters. */
type LinkRange = { readonly where: string; readonly params: Readonly<Record<string, number>> }

/** Divides the links of a file into ranges of row numbers. Links without row numbers are a single range. */
export function* linkRanges({ db, probe }: LosslessFile, limit: number): Generator<LinkRange> {
  if (!probe.has('summary_messages') || !probe.hasRowids('summary_messages')) {
    yield { where: '', params: {} }
    return
  }
  for (let last = BEFORE_ALL; ; ) {
    const end = db.value<number | null>(queries.end, { last, limit })
    if (end == null) return
    const next = nextKey(db, 'the numbers of links', last, end)
    yield { where: 'WHERE l.rowid > :last AND l.rowid <= :end', params: { last, end: next } }
    last = next
  }
}
