import { sha256 } from '#core/hashing.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { partText } from '#core/sqlite/repeated-texts.ts'
import {
  PRUNE,
  type PruneFacts,
  pruneFactsIn,
  readPruned,
  takesWholeMessages,
} from '#core/systems/reading/pruned-outputs.ts'
import { homesOfCopies } from '#core/systems/records/forks.ts'
import type { PrunedText, PruningRecord } from './format.ts'

const queries = {
  session: /* sql */ `
    SELECT session_id FROM conversations WHERE conversation_id = :conversationId`,
  run: /* sql */ `
    SELECT configuration FROM compaction_runs WHERE run_id = :runId`,
  ofCall: /* sql */ `
    SELECT m.message_id AS messageId, p.ordinal AS ordinal, m.seq AS seq, m.token_count AS tokens,
      iif(p.is_content = 1, m.content, coalesce(p.tool_output, p.tool_error)) AS text
    FROM message_parts AS p JOIN messages AS m ON m.message_id = p.message_id
    WHERE p.tool_call_id = :callId AND m.conversation_id = :conversationId AND p.part_type = 'tool'
      AND p.is_synthetic = 0 AND (p.is_content = 1 OR p.tool_output IS NOT NULL OR p.tool_error IS NOT NULL)
    ORDER BY m.seq, p.ordinal`,
  ofMessage: /* sql */ `
    SELECT m.message_id AS messageId, p.ordinal AS ordinal, m.seq AS seq, m.token_count AS tokens,
      iif(p.is_content = 1, m.content, coalesce(p.tool_output, p.tool_error, ${partText('p')})) AS text
    FROM messages AS m JOIN message_parts AS p ON p.message_id = m.message_id
    WHERE m.conversation_id = :conversationId AND m.external_id = :externalId AND p.is_synthetic = 0
      AND p.part_type IN ('text', 'tool')
      AND (p.is_content = 1 OR p.text_is_content = 1 OR coalesce(p.tool_output, p.tool_error, p.text_content) IS NOT NULL)
    ORDER BY p.ordinal`,
  part: /* sql */ `
    SELECT m.message_id AS messageId, p.ordinal AS ordinal, m.seq AS seq, m.token_count AS tokens,
      iif(p.is_content = 1, m.content, coalesce(p.tool_input, p.subtask_prompt, ${partText('p')}, '')) AS text
    FROM messages AS m JOIN message_parts AS p ON p.message_id = m.message_id
    WHERE m.conversation_id = :conversationId AND m.external_id = :externalId AND p.ordinal = :ordinal`,
  wholeMessage: /* sql */ `
    SELECT m.message_id AS messageId, coalesce(p.ordinal, 0) AS ordinal, m.seq AS seq, m.token_count AS tokens, '' AS text
    FROM messages AS m
    LEFT JOIN message_parts AS p
      ON p.message_id = m.message_id AND p.is_synthetic = 0 AND p.part_type <> 'step_finish'
    WHERE m.conversation_id = :conversationId AND m.external_id = :externalId
    ORDER BY p.ordinal`,
  newestSeq: /* sql */ `
    SELECT max(seq) FROM messages WHERE conversation_id = :conversationId AND created_at <= :atMs`,
  windowTokens: /* sql */ `
    SELECT coalesce(sum(coalesce(m.token_count, s.token_count)), 0)
    FROM context_items AS c
    LEFT JOIN messages AS m ON m.message_id = c.message_id
    LEFT JOIN summaries AS s ON s.summary_id = c.summary_id
    WHERE c.conversation_id = :conversationId AND coalesce(m.seq, 0) <= :newestSeq`,
  inWindow: /* sql */ `
    SELECT message_id FROM context_items
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND conversation_id = :conversationId`,
  begin: /* sql */ `
    INSERT INTO compaction_runs
      (run_id, conversation_id, reason, mode, summarizer, configuration, owner, started_at, finished_at, tokens_before,
       tokens_after, stop_reason)
    VALUES (:runId, :conversationId, :reason, '${PRUNE}', :importer, :configuration, 'import', :atMs, :atMs, :tokensBefore,
       :tokensAfter, 'imported')`,
  extend: /* sql */ `
    UPDATE compaction_runs SET configuration = :configuration, tokens_after = :tokensAfter WHERE run_id = :runId`,
  tokensAfter: /* sql */ `
    SELECT tokens_after FROM compaction_runs WHERE run_id = :runId`,
  withdraw: /* sql */ `
    DELETE FROM compaction_runs WHERE run_id = :runId AND mode = '${PRUNE}'`,
}

export type Pruning = {
  readonly db: WriteDb
  readonly estimator: TokenEstimator
  readonly importer: string
  readonly conversationId: number
  readonly pruning: PruningRecord
}

type TextRow = {
  readonly messageId: number
  readonly ordinal: number
  readonly seq: number
  readonly tokens: number
  readonly text: string
}
type Output = PruneFacts['outputs'][number]

/**
 * Records outputs that an agent removed from its window without a summary, as a run of the event log without a node.
 * Messages stay unchanged, and each of their parts is noted once. When the agent prunes more later, only the note
 * grows.
 */
export function storePruning(given: Pruning): void {
  const { db, conversationId, importer, pruning } = given
  db.transaction(() => {
    const sessionId = db.value<string>(queries.session, { conversationId }) ?? ''
    const key = `${importer}\n${sessionId}\npruning\n${pruning.key}`
    const runId = `run_${sha256(key).slice(0, 16)}`
    if (pruning.isGivenUp) {
      db.run(queries.withdraw, { runId })
      return
    }
    const { outputs, newestSeq } = newOutputs(given)
    if (outputs.length === 0) return
    const configuration = db.value<string>(queries.run, { runId })
    const known = configuration === undefined ? null : pruneFactsIn(configuration)
    const facts: PruneFacts = {
      by: pruning.by,
      newestSeq: known?.newestSeq ?? newestSeq,
      toldTokens: pruning.toldTokens,
      outputs: [...(known?.outputs ?? []), ...outputs],
    }
    const saved = tokensInWindow(db, conversationId, outputs)
    const noted = { runId, configuration: JSON.stringify({ imported: pruning.key, prune: facts }) }
    if (configuration !== undefined) {
      const before = db.value<number | null>(queries.tokensAfter, { runId }) ?? 0
      db.run(queries.extend, { ...noted, tokensAfter: Math.max(0, before - saved) })
      return
    }
    const tokensBefore = seenTokens(given, facts.newestSeq)
    db.run(queries.begin, {
      ...noted,
      conversationId,
      importer,
      reason: pruning.isAuto === false ? 'manual' : 'threshold',
      atMs: Math.round(pruning.atMs),
      tokensBefore,
      tokensAfter: Math.max(0, tokensBefore - saved),
    })
  })
}

/**
 * Selects the outputs that are stored and were not noted before, with the place in the history at which they were
 * removed.
 */
function newOutputs(given: Pruning): { readonly outputs: readonly Output[]; readonly newestSeq: number } {
  const { db, estimator, conversationId, pruning } = given
  const place = (row: Pick<TextRow, 'messageId' | 'ordinal'>): string => `${row.messageId}/${row.ordinal}`
  const noted = readPruned(db, conversationId)
  const known = new Set(noted.map(place))
  // A message cannot lose more tokens than it has.
  const left = new Map<number, number>()
  const taken = new Map<number, number>()
  for (const { messageId, tokens } of noted) taken.set(messageId, (taken.get(messageId) ?? 0) + tokens)
  let newestSeq = db.value<number | null>(queries.newestSeq, { conversationId, atMs: Math.round(pruning.atMs) }) ?? 0
  const copied = homesOfCopies(db, conversationId)
  const outputs = pruning.outputs.flatMap((pruned): Output[] => {
    const own = textsOf(given, pruned)
    const homes = own.length > 0 ? [] : copied
    const elsewhere = homes.flatMap((home) => textsOf({ ...given, conversationId: home }, pruned))
    return [...own, ...elsewhere].flatMap((row): Output[] => {
      const { seen } = pruned
      // The places of messages from before a fork are those of another history.
      if (own.length > 0) newestSeq = Math.max(newestSeq, row.seq)
      if (known.has(place(row))) return []
      known.add(place(row))
      const most = left.get(row.messageId) ?? Math.max(0, row.tokens - (taken.get(row.messageId) ?? 0))
      const tokens = isWhole(given, pruned)
        ? most
        : Math.min(most, Math.max(0, estimator.count(row.text) - estimator.count(isPart(pruned) ? '' : (seen ?? ''))))
      left.set(row.messageId, most - tokens)
      return [[row.messageId, row.ordinal, tokens, seen]]
    })
  })
  return { outputs, newestSeq }
}

/** True when the model is sent nothing of the message, whatever its parts are. */
const isWhole = ({ pruning }: Pruning, { seen }: PrunedText): boolean => seen === null && takesWholeMessages(pruning.by)

/** Whether a whole part was removed, which nothing replaces. */
const isPart = (text: PrunedText): boolean => 'ordinal' in text && text.ordinal !== undefined

function textsOf(given: Pruning, text: PrunedText): TextRow[] {
  const { db, conversationId } = given
  if ('ordinal' in text && text.ordinal !== undefined) {
    const { externalId, ordinal } = text
    return db.all<TextRow>(queries.part, { conversationId, externalId, ordinal })
  }
  if ('callId' in text) return db.all<TextRow>(queries.ofCall, { conversationId, callId: text.callId })
  const query = isWhole(given, text) ? queries.wholeMessage : queries.ofMessage
  return db.all<TextRow>(query, { conversationId, externalId: text.externalId })
}

/** Sums the tokens of the window at that place that have not been replaced since. */
function seenTokens({ db, conversationId }: Pruning, newestSeq: number): number {
  const all = db.value<number>(queries.windowTokens, { conversationId, newestSeq }) ?? 0
  const pruned = readPruned(db, conversationId).map(
    ({ messageId, ordinal, tokens, seen }): Output => [messageId, ordinal, tokens, seen],
  )
  return Math.max(0, all - tokensInWindow(db, conversationId, pruned))
}

function tokensInWindow(db: WriteDb, conversationId: number, outputs: readonly Output[]): number {
  const ids = JSON.stringify(outputs.map(([messageId]) => messageId))
  const there = new Set(db.column<number>(queries.inWindow, { conversationId, ids }))
  return outputs.reduce((sum, [messageId, , tokens]) => sum + (there.has(messageId) ? tokens : 0), 0)
}
