import { sha256 } from '../../hashing.ts'
import { EXTRACT_VERSION, extract } from '../../models/summarizers/deterministic.ts'
import type { TokenEstimator } from '../../models/token-estimator.ts'
import type { WriteDb } from '../../sqlite/read-db.ts'
import { readSources } from '../../systems/sources.ts'
import type { CompactionRecord } from './format.ts'
import { asSeen, insertNode, type NodeItem } from './imported-node.ts'
import { placeholderText, untoldText } from './imported-node-text.ts'
import { beginImportedRun, finishImportedRun } from './imported-run.ts'

const queries = {
  conversation: /* sql */ `
    SELECT session_id FROM conversations WHERE conversation_id = :conversationId`,
  isKnown: /* sql */ `
    SELECT 1 FROM compaction_runs WHERE run_id = :runId`,
  seqOf: /* sql */ `
    SELECT seq FROM messages WHERE conversation_id = :conversationId AND external_id = :externalId`,
  window: /* sql */ `
    SELECT c.ordinal AS ordinal, c.message_id AS messageId, c.summary_id AS summaryId, c.created_at AS placedAtMs,
      m.seq AS seq, m.external_id AS externalId, coalesce(m.token_count, s.token_count) AS tokens,
      coalesce(m.content_hash, s.summary_hash) AS hash
    FROM context_items AS c
    LEFT JOIN messages AS m ON m.message_id = c.message_id
    LEFT JOIN summaries AS s ON s.summary_id = c.summary_id
    WHERE c.conversation_id = :conversationId
    ORDER BY c.ordinal`,
  lastSeq: /* sql */ `
    WITH RECURSIVE below (summary_id) AS (
      VALUES (:summaryId)
      UNION
      SELECT e.source_summary_id FROM below AS b JOIN summary_sources AS e ON e.summary_id = b.summary_id
    )
    SELECT max(m.seq)
    FROM below AS b
    JOIN summary_messages AS e ON e.summary_id = b.summary_id
    JOIN messages AS m ON m.message_id = e.message_id`,
}

export type ExistingCompaction = {
  readonly db: WriteDb
  readonly estimator: TokenEstimator
  readonly importer: string
  readonly conversationId: number
  readonly compaction: CompactionRecord
}

type WindowRow = NodeItem & { readonly seq: number | null; readonly externalId: string | null }

/**
 * Makes a compaction that the agent did itself visible: its summary takes the place of what it replaced in the window.
 * Over messages alone it is a leaf. Where an earlier summary is among what it replaced, it is a condensed node over that
 * summary and a placeholder for the messages behind it, which says that it is one. A compaction is taken once, whatever
 * becomes of it later. False when it replaced nothing that is here.
 */
export function storeCompaction(given: ExistingCompaction): boolean {
  const { db, conversationId, importer, compaction } = given
  return db.transaction(() => {
    const sessionId = db.value<string>(queries.conversation, { conversationId }) ?? ''
    const runId = `run_${sha256(`${importer}\n${sessionId}\n${compaction.key}`).slice(0, 16)}`
    if (db.value(queries.isKnown, { runId }) !== undefined) return true
    const placeId = compaction.recordedBy.at(-1) ?? compaction.recordedBy[0]
    const place = db.value<number>(queries.seqOf, { conversationId, externalId: placeId })
    if (place === undefined) return false
    const window = asSeen(db, conversationId, db.all<WindowRow>(queries.window, { conversationId }))
    const replaced = whatWasReplaced(given, window, place)
    const records = new Set(compaction.recordedBy)
    if (replaced.every((item) => item.externalId !== null && records.has(item.externalId))) return false
    beginImportedRun(db, {
      runId,
      conversationId,
      importer,
      mode: 'full',
      reason: compaction.isAuto === false ? 'manual' : 'threshold',
      configuration: { imported: compaction.key },
      atMs: compaction.atMs,
      // What came later may be here already.
      tokensBefore: window.reduce(
        (sum, item) => sum + (item.seq === null || item.seq <= place ? (item.replacedTokens ?? item.tokens) : 0),
        0,
      ),
    })
    store(given, runId, place, replaced)
    finishImportedRun(db, runId, conversationId)
    return true
  })
}

function whatWasReplaced(given: ExistingCompaction, window: readonly WindowRow[], place: number): WindowRow[] {
  const { db, conversationId, compaction } = given
  const { replaced } = compaction
  const records = new Set(compaction.recordedBy)
  const keptFrom =
    replaced.kind === 'all_before'
      ? db.value<number>(queries.seqOf, { conversationId, externalId: replaced.keptFrom })
      : undefined
  const until = Math.min(place, (keptFrom ?? Number.POSITIVE_INFINITY) - 1)
  return window.filter((item) => {
    if (item.summaryId !== null) {
      if (replaced.kind === 'all_messages' || (replaced.kind === 'these' && !replaced.withSummaries)) return false
      return (db.value<number | null>(queries.lastSeq, { summaryId: item.summaryId }) ?? place) <= until
    }
    if (item.seq === null || item.seq > place) return false
    if (item.externalId !== null && records.has(item.externalId)) return true
    if (replaced.kind === 'these') return item.externalId !== null && replaced.externalIds.has(item.externalId)
    if (replaced.kind === 'all_but') return item.externalId === null || !replaced.kept.has(item.externalId)
    return item.seq <= until
  })
}

function store(given: ExistingCompaction, runId: string, newestSeq: number, replaced: readonly WindowRow[]): void {
  const { db, estimator, conversationId, compaction } = given
  const node = {
    db,
    estimator,
    conversationId,
    runId,
    newestSeq,
    isAuto: compaction.isAuto,
    atMs: compaction.atMs,
    isMarked: true,
  }
  const told = compaction.text?.trim() ? compaction.text : null
  const words = {
    texts: told === null ? untoldText(replaced.length, compaction.isAuto === false) : [told],
    // The agent's own words are of no level of ours; a note of ours is.
    level: told === null ? ('deterministic' as const) : ('unknown' as const),
    model: told === null ? null : compaction.model,
    promptVersion: null,
  }
  if (replaced.every((item) => item.messageId !== null)) {
    insertNode({ ...node, ...words, depth: 0, items: replaced })
    return
  }
  const earlier = replaced.reduce((sum, item) => sum + (item.summaryId === null ? 0 : item.tokens), 0)
  // Together the sources have to be larger than what was made of them, as everywhere.
  const needed = estimator.count(words.texts[0] ?? '') - earlier
  const sources = runsOf(replaced).map((run): NodeItem => {
    const [first] = run
    if (run.length === 1 && first && first.summaryId !== null) return first
    const texts = extractTexts(given, run, needed)
    const made = { texts, level: 'deterministic', model: null, promptVersion: EXTRACT_VERSION } as const
    return insertNode({ ...node, ...made, depth: 0, items: run })
  })
  insertNode({ ...node, ...words, depth: 'above', items: sources })
}

const LEAST_EXTRACT_TOKENS = 600

/** What stands between for messages of which the agent wrote no summary alone: their own lines, and a word on that. */
function extractTexts(
  { db, estimator, compaction }: ExistingCompaction,
  run: readonly WindowRow[],
  neededTokens: number,
): string[] {
  const short = placeholderText(run.length)
  // Not of the message with the summary: its words would be a source of themselves.
  const records = new Set(compaction.recordedBy)
  const said = run.filter(({ externalId }) => externalId === null || !records.has(externalId))
  const sources = said.length === 0 ? undefined : readSources(db, said, 0)
  if (!sources) return short
  const targetTokens = Math.max(LEAST_EXTRACT_TOKENS, Math.ceil(neededTokens * 1.25))
  const request = { depth: 0, level: 'deterministic', targetTokens, sourceTokens: sources.canonicalTokens } as const
  const lines = extract({ ...request, entries: sources.entries, previousSummary: null }, estimator)
  return [`${short[0]}\n${lines}`, ...short]
}

/** Stretches of messages, and each summary on its own. */
function runsOf(items: readonly WindowRow[]): WindowRow[][] {
  const runs: WindowRow[][] = []
  for (const item of items) {
    const run = runs.at(-1)
    if (run && item.messageId !== null && run[0]?.messageId !== null) run.push(item)
    else runs.push([item])
  }
  return runs
}
