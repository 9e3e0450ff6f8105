import { sha256 } from '../../hashing.ts'
import type { TokenEstimator } from '../../models/token-estimator.ts'
import type { WriteDb } from '../../sqlite/read-db.ts'
import { stemOfLink } from './answer-links.ts'
import { asSeen, insertNode, type NodeItem } from './imported-node.ts'
import { branchText } from './imported-node-text.ts'
import { beginImportedRun, finishImportedRun, undoImportedRun } from './imported-run.ts'

const queries = {
  window: /* sql */ `
    SELECT c.ordinal AS ordinal, c.message_id AS messageId, c.summary_id AS summaryId, c.created_at AS placedAtMs,
      m.seq AS seq, m.external_id AS externalId, coalesce(m.token_count, s.token_count) AS tokens,
      coalesce(m.content_hash, s.summary_hash) AS hash, m.created_at AS atMs
    FROM context_items AS c
    LEFT JOIN messages AS m ON m.message_id = c.message_id
    LEFT JOIN summaries AS s ON s.summary_id = c.summary_id
    WHERE c.conversation_id = :conversationId
    ORDER BY c.ordinal`,
  newestSeq: /* sql */ `
    SELECT max(seq) FROM messages WHERE conversation_id = :conversationId`,
  branches: /* sql */ `
    SELECT r.run_id AS runId, e.summary_id AS summaryId
    FROM compaction_runs AS r JOIN compaction_events AS e ON e.run_id = r.run_id
    WHERE r.conversation_id = :conversationId AND r.mode = 'branch'`,
  messagesOf: /* sql */ `
    SELECT m.external_id FROM summary_messages AS l JOIN messages AS m ON m.message_id = l.message_id
    WHERE l.summary_id = :summaryId`,
  // `newest_seq` is the place of the message that records the compaction.
  compactions: /* sql */ `
    SELECT r.run_id AS runId, m.external_id AS recordedBy
    FROM compaction_runs AS r
    JOIN compaction_events AS e ON e.run_id = r.run_id
    JOIN messages AS m ON m.conversation_id = r.conversation_id AND m.seq = e.newest_seq
    WHERE r.conversation_id = :conversationId AND r.owner = 'import' AND r.mode = 'full'
    GROUP BY r.run_id
    ORDER BY max(e.event_id) DESC`,
}

export type GivenUp = {
  readonly db: WriteDb
  readonly estimator: TokenEstimator
  readonly importer: string
  readonly conversationId: number
  /** External ids of all messages on branches that were given up. */
  readonly externalIds: ReadonlySet<string>
}

type WindowRow = NodeItem & { readonly seq: number | null; readonly externalId: string | null; readonly atMs: number }

/**
 * Removes branches that were given up from the window, because the agent does not see them. Each run of messages is
 * replaced by a note that says so, from which it can be expanded.
 */
export function storeGivenUp(given: GivenUp): void {
  const { db, conversationId, externalIds } = given
  if (externalIds.size === 0) return
  db.transaction(() => {
    const newestSeq = db.value<number>(queries.newestSeq, { conversationId }) ?? 0
    const window = asSeen(db, conversationId, db.all<WindowRow>(queries.window, { conversationId }))
    for (const run of runsAmong(window, externalIds)) {
      // The last run stays, because the session may continue it.
      if (run.at(-1)?.seq !== newestSeq && tokensOf(run) > 1) collapse(given, run, newestSeq, tokensOf(window))
    }
  })
}

/**
 * Undoes what earlier imports made of a transcript that took another way since: branches to which the person returned
 * come back into the window, and compactions on branches that were given up are withdrawn.
 */
export function withdrawGivenUp({ db, conversationId, externalIds }: Omit<GivenUp, 'estimator' | 'importer'>): void {
  db.transaction(() => {
    type Branch = { runId: string; summaryId: string }
    for (const { runId, summaryId } of db.all<Branch>(queries.branches, { conversationId })) {
      const messages = db.column<string | null>(queries.messagesOf, { summaryId })
      const isStillGivenUp = messages.every((id) => isAmong(externalIds, id))
      if (!isStillGivenUp) undoImportedRun(db, runId, conversationId)
    }
    type Compaction = { runId: string; recordedBy: string | null }
    for (const { runId, recordedBy } of db.all<Compaction>(queries.compactions, { conversationId })) {
      if (recordedBy !== null && externalIds.has(recordedBy)) undoImportedRun(db, runId, conversationId)
    }
  })
}

/** A continuation is on the branch of its message. */
const isAmong = (externalIds: ReadonlySet<string>, id: string | null): boolean =>
  id !== null && (externalIds.has(id) || externalIds.has(stemOfLink(id)))

function runsAmong(window: readonly WindowRow[], externalIds: ReadonlySet<string>): WindowRow[][] {
  const runs: WindowRow[][] = []
  let run: WindowRow[] | null = null
  for (const item of window) {
    if (!isAmong(externalIds, item.externalId)) run = null
    else if (run) run.push(item)
    else {
      run = [item]
      runs.push(run)
    }
  }
  return runs
}

function collapse(given: GivenUp, run: readonly WindowRow[], newestSeq: number, tokensBefore: number): void {
  const { db, estimator, importer, conversationId } = given
  const atMs = Math.max(...run.map((item) => item.atMs))
  const key = `${importer}\n${conversationId}\n${run.map((item) => item.externalId).join('\n')}`
  const runId = `run_${sha256(key).slice(0, 16)}`
  const facts = { runId, conversationId, importer, atMs, tokensBefore }
  beginImportedRun(db, { ...facts, mode: 'branch', reason: 'manual', configuration: { branch: run.length } })
  insertNode({
    db,
    estimator,
    conversationId,
    runId,
    depth: 0,
    items: run,
    texts: branchText(run.length),
    level: 'deterministic',
    model: null,
    promptVersion: null,
    isAuto: null,
    atMs,
    newestSeq,
    markedId: null,
  })
  finishImportedRun(db, runId, conversationId)
}

const tokensOf = (items: readonly NodeItem[]): number => items.reduce((sum, item) => sum + item.tokens, 0)
