import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import type { Source } from '../system.ts'
import { LOSSLESS_LOG } from './compaction-log.ts'
import { fillingLinks } from './links.ts'
import { makeEmptyTables, withEmptyTables } from './lost-tables.ts'
import { fillingRanges } from './ranges.ts'

/** Deeper than any lineage is; ends the walk on a cycle. */
const MAX_DEPTH = 100

/** Every summary with every summary that it reaches through its sources, itself included. UNION ends on cycles. */
const REACHED = `reached (top, id) AS (
  SELECT summary_id, summary_id FROM main.summaries
  UNION
  SELECT b.top, e.parent_summary_id FROM reached AS b JOIN main.summary_parents AS e ON e.summary_id = b.id
)`

/** One more than the deepest source, for releases that store no depth. */
const DEPTHS = /* sql */ `
DROP TABLE IF EXISTS temp.lossless_depths;
CREATE TEMP TABLE lossless_depths (summary_id TEXT PRIMARY KEY, depth INTEGER) WITHOUT ROWID;
INSERT INTO temp.lossless_depths
WITH RECURSIVE risen (id, depth) AS (
  SELECT summary_id, iif(kind = 'leaf', 0, 1) FROM main.summaries
  UNION
  SELECT e.summary_id, r.depth + 1 FROM risen AS r JOIN main.summary_parents AS e ON e.parent_summary_id = r.id
  WHERE r.depth < ${MAX_DEPTH}
)
SELECT id, max(depth) FROM risen WHERE typeof(id) = 'text' GROUP BY id;
`

const DESCENDANTS = /* sql */ `
DROP TABLE IF EXISTS temp.lossless_descendants;
CREATE TEMP TABLE lossless_descendants (summary_id TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID;
INSERT INTO temp.lossless_descendants
WITH RECURSIVE ${REACHED}
SELECT top, count(*) - 1 FROM reached WHERE typeof(top) = 'text' GROUP BY top;
`

/** Which node stands for a summary, where the file could only tell by reading all links. */
const SOURCES = /* sql */ `
DROP TABLE IF EXISTS temp.lossless_sources;
CREATE TEMP TABLE lossless_sources AS SELECT summary_id, parent_summary_id, ordinal FROM main.summary_parents;
CREATE INDEX temp.lossless_sources_summary ON lossless_sources (summary_id, parent_summary_id, ordinal);
CREATE INDEX temp.lossless_sources_source ON lossless_sources (parent_summary_id, summary_id);
`

export type LosslessOptions = {
  readonly importer: string
  /** The file's own time ranges cannot be trusted. */
  readonly recomputesRanges: boolean
}

/** What has to be derived, since this file's tables lack it. */
export function losslessLacks(probe: SchemaProbe, { recomputesRanges }: LosslessOptions) {
  return {
    links: !probe.isIndexed('summary_messages', 'message_id'),
    sources: !probe.isIndexed('summary_parents', 'parent_summary_id'),
    log: probe.has('message_parts', 'metadata'),
    ranges: recomputesRanges || !probe.has('summaries', 'earliest_at') || !probe.has('summaries', 'latest_at'),
    depths: !probe.has('summaries', 'depth'),
    descendants: !probe.has('summaries', 'descendant_count'),
  }
}

/** Fills the TEMP tables that `losslessViews` looks into. It can run again. */
export function* derivingLossless({ db, probe }: Source, options: LosslessOptions): Generator<void> {
  const { links, sources, log, ranges, depths, descendants } = losslessLacks(probe, options)
  const named = (sql: string): string => withEmptyTables(probe, sql)
  db.exec(makeEmptyTables(probe))
  const files = { db, probe, named }
  if (links) yield* fillingLinks(files)
  const scripts = [
    ...(sources ? [SOURCES] : []),
    ...(log ? [LOSSLESS_LOG] : []),
    ...(depths ? [DEPTHS] : []),
    ...(descendants ? [DESCENDANTS] : []),
  ]
  for (const script of scripts) {
    db.exec(named(script))
    yield
  }
  if (ranges) yield* fillingRanges(files)
}

/** What a release may lack, and how it is shown all the same. */
const SENTENCES: readonly { readonly table: string; readonly column?: string; readonly sentence: string }[] = [
  { table: 'message_parts', sentence: 'No tool calls and no reasoning: messages are text only.' },
  { table: 'large_files', sentence: 'No large files.' },
  { table: 'summaries', column: 'depth', sentence: 'No depth of summaries: it is worked out from their sources.' },
  {
    table: 'summaries',
    column: 'descendant_count',
    sentence: 'No number of descendants: they are counted.',
  },
  {
    table: 'summaries',
    column: 'earliest_at',
    sentence: 'No time range of summaries: it is that of the messages that they stand for.',
  },
  {
    table: 'summaries',
    column: 'source_message_token_count',
    sentence: 'No size of what a summary stands for: the tokens of its messages are added up.',
  },
  { table: 'summaries', column: 'model', sentence: 'Which model wrote a summary is not recorded.' },
  { table: 'conversations', column: 'archived_at', sentence: 'Which conversations were put aside is not recorded.' },
  {
    table: 'messages',
    column: 'transcript_entry_id',
    sentence: "Which entry of the agent's transcript a message came from is not recorded.",
  },
]

/** What this file does not record, a sentence each. */
export const losslessMissing = (probe: SchemaProbe): string[] =>
  SENTENCES.filter(({ table, column }) => !probe.has(table, column)).map(({ sentence }) => sentence)
