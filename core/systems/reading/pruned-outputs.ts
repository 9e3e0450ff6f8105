import { z } from 'zod'
import type { Pruned, PrunedRun } from '#core/contract/message.ts'
import { parsedJson } from '#core/parsed-json.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'

/** `mode` of a run by which an agent took outputs of tools out of its window and put no summary in their place. */
export const PRUNE = 'prune'

/** `by` of what an agent does not send again: answers that failed, or that it was told to leave out. */
export const OMITTED = 'omission'
/** `by` of a branch to which the person or the agent did not return. */
export const GIVEN_UP = 'branch'
/** `by` of parts that were removed from a message which stays. */
export const REMOVED = 'removal'

const queries = {
  runs: /* sql */ `
    SELECT run_id AS runId, started_at AS atMs, configuration FROM compaction_runs
    WHERE conversation_id = :conversationId AND mode = '${PRUNE}'
    ORDER BY started_at, run_id`,
  // A window is joined by its index of messages: what was pruned is little.
  inWindows: /* sql */ `
    SELECT r.conversation_id AS conversationId, CAST(total(o.value ->> 2) AS INTEGER) AS tokens
    FROM compaction_runs AS r,
      json_each(iif(r.mode = '${PRUNE}' AND json_valid(r.configuration), r.configuration, '{}'), '$.prune.outputs') AS o
    WHERE r.mode = '${PRUNE}' AND (:conversationId IS NULL OR r.conversation_id = :conversationId) AND EXISTS (
      SELECT 1 FROM context_items AS c
      WHERE c.message_id = CAST(o.value ->> 0 AS INTEGER) AND c.conversation_id = r.conversation_id
    )
    GROUP BY r.conversation_id`,
  messages: /* sql */ `
    SELECT DISTINCT CAST(o.value ->> 0 AS INTEGER)
    FROM compaction_runs AS r,
      json_each(iif(r.mode = '${PRUNE}' AND json_valid(r.configuration), r.configuration, '{}'), '$.prune.outputs') AS o
    WHERE r.mode = '${PRUNE}'`,
} as const

/** What the configuration of such a run holds under `prune`. */
export const PruneFacts = z.object({
  by: z.string(),
  /** Place in the history: the newest message then. */
  newestSeq: z.int(),
  /** The agent's own count of what it saved. */
  toldTokens: z.number().nullish(),
  /**
   * Number of the message, ordinal of its part, tokens that left the window, and what the agent sees instead. In the
   * place of a part that was removed it sees the rest of the content, where the part was in it.
   */
  outputs: z.array(z.tuple([z.int(), z.int(), z.number(), z.string().nullable()])),
})
export type PruneFacts = z.infer<typeof PruneFacts>

const Configuration = z.object({ prune: PruneFacts })

/** A part of a message whose text an agent no longer sends. */
export type PrunedOutput = Pruned & {
  readonly runId: string
  readonly messageId: number
  readonly ordinal: number
  readonly newestSeq: number
}

/** A moment in the order of the history, before which something was pruned or not. */
export type PrunedUntil = {
  readonly newestSeq: number
  /** Decides about what was pruned while no message came. */
  readonly atMs: number
}

/** Everything that was pruned in a conversation, oldest first; what a damaged row says is left out. */
export function readPruned(db: ReadDb, conversationId: number, until?: PrunedUntil): PrunedOutput[] {
  type Row = { readonly runId: string; readonly atMs: number; readonly configuration: string }
  return db.all<Row>(queries.runs, { conversationId }).flatMap(({ runId, atMs, configuration }) => {
    const facts = pruneFactsIn(configuration)
    if (!facts || (until && isLater(facts.newestSeq, atMs, until))) return []
    const { by, newestSeq } = facts
    return facts.outputs.map(([messageId, ordinal, tokens, seen]) => ({
      runId,
      messageId,
      ordinal,
      newestSeq,
      atMs,
      by,
      tokens,
      seen,
    }))
  })
}

/** Returns null for a row that is damaged, which the checks report. */
export const pruneFactsIn = (configuration: string): PruneFacts | null =>
  Configuration.safeParse(parsedJson(configuration)).data?.prune ?? null

const isLater = (newestSeq: number, atMs: number, until: PrunedUntil): boolean =>
  newestSeq > until.newestSeq || (newestSeq === until.newestSeq && atMs > until.atMs)

/** What was pruned of each message: the latest time, and all tokens. */
export function prunedByMessage(outputs: readonly PrunedOutput[]): ReadonlyMap<number, Pruned> {
  const found = new Map<number, Pruned>()
  for (const { messageId, atMs, by, tokens, seen } of outputs) {
    const known = found.get(messageId)
    found.set(messageId, { atMs, by, tokens: tokens + (known?.tokens ?? 0), seen: known ? null : seen })
  }
  return found
}

/** Tokens that were pruned of messages which are in a window themselves, by conversation: of all, or of one. */
export function prunedInWindows(db: ReadDb, conversation: number | null = null): ReadonlyMap<number, number> {
  type Row = { readonly conversationId: number; readonly tokens: number }
  return new Map(
    db
      .all<Row>(queries.inWindows, { conversationId: conversation })
      .map(({ conversationId, tokens }) => [conversationId, tokens]),
  )
}

/** Numbers of all messages of a memory of which something was pruned. */
export const prunedMessages = (db: ReadDb): readonly number[] => db.column<number>(queries.messages)

/** With these a run takes whole messages out: the model is sent nothing of them, and no call that they make. */
const OF_WHOLE_MESSAGES: ReadonlySet<string> = new Set([OMITTED, GIVEN_UP])

export const takesWholeMessages = (by: string): boolean => OF_WHOLE_MESSAGES.has(by)

/** The messages of which the model is sent nothing at all. */
export const unsentMessages = (outputs: readonly PrunedOutput[]): ReadonlySet<number> =>
  new Set(outputs.filter(({ by, seen }) => seen === null && takesWholeMessages(by)).map(({ messageId }) => messageId))

/** What each run took out, by its id. */
export function prunedByRun(outputs: readonly PrunedOutput[]): ReadonlyMap<string, PrunedRun> {
  const runs = new Map<string, PrunedRun>()
  for (const { runId, by, tokens } of outputs) {
    const known = runs.get(runId)
    runs.set(runId, { by, outputs: (known?.outputs ?? 0) + 1, tokens: (known?.tokens ?? 0) + tokens })
  }
  return runs
}
