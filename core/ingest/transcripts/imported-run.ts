import type { WriteDb } from '../../sqlite/read-db.ts'
import { prunedInWindows } from '../../systems/pruned-outputs.ts'

const queries = {
  begin: /* sql */ `
    INSERT INTO compaction_runs
      (run_id, conversation_id, reason, mode, summarizer, configuration, owner, started_at, finished_at, tokens_before,
       tokens_after, stop_reason)
    VALUES (:runId, :conversationId, :reason, :mode, :importer, :configuration, 'import', :atMs, :atMs, :tokensBefore,
       :tokensBefore, 'imported')`,
  finish: /* sql */ `
    UPDATE compaction_runs SET tokens_after = (
      SELECT coalesce(sum(coalesce(m.token_count, s.token_count)), 0)
      FROM context_items AS c
      LEFT JOIN messages AS m ON m.message_id = c.message_id
      LEFT JOIN summaries AS s ON s.summary_id = c.summary_id
      WHERE c.conversation_id = :conversationId
    ) - CAST(:pruned AS INTEGER) WHERE run_id = :runId`,
  events: /* sql */ `
    SELECT e.summary_id AS summaryId, e.removed AS removed, c.ordinal IS NOT NULL AS isInWindow
    FROM compaction_events AS e
    LEFT JOIN context_items AS c ON c.conversation_id = e.conversation_id AND c.summary_id = e.summary_id
    WHERE e.run_id = :runId
    ORDER BY e.event_id DESC`,
  takeOut: /* sql */ `
    DELETE FROM context_items WHERE conversation_id = :conversationId AND summary_id = :summaryId`,
  putBack: /* sql */ `
    INSERT INTO context_items (conversation_id, ordinal, item_type, message_id, summary_id, created_at)
    SELECT :conversationId, (SELECT coalesce(max(ordinal), 0) + 1 FROM context_items
        WHERE conversation_id = :conversationId) + key, value ->> 1,
      iif(value ->> 1 = 'message', CAST(substr(value ->> 2, 5) AS INTEGER), NULL),
      iif(value ->> 1 = 'summary', value ->> 2, NULL), value ->> 3
    FROM json_each(:removed)`,
  // In two steps, because two items never have the same place.
  makeRoom: /* sql */ `
    UPDATE context_items SET ordinal = ordinal + (SELECT max(ordinal) + 1 FROM context_items
      WHERE conversation_id = :conversationId)
    WHERE conversation_id = :conversationId`,
  // A summary stands where the first message stood that it is for.
  order: `
    UPDATE context_items AS c SET ordinal = p.place
    FROM (
      SELECT i.ordinal AS ordinal, row_number() OVER (ORDER BY coalesce(m.seq, (
        WITH RECURSIVE below (summary_id) AS (
          VALUES (i.summary_id)
          UNION
          SELECT e.source_summary_id FROM below AS b JOIN summary_sources AS e ON e.summary_id = b.summary_id
        )
        SELECT min(o.seq)
        FROM below AS b
        JOIN summary_messages AS l ON l.summary_id = b.summary_id
        JOIN messages AS o ON o.message_id = l.message_id
      )), i.ordinal) - 1 AS place
      FROM context_items AS i LEFT JOIN messages AS m ON m.message_id = i.message_id
      WHERE i.conversation_id = :conversationId
    ) AS p
    WHERE c.conversation_id = :conversationId AND c.ordinal = p.ordinal`,
  removeEvents: /* sql */ `
    DELETE FROM compaction_events WHERE run_id = :runId`,
  removeRun: /* sql */ `
    DELETE FROM compaction_runs WHERE run_id = :runId`,
  removeNode: /* sql */ `
    DELETE FROM summaries WHERE summary_id = :summaryId`,
}

/** What an agent did to its window, as a run of the event log. */
export type ImportedRun = {
  readonly runId: string
  readonly conversationId: number
  readonly importer: string
  /** `branch`: a branch was given up. */
  readonly mode: 'full' | 'branch'
  readonly reason: 'threshold' | 'manual'
  readonly configuration: Readonly<Record<string, unknown>>
  readonly atMs: number
  readonly tokensBefore: number
}

export function beginImportedRun(db: WriteDb, run: ImportedRun): void {
  db.run(queries.begin, { ...run, configuration: JSON.stringify(run.configuration), atMs: Math.round(run.atMs) })
}

/** To be called when the window is what the run made of it. */
export function finishImportedRun(db: WriteDb, runId: string, conversationId: number): void {
  const pruned = prunedInWindows(db, conversationId).get(conversationId) ?? 0
  db.run(queries.finish, { runId, conversationId, pruned })
}

/**
 * Puts the window back to what it was before a run, and forgets the run and its nodes. False, and nothing changed, when
 * what it made is no longer in the window: somebody has compacted it further, or dissolved it.
 */
export function undoImportedRun(db: WriteDb, runId: string, conversationId: number): boolean {
  type Made = { summaryId: string; removed: string; isInWindow: number }
  const made = db.all<Made>(queries.events, { runId })
  if (made[0]?.isInWindow !== 1) return false
  for (const { summaryId, removed } of made) {
    db.run(queries.takeOut, { conversationId, summaryId })
    db.run(queries.putBack, { conversationId, removed })
  }
  // What has come since may stand where it stood.
  db.run(queries.makeRoom, { conversationId })
  db.run(queries.order, { conversationId })
  db.run(queries.removeEvents, { runId })
  db.run(queries.removeRun, { runId })
  for (const { summaryId } of made) db.run(queries.removeNode, { summaryId })
  return true
}
