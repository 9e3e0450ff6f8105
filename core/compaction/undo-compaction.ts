import type { Clock } from '../clock.ts'
import type { CompactionUndo, UndoCompactionInput, UndoneCompaction } from '../contract/compaction.ts'
import type { ErrorCode } from '../contract/error.ts'
import { LcmError } from '../errors.ts'
import { elapsedMs, logEvent, memoryKey } from '../log.ts'
import type { WindowEntry } from '../memory/draft.ts'
import { areIndexesSound, fillIndexes } from '../sqlite/fill-indexes.ts'
import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import { withoutTriggers } from '../sqlite/take-triggers.ts'
import { messageNumber } from '../systems/node-id.ts'
import { UNDONE } from '../systems/records/runs.ts'
import { recordSurgery } from '../systems/records/surgery-log.ts'
import type { KeptWindow } from '../window/kept-window.ts'
import { undoReplacements } from '../window/time-travel/undo.ts'
import { refuseLocked } from './conversation-lock.ts'
import { closeCutOffRuns } from './cut-off-runs.ts'

const queries = {
  run: /* sql */ `
    SELECT r.run_id AS runId, r.owner AS owner, r.started_at AS startedAtMs, r.stop_reason AS stopReason
    FROM compaction_runs AS r
    WHERE r.conversation_id = :conversationId AND r.run_id = :runId`,
  newestRun: /* sql */ `
    SELECT r.run_id AS runId, r.owner AS owner, r.started_at AS startedAtMs, r.stop_reason AS stopReason
    FROM compaction_events AS e
    JOIN compaction_runs AS r ON r.run_id = e.run_id
    WHERE e.conversation_id = :conversationId AND r.stop_reason IS NOT '${UNDONE}'
    ORDER BY e.event_id DESC
    LIMIT 1`,
  events: /* sql */ `
    SELECT e.summary_id AS summaryId, e.removed AS removed, e.source_tokens - e.tokens AS saved,
      e.newest_seq AS newestSeq, s.created_at >= e.at AS isMadeHere, s.summary_id IS NOT NULL AS isThere
    FROM compaction_events AS e
    LEFT JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE e.run_id = :runId
    ORDER BY e.event_id DESC`,
  sources: /* sql */ `
    SELECT summary_id AS summaryId, 'msg_' || message_id AS source, ordinal FROM summary_messages
    WHERE summary_id IN (SELECT value FROM json_each(:ids))
    UNION ALL
    SELECT summary_id, source_summary_id, ordinal FROM summary_sources
    WHERE summary_id IN (SELECT value FROM json_each(:ids))
    ORDER BY 1, ordinal`,
  /** A summary that was made from one of these, and the run that made it. */
  builtUpon: /* sql */ `
    SELECT k.source_summary_id AS id, k.summary_id AS dependent,
      (SELECT e.run_id FROM compaction_events AS e WHERE e.summary_id = k.summary_id
       ORDER BY e.event_id DESC LIMIT 1) AS runId
    FROM summary_sources AS k
    WHERE k.source_summary_id IN (SELECT value FROM json_each(:ids))
      AND k.summary_id NOT IN (SELECT value FROM json_each(:ids))
    LIMIT 1`,
  rewritten: /* sql */ `
    SELECT o.value ->> 'id'
    FROM surgery_events AS g, json_each(iif(json_valid(g.detail), g.detail, '{}'), '$.replaced') AS o
    WHERE g.conversation_id = :conversationId AND g.kind = 'rewrite'
      AND o.value ->> 'id' IN (SELECT value FROM json_each(:ids))
      AND g.after_event >= (SELECT max(e.event_id) FROM compaction_events AS e WHERE e.run_id = :runId)
    LIMIT 1`,
  window: /* sql */ `
    SELECT ordinal, message_id AS messageId, summary_id AS summaryId, created_at AS placedAtMs
    FROM context_items
    WHERE conversation_id = :conversationId
    ORDER BY ordinal`,
  newer: /* sql */ `
    SELECT count(*) FROM messages WHERE conversation_id = :conversationId AND seq > CAST(:seq AS INTEGER)`,
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

type Run = {
  readonly runId: string
  readonly owner: string
  readonly startedAtMs: number
  readonly stopReason: string | null
}

type Event = {
  readonly summaryId: string
  readonly removed: string
  readonly saved: number
  readonly newestSeq: number | null
  /** 0: the summary was in the file before the run, which only put it into the window. */
  readonly isMadeHere: number
  readonly isThere: number
}

type Refusal = { readonly code: ErrorCode; readonly message: string }

/** What would be written. */
type Undoing = {
  readonly run: Run
  readonly before: readonly WindowEntry[]
  readonly after: readonly WindowEntry[]
  /** Newest first, so that no summary is removed before what was made from it. */
  readonly removed: readonly string[]
  readonly saved: number
  readonly keptMessages: number
}

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

const findRun = (db: ReadDb, { conversationId, runId }: UndoCompactionInput): Run | undefined =>
  runId === undefined
    ? db.get<Run>(queries.newestRun, { conversationId })
    : db.get<Run>(queries.run, { conversationId, runId })

/** Reads what has to be written, or decides why nothing may be. */
function findUndoing(db: ReadDb, input: UndoCompactionInput): Undoing | Refusal {
  const { conversationId } = input
  const run = findRun(db, input)
  if (!run) return noRun(input)
  if (run.stopReason === UNDONE)
    return { code: 'conflict', message: `Run ${run.runId} was taken back already: nothing of it is left.` }
  if (run.owner === 'import')
    return {
      code: 'unsupported',
      message: `Run ${run.runId} is the agent's own, found in its transcript: its window holds what that agent sees. Import the transcript with "--window history" into another file to see it without compactions.`,
    }
  const events = db.all<Event>(queries.events, { runId: run.runId })
  const ids = events.map(({ summaryId }) => summaryId)
  const removed = [...new Set(events.filter(({ isMadeHere }) => isMadeHere === 1).map(({ summaryId }) => summaryId))]
  const before = db.all<WindowEntry>(queries.window, { conversationId })
  const refusal = whyBuiltUpon(db, conversationId, run, events)
  if (refusal !== null) return { code: 'conflict', message: refusal }
  const after = windowWithout(before, events)
  if (after === null) {
    const message = `The window has changed since run ${run.runId} in a way that cannot be joined with what was there before (${ids.slice(0, 3).join(', ')}): restore a backup with "lcm undo BACKUP" instead.`
    return { code: 'conflict', message }
  }
  const newestSeq = events[0]?.newestSeq ?? null
  return {
    ...{ run, before, after, removed },
    saved: events.reduce((sum, event) => sum + event.saved, 0),
    keptMessages: newestSeq === null ? 0 : (db.value<number>(queries.newer, { conversationId, seq: newestSeq }) ?? 0),
  }
}

function noRun({ conversationId, runId }: UndoCompactionInput): Refusal {
  const message =
    runId === undefined
      ? `Conversation ${conversationId} has no compaction that could be taken back.`
      : `There is no compaction run ${JSON.stringify(runId)} in conversation ${conversationId}: "lcm call compaction runs" lists them.`
  return { code: 'not_found', message }
}

/** Returns what was made of the run's summaries since, and what has to be done first; null when nothing was. */
function whyBuiltUpon(db: ReadDb, conversationId: number, run: Run, events: readonly Event[]): string | null {
  const ids = JSON.stringify(events.map(({ summaryId }) => summaryId))
  const gone = events.find(({ isThere }) => isThere === 0)
  if (gone) {
    return `${gone.summaryId} of run ${run.runId} was dissolved or removed since, so that the run cannot be taken back as a whole: dissolve its other summaries one by one.`
  }
  const built = db.get<{ id: string; dependent: string; runId: string | null }>(queries.builtUpon, { ids })
  if (built) {
    const first = built.runId === null ? `dissolve ${built.dependent} first` : `take run ${built.runId} back first`
    return `${built.dependent} was made from ${built.id} of run ${run.runId} since: ${first}.`
  }
  const rewritten = db.value<string>(queries.rewritten, { conversationId, runId: run.runId, ids })
  if (rewritten !== undefined) {
    return `${rewritten} of run ${run.runId} was rewritten since, and its new text would be lost: restore the backup from before it with "lcm undo BACKUP", or leave the run.`
  }
  const sources = Map.groupBy(
    db.all<{ summaryId: string; source: string }>(queries.sources, { ids }),
    ({ summaryId }) => summaryId,
  )
  const changed = events.find(({ summaryId, removed }) => {
    const now = (sources.get(summaryId) ?? []).map(({ source }) => source)
    return JSON.stringify(now) !== JSON.stringify(parseRemoved(removed)?.map(idOf))
  })
  return changed
    ? `The sources of ${changed.summaryId} of run ${run.runId} were changed since: restore a backup with "lcm undo BACKUP" instead.`
    : null
}

/**
 * Returns the window with the entries that the run took out in the place of its summaries, newest replacement first.
 * They get their old ordinals; what stands after them gives way where it has taken one of these since. Null when the
 * window does not match.
 */
function windowWithout(window: readonly WindowEntry[], events: readonly Event[]): WindowEntry[] | null {
  const known = new Map(window.map((entry) => [placement(entry), entry]))
  const replacements: { placed: string[]; removed: (number | string)[] }[] = []
  for (const { summaryId, removed } of events) {
    const entries = parseRemoved(removed)
    if (entries === null) return null
    for (const entry of entries) if (!known.has(placement(entry))) known.set(placement(entry), entry)
    replacements.push({ placed: [summaryId], removed: entries.map(placement) })
  }
  const placements = undoReplacements(window.map(placement), replacements)
  if (placements === null) return null
  let last = -1
  return [...placements].flatMap((key) => {
    const entry = known.get(key)
    if (!entry) return []
    last = Math.max(entry.ordinal, last + 1)
    return [{ ...entry, ordinal: last }]
  })
}

/** Parses a JSON array with `[ordinal, type, id, created_at]` for each item. */
function parseRemoved(json: string): WindowEntry[] | null {
  try {
    const items: unknown = JSON.parse(json)
    if (!Array.isArray(items)) return null
    return items.map((item): WindowEntry => {
      const [ordinal, type, id, placedAtMs] = item
      const messageId = type === 'message' ? messageNumber(id) : null
      return { ordinal, messageId, summaryId: messageId === null ? id : null, placedAtMs }
    })
  } catch {
    // The file is damaged there, so that the run cannot be taken back.
    return null
  }
}

const placement = ({ messageId, summaryId }: WindowEntry): number | string => messageId ?? summaryId ?? ''
const idOf = ({ messageId, summaryId }: WindowEntry): string => summaryId ?? `msg_${messageId}`

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
