import { createHash } from 'node:crypto'
import { type Check, type CheckContext, type Finding, findByQuery, nativeOnly } from './check.ts'

const queries = {
  hashes: `
    SELECT message_id AS messageId, conversation_id AS conversationId, content_hash AS hash, content
    FROM messages
    WHERE :conversation IS NULL OR conversation_id = :conversation`,
  empty: `
    SELECT summary_id AS id, conversation_id AS conversationId, kind || ' depth ' || depth AS detail
    FROM summaries
    WHERE trim(content) = '' AND (:conversation IS NULL OR conversation_id = :conversation)`,
  counts: `
    SELECT s.summary_id AS id, s.conversation_id AS conversationId, s.kind AS kind, s.descendant_count AS stored,
      CASE s.kind
        WHEN 'leaf' THEN 0
        ELSE (SELECT sum(o.descendant_count + 1) FROM summary_sources AS e
          JOIN summaries AS o ON o.summary_id = e.source_summary_id WHERE e.summary_id = s.summary_id)
      END AS counted
    FROM summaries AS s
    WHERE :conversation IS NULL OR s.conversation_id = :conversation`,
  ranges: `
    SELECT summary_id AS id, conversation_id AS conversationId, earliest_at AS earliestAtMs, latest_at AS latestAtMs
    FROM summaries
    WHERE :conversation IS NULL OR conversation_id = :conversation`,
  notSmaller: `
    SELECT summary_id AS id, conversation_id AS conversationId,
      token_count || ' tokens for ' || source_token_count || ' tokens of messages' AS detail
    FROM summaries
    WHERE source_token_count > 0 AND token_count >= source_token_count
      AND (:conversation IS NULL OR conversation_id = :conversation)`,
}

function* findWrongHashes({ db, conversationId }: CheckContext): Iterable<Finding | null> {
  type Row = { messageId: number; conversationId: number; hash: string; content: string }
  for (const row of db.iterate<Row>(queries.hashes, { conversation: conversationId })) {
    const isSame = createHash('sha256').update(row.content).digest('hex') === row.hash
    yield isSame
      ? null
      : {
          id: `msg_${row.messageId}`,
          conversationId: row.conversationId,
          detail: 'the text is not the one that was stored',
        }
  }
}

function* findWrongCounts({ db, conversationId }: CheckContext): Iterable<Finding | null> {
  type Row = { id: string; conversationId: number; stored: number; counted: number | null }
  for (const row of db.iterate<Row>(queries.counts, { conversation: conversationId })) {
    if (row.stored === (row.counted ?? 0)) yield null
    else
      yield {
        id: row.id,
        conversationId: row.conversationId,
        detail: `stores ${row.stored}, its sources give ${row.counted ?? 0}`,
      }
  }
}

function* findWrongRanges({ db, dag, conversationId }: CheckContext): Iterable<Finding | null> {
  type Row = { id: string; conversationId: number; earliestAtMs: number | null; latestAtMs: number | null }
  for (const row of db.all<Row>(queries.ranges, { conversation: conversationId })) {
    const range = dag().ranges.get(row.id)
    if (!range || row.earliestAtMs === null || row.latestAtMs === null) yield null
    else if (row.earliestAtMs === range.earliestAtMs && row.latestAtMs === range.latestAtMs) yield null
    else yield { id: row.id, conversationId: row.conversationId, detail: 'its time range is not that of its messages' }
  }
}

export const contentChecks: readonly Check[] = [
  {
    id: 'content_hash',
    group: 'content',
    severity: 'error',
    invariant: 'The text of every message has the hash that was stored with it.',
    explanation: 'These messages were changed after they were stored, although messages are never changed.',
    repairable: false,
    notApplicable: nativeOnly('a hash of every message'),
    find: findWrongHashes,
  },
  {
    id: 'empty_summary',
    group: 'content',
    severity: 'error',
    invariant: 'Every summary says something.',
    explanation: 'An empty summary stands for history in the window: the model is told nothing of it.',
    repairable: false,
    find: (context) => findByQuery(context, queries.empty),
  },
  {
    id: 'descendant_count',
    group: 'content',
    severity: 'warning',
    invariant: 'The stored number of descendants is the number that the sources give.',
    explanation: 'Views and agents are told a wrong size of what a summary stands for.',
    repairable: true,
    notApplicable: nativeOnly('comparable numbers of descendants'),
    find: findWrongCounts,
  },
  {
    id: 'time_range',
    group: 'content',
    severity: 'warning',
    invariant: 'The time range of a summary is that of the messages beneath it.',
    explanation: 'Searching by time misses these summaries or finds them where they do not belong.',
    repairable: true,
    notApplicable: nativeOnly('comparable time ranges'),
    find: findWrongRanges,
  },
  {
    id: 'not_smaller_than_sources',
    group: 'content',
    severity: 'warning',
    invariant: 'A summary has fewer tokens than what it stands for.',
    explanation: 'Compaction made the window larger here instead of smaller.',
    repairable: false,
    notApplicable: nativeOnly('comparable token counts'),
    find: (context) => findByQuery(context, queries.notSmaller),
  },
]
