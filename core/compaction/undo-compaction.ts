import type { Clock } from '../clock.ts'
import type { CompactionUndo, UndoCompactionInput, UndoneCompaction } from '../contract/compaction.ts'
import { LcmError } from '../errors.ts'
import { elapsedMs, logEvent, memoryKey } from '../log.ts'
import { areIndexesSound, fillIndexes } from '../sqlite/fill-indexes.ts'
import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import { withoutTriggers } from '../sqlite/take-triggers.ts'
import { UNDONE } from '../systems/records/runs.ts'
import { recordSurgery } from '../systems/records/surgery-log.ts'
import type { KeptWindow } from '../window/kept-window.ts'
import { refuseLocked } from './conversation-lock.ts'
import { closeCutOffRuns } from './cut-off-runs.ts'
import { findRun, findUndoing, placement, type Undoing } from './find-undoing.ts'

const queries = {
  texts: /* sql */ `
    SELECT summary_id AS id, depth, token_count AS tokens, level, model, prompt_version AS promptVersion, content AS text
    FROM summaries
    WHERE summary_id IN (SELECT value FROM json_each(:ids))
    ORDER BY summary_rowid`,
  takeOut: /* sql */ `
    DELETE FROM context_items
    WHERE conversation_id = :conversationId AND ordinal IN (SELECT value FROM json_each(:ordinals))`,
  putIn: /* sql */ `
    INSERT INTO context_items (conversation_id, ordinal, item_type, message_id, summary_id, created_at)
    SELECT :conversationId, value ->> 0, iif(value ->> 1 IS NULL, 'summary', 'message'), value ->> 1, value ->> 2,
      value ->> 3
    FROM json_each(:entries)`,
  removeSummary: /* sql */ `DELETE FROM summaries WHERE summary_id = :id`,
  mark: /* sql */ `UPDATE compaction_runs SET stop_reason = '${UNDONE}' WHERE run_id = :runId`,
} as const

export type CompactionUndoerOptions = {
  readonly db: ReadDb
  readonly windows: KeptWindow
  readonly clock: Clock
  /** Names this process in the record. */
  readonly owner: string
  /** Returns the writable connection, or throws the reason why there is none. */
  readonly requireWrite: (what: string) => WriteDb
}

/**
 * Takes a compaction run back: removes the summaries that it made, and puts the window back as it was before. A
 * compaction adds summaries and changes the window, so that nothing else has to be undone. What came since stays where
 * it is. When something was built upon the run, it is refused with the reason.
 */
export class CompactionUndoer {
  readonly #options: CompactionUndoerOptions

  constructor(options: CompactionUndoerOptions) {
    this.#options = options
  }

  /**
   * Returns what `undo` would do with the same input, or why it would refuse. Nothing is written.
   * @throws LcmError not_found
   */
  plan(input: UndoCompactionInput): CompactionUndo {
    const { db, windows } = this.#options
    return readSnapshot(db, () => {
      const { conversationId } = input
      const tokens = windows.of(conversationId).window.tokens
      const found = findUndoing(db, input)
      if ('message' in found) {
        const run = findRun(db, input)
        return {
          ...{ conversationId, runId: run?.runId ?? input.runId ?? null, startedAtMs: run?.startedAtMs ?? null },
          ...{ summaries: [], messagesBack: 0, summariesBack: 0, keptMessages: 0 },
          ...{ tokensBefore: tokens, tokensAfter: tokens, refusal: found.message },
        }
      }
      return { ...told(found, conversationId, tokens), refusal: null }
    })
  }

  /**
   * Takes the run back in one transaction, so that a reader sees the state before or the state after.
   * @throws LcmError read_only_dialect, read_only_file, not_found, unsupported, conflict when something was built upon
   * the run, locked (retryable; names the holder)
   */
  undo(input: UndoCompactionInput): UndoneCompaction {
    const { clock, owner, requireWrite, windows } = this.#options
    const db = requireWrite('take a compaction back')
    const began = performance.now()
    const { conversationId } = input
    const done = db.transaction(() => {
      refuseLocked(db, [conversationId], clock())
      const tokens = windows.of(conversationId).window.tokens
      const undoing = findUndoing(db, input)
      if ('message' in undoing) throw new LcmError(undoing.code, undoing.message, { ...input })
      closeCutOffRuns(db, conversationId)
      write(db, conversationId, undoing, { owner, nowMs: clock() })
      return told(undoing, conversationId, tokens)
    })
    logEvent('info', 'compaction', 'run.undone', {
      memory: memoryKey(db.path),
      conversation_id: conversationId,
      compaction_id: done.runId,
      token_before: done.tokensBefore,
      token_after: done.tokensAfter,
      nodes: done.summaries.length,
      duration_ms: elapsedMs(began),
    })
    return { ...done, durationMs: performance.now() - began }
  }
}

function told({ run, before, after, removed, saved, keptMessages }: Undoing, conversationId: number, tokens: number) {
  const there = new Set(before.map(placement))
  const back = after.filter((entry) => !there.has(placement(entry)))
  return {
    conversationId,
    runId: run.runId,
    startedAtMs: run.startedAtMs,
    summaries: removed.toReversed(),
    messagesBack: back.filter(({ messageId }) => messageId !== null).length,
    summariesBack: back.filter(({ summaryId }) => summaryId !== null).length,
    keptMessages,
    tokensBefore: tokens,
    tokensAfter: tokens + saved,
  }
}

function write(
  db: WriteDb,
  conversationId: number,
  { run, before, after, removed }: Undoing,
  by: { readonly owner: string; readonly nowMs: number },
): void {
  const was = new Map(before.map((entry) => [entry.ordinal, entry]))
  const stays = new Set(
    after.filter(({ ordinal, ...entry }) => {
      const there = was.get(ordinal)
      return there !== undefined && placement(there) === placement({ ordinal, ...entry })
    }),
  )
  const kept = new Set([...stays].map(({ ordinal }) => ordinal))
  const ordinals = before.flatMap(({ ordinal }) => (kept.has(ordinal) ? [] : [ordinal]))
  const entries = after.flatMap((entry) =>
    stays.has(entry) ? [] : [[entry.ordinal, entry.messageId, entry.summaryId, entry.placedAtMs]],
  )
  const replaced = db
    .all<{ id: string }>(queries.texts, { ids: JSON.stringify(removed) })
    .map(({ id, ...text }) => ({ id, before: text }))
  expectChanges(db.run(queries.takeOut, { conversationId, ordinals: JSON.stringify(ordinals) }), ordinals.length)
  expectChanges(db.run(queries.putIn, { conversationId, entries: JSON.stringify(entries) }), entries.length)
  removeSummaries(db, removed)
  expectChanges(db.run(queries.mark, { runId: run.runId }), 1)
  recordSurgery(
    db,
    {
      conversationId,
      kind: 'undo',
      nodeId: null,
      summary: `Took compaction run ${run.runId} back: ${removed.length} ${removed.length === 1 ? 'summary' : 'summaries'} removed.`,
      window: { before, after },
      // The texts are kept here, so that what a model was paid for is not lost.
      detail: { run: run.runId, replaced },
    },
    by.owner,
    by.nowMs,
  )
}

/** To take a text out of an index that holds another one would spoil it, so such an index is filled anew. */
function removeSummaries(db: WriteDb, ids: readonly string[]): void {
  const remove = (): void => {
    for (const id of ids) expectChanges(db.run(queries.removeSummary, { id }), 1)
  }
  if (areIndexesSound(db, ['summary'])) {
    remove()
    return
  }
  withoutTriggers(db, ['summaries_index_*'], remove)
  fillIndexes(db, ['summary'])
}

function expectChanges(changes: number, expected: number): void {
  if (changes !== expected) throw new Error(`taking a run back changed ${changes} rows instead of ${expected}`)
}
