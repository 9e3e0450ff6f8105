import { sha256 } from '#core/hashing.ts'
import { EXTRACT_VERSION, extract } from '#core/models/summarizers/deterministic.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { readSources } from '#core/systems/reading/sources.ts'
import type { CompactionRecord } from './format.ts'
import { asSeen, insertNode, type NodeItem } from './imported-node.ts'
import { placeholderText, untoldText } from './imported-node-text.ts'
import { beginImportedRun, finishImportedRun } from './imported-run.ts'

const queries = {
  conversation: /* sql */ `
    SELECT session_id FROM conversations WHERE conversation_id = :conversationId`,
  isKnown: /* sql */ `
    SELECT 1 FROM compaction_runs WHERE run_id = :runId`,
  nodes: /* sql */ `
    SELECT e.summary_id FROM compaction_events AS e JOIN json_each(:runIds) AS r ON e.run_id = r.value`,
  seqOf: /* sql */ `
    SELECT seq FROM messages WHERE conversation_id = :conversationId AND external_id = :externalId`,
  window: /* sql */ `
    SELECT c.ordinal AS ordinal, c.message_id AS messageId, c.summary_id AS summaryId, c.created_at AS placedAtMs,
      m.seq AS seq, m.message_id AS newestId, m.external_id AS externalId,
      coalesce(m.token_count, s.token_count) AS tokens, coalesce(m.content_hash, s.summary_hash) AS hash
    FROM context_items AS c
    LEFT JOIN messages AS m ON m.message_id = c.message_id
    LEFT JOIN summaries AS s ON s.summary_id = c.summary_id
    WHERE c.conversation_id = :conversationId
    ORDER BY c.ordinal`,
}

export type ExistingCompaction = {
  readonly db: WriteDb
  readonly estimator: TokenEstimator
  readonly importer: string
  readonly conversationId: number
  readonly compaction: CompactionRecord
}

type WindowRow = NodeItem & {
  /** The `seq` of the newest message that the item covers. Null for a summary until it is looked up. */
  readonly seq: number | null
  readonly newestId: number | null
  readonly externalId: string | null
}

/**
 * Stores a compaction that the agent made itself: its summary replaces in the window what the agent replaced. Over
 * messages alone it becomes a leaf. Over an earlier summary it becomes a condensed node of that summary and of an
 * extract of the messages after it. A compaction is stored once, whatever happens to it later. Returns false when
 * nothing of what it replaced is in the memory.
 */
export function storeCompaction(given: ExistingCompaction): boolean {
  const { db, conversationId, importer, compaction } = given
  return db.transaction(() => {
    const sessionId = db.value<string>(queries.conversation, { conversationId }) ?? ''
    const runId = runOf(importer, sessionId, compaction.key)
    if (db.value(queries.isKnown, { runId }) !== undefined) return true
    const placeId = compaction.recordedBy.at(-1) ?? compaction.recordedBy[0]
    const place = db.value<number>(queries.seqOf, { conversationId, externalId: placeId })
    if (place === undefined) return false
    const window = asSeen(db, conversationId, db.all<WindowRow>(queries.window, { conversationId }))
    const replaced = whatWasReplaced(given, withNewest(given, window), place)
    const records = recordsIn(compaction)
    if (replaced.every((item) => item.externalId !== null && records.has(item.externalId))) return false
    beginImportedRun(db, {
      runId,
      conversationId,
      importer,
      reason: compaction.isAuto === false ? 'manual' : 'threshold',
      configuration: { imported: compaction.key, ...(compaction.isNotInForks ? { notInForks: 1 } : {}) },
      atMs: compaction.atMs,
      // Messages from after the compaction may be stored already.
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

const runOf = (importer: string, sessionId: string, key: string): string =>
  `run_${sha256(`${importer}\n${sessionId}\n${key}`).slice(0, 16)}`

/** The messages that record a compaction and go with what it replaced. */
const recordsIn = ({ recordedBy, keepsRecord }: CompactionRecord): ReadonlySet<string> =>
  new Set(keepsRecord ? [] : recordedBy)

/** The window with the newest messages of its summaries. */
function withNewest({ db, conversationId }: ExistingCompaction, window: readonly WindowRow[]): readonly WindowRow[] {
  if (window.every((item) => item.summaryId === null)) return window
  const { messages, summaries, coverage } = new MemoryReader(db).memory(conversationId)
  return window.map((item) => {
    if (item.summaryId === null) return item
    const position = (coverage.reach(summaries.nodeOf(item.summaryId)).at(-1) ?? 0) - 1
    return { ...item, seq: messages.seqs[position] ?? null, newestId: messages.ids[position] ?? null }
  })
}

function whatWasReplaced(given: ExistingCompaction, window: readonly WindowRow[], place: number): WindowRow[] {
  const { db, conversationId, compaction } = given
  const { replaced } = compaction
  const records = recordsIn(compaction)
  const nodes = replaced.kind === 'these' ? nodesOf(given, replaced.summaries) : 'all'
  const keptFrom =
    replaced.kind === 'all_before'
      ? db.value<number>(queries.seqOf, { conversationId, externalId: replaced.keptFrom })
      : undefined
  const earlier = new Set(
    [...((replaced.kind === 'all_before' && replaced.compactions) || [])].map((externalId) =>
      db.value<number>(queries.seqOf, { conversationId, externalId }),
    ),
  )
  const until = Math.min(place, (keptFrom ?? Number.POSITIVE_INFINITY) - 1)
  return window.filter((item) => {
    if (item.summaryId !== null) {
      if (replaced.kind === 'all_messages' || (nodes !== 'all' && !nodes.has(item.summaryId))) return false
      return (item.seq ?? place) <= until || (item.seq !== null && earlier.has(item.seq))
    }
    if (item.seq === null || item.seq > place || item.externalId === (compaction.keptPrompt ?? undefined)) return false
    if (item.externalId !== null && records.has(item.externalId)) return true
    if (replaced.kind === 'these') return item.externalId !== null && replaced.externalIds.has(item.externalId)
    if (replaced.kind === 'all_but') return item.externalId === null || !replaced.kept.has(item.externalId)
    return item.seq <= until
  })
}

/** Returns the summaries that the compactions with these keys made. */
function nodesOf(
  { db, conversationId, importer }: ExistingCompaction,
  keys: ReadonlySet<string> | 'all' = new Set(),
): ReadonlySet<string> | 'all' {
  if (keys === 'all') return keys
  const sessionId = db.value<string>(queries.conversation, { conversationId }) ?? ''
  const runIds = JSON.stringify([...keys].map((key) => runOf(importer, sessionId, key)))
  return new Set(db.column<string>(queries.nodes, { runIds }))
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
  }
  const told = compaction.text?.trim() ? compaction.text : null
  const words = {
    texts: told === null ? untoldText(replaced.length, compaction.isAuto === false) : [told],
    // The level of the agent's own words is unknown. A note that this app wrote is deterministic.
    level: told === null ? ('deterministic' as const) : ('unknown' as const),
    model: told === null ? null : compaction.model,
    promptVersion: null,
  }
  if (replaced.every((item) => item.messageId !== null)) {
    insertNode({ ...node, ...words, depth: 0, items: replaced, markedId: newestOf(replaced) })
    return
  }
  const earlier = replaced.reduce((sum, item) => sum + (item.summaryId === null ? 0 : item.tokens), 0)
  // The sources together have to be larger than their summary, as everywhere.
  const needed = estimator.count(words.texts[0] ?? '') - earlier
  const sources = runsOf(replaced).map((run): NodeItem => {
    const [first] = run
    if (run.length === 1 && first && first.summaryId !== null) return first
    const texts = extractTexts(given, run, needed)
    const made = { texts, level: 'deterministic', model: null, promptVersion: EXTRACT_VERSION } as const
    return insertNode({ ...node, ...made, depth: 0, items: run, markedId: newestOf(run) })
  })
  insertNode({ ...node, ...words, depth: 'above', items: sources, markedId: newestOf(replaced) })
}

/** The newest message that some items stand for. */
function newestOf(items: readonly WindowRow[]): number | null {
  const seqOf = ({ seq }: WindowRow): number => seq ?? Number.NEGATIVE_INFINITY
  return (
    items.reduce<WindowRow | null>((newest, item) => (newest && seqOf(newest) >= seqOf(item) ? newest : item), null)
      ?.newestId ?? null
  )
}

const LEAST_EXTRACT_TOKENS = 600

/**
 * Writes an extract for messages that the agent summarised together with an earlier summary: their own lines, and a
 * note that says so.
 */
function extractTexts(
  { db, estimator, compaction }: ExistingCompaction,
  run: readonly WindowRow[],
  neededTokens: number,
): string[] {
  const short = placeholderText(run.length)
  // The message with the summary is left out, because the summary would have its own words as a source.
  const records = recordsIn(compaction)
  const said = run.filter(({ externalId }) => externalId === null || !records.has(externalId))
  const sources = said.length === 0 ? undefined : readSources(db, said, 0)
  if (!sources) return short
  const targetTokens = Math.max(LEAST_EXTRACT_TOKENS, Math.ceil(neededTokens * 1.25))
  const request = { depth: 0, level: 'deterministic', targetTokens, sourceTokens: sources.canonicalTokens } as const
  const lines = extract({ ...request, entries: sources.entries, previousSummary: null }, estimator)
  return [`${short[0]}\n${lines}`, ...short]
}

/** Groups the items of the window into runs of messages, and single summaries. */
function runsOf(items: readonly WindowRow[]): WindowRow[][] {
  const runs: WindowRow[][] = []
  for (const item of items) {
    const run = runs.at(-1)
    if (run && item.messageId !== null && run[0]?.messageId !== null) run.push(item)
    else runs.push([item])
  }
  return runs
}
