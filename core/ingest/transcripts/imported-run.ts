import type { WriteDb } from '#core/sqlite/read-db.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { prunedInWindows } from '#core/systems/reading/pruned-outputs.ts'

const queries = {
  begin: /* sql */ `
    INSERT INTO compaction_runs
      (run_id, conversation_id, reason, mode, summarizer, configuration, owner, started_at, finished_at, tokens_before,
       tokens_after, stop_reason)
    VALUES (:runId, :conversationId, :reason, 'full', :importer, :configuration, 'import', :atMs, :atMs, :tokensBefore,
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
  // The shift takes two steps, because two items never have the same ordinal.
  makeRoom: /* sql */ `
    UPDATE context_items SET ordinal = ordinal + (SELECT max(ordinal) + 1 FROM context_items
      WHERE conversation_id = :conversationId)
    WHERE conversation_id = :conversationId`,
  place: /* sql */ `
    UPDATE context_items AS c SET ordinal = p.key
    FROM json_each(:ordinals) AS p
    WHERE c.conversation_id = :conversationId AND c.ordinal = p.value`,
  removeEvents: /* sql */ `
    DELETE FROM compaction_events WHERE run_id = :runId`,
  removeRun: /* sql */ `
    DELETE FROM compaction_runs WHERE run_id = :runId`,
  removeNode: /* sql */ `
    DELETE FROM summaries WHERE summary_id = :summaryId`,
}

/** A change that an agent made to its window is recorded as a run of the event log. */
export type ImportedRun = {
  readonly runId: string
  readonly conversationId: number
  readonly importer: string
  readonly reason: 'threshold' | 'manual'
  readonly configuration: Readonly<Record<string, unknown>>
  readonly atMs: number
  readonly tokensBefore: number
}

export function beginImportedRun(db: WriteDb, run: ImportedRun): void {
  db.run(queries.begin, { ...run, configuration: JSON.stringify(run.configuration), atMs: Math.round(run.atMs) })
}

/** Completes the run. It is called when the window is as the run left it. */
export function finishImportedRun(db: WriteDb, runId: string, conversationId: number): void {
  const pruned = prunedInWindows(db, conversationId).get(conversationId) ?? 0
  db.run(queries.finish, { runId, conversationId, pruned })
}

/**
 * Restores the window from before a run, and deletes the run and its nodes. Returns false and changes nothing when its
 * node is not in the window any more, because it was compacted further or dissolved.
 */
export function undoImportedRun(db: WriteDb, runId: string, conversationId: number): boolean {
  type Made = { summaryId: string; removed: string; isInWindow: number }
  const made = db.all<Made>(queries.events, { runId })
  if (made[0]?.isInWindow !== 1) return false
  for (const { summaryId, removed } of made) {
    db.run(queries.takeOut, { conversationId, summaryId })
    db.run(queries.putBack, { conversationId, removed })
  }
  // Later items may have taken its ordinals.
  db.run(queries.makeRoom, { conversationId })
  db.run(queries.place, { conversationId, ordinals: JSON.stringify(ordinalsInOrder(db, conversationId)) })
  db.run(queries.removeEvents, { runId })
  db.run(queries.removeRun, { runId })
  for (const { summaryId } of made) db.run(queries.removeNode, { summaryId })
  return true
}

/** The ordinals of the window, with each summary at the place of its first message. */
function ordinalsInOrder(db: WriteDb, conversationId: number): number[] {
  const { messages, window, coverage } = new MemoryReader(db).memory(conversationId)
  const items = Array.from({ length: window.length }, (_, item) => {
    const seq = messages.seqs[window.positionAt(item)] ?? coverage.seqRange(window.nodeAt(item))?.firstSeq
    return { ordinal: window.ordinals[item] as number, seq: seq ?? Number.NEGATIVE_INFINITY }
  })
  return items.sort((a, b) => (a.seq === b.seq ? a.ordinal - b.ordinal : a.seq - b.seq)).map(({ ordinal }) => ordinal)
}
