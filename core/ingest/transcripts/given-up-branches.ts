import type { TokenEstimator } from '#core/models/token-estimator.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { GIVEN_UP, PRUNE, pruneFactsIn } from '#core/systems/reading/pruned-outputs.ts'
import { homesOfCopies } from '#core/systems/records/forks.ts'
import { stemOfLink } from './answer-links.ts'
import type { HeldRecord } from './format.ts'
import { undoImportedRun } from './imported-run.ts'
import { storePruning } from './store-pruning.ts'

const queries = {
  messages: /* sql */ `
    SELECT external_id AS externalId, created_at AS atMs FROM messages
    WHERE conversation_id = :conversationId ORDER BY seq`,
  storedUntil: /* sql */ `
    SELECT external_id FROM messages
    WHERE conversation_id = :conversationId AND created_at <= :untilMs AND external_id IS NOT NULL ORDER BY seq`,
  // Earlier versions put a note in the place of a branch.
  notes: /* sql */ `
    SELECT run_id FROM compaction_runs WHERE conversation_id = :conversationId AND mode = 'branch'`,
  branches: /* sql */ `
    SELECT run_id AS runId, configuration FROM compaction_runs
    WHERE conversation_id = :conversationId AND mode = '${PRUNE}' AND owner = 'import'`,
  externalIds: /* sql */ `
    SELECT external_id FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  withdraw: /* sql */ `
    DELETE FROM compaction_runs WHERE run_id = :runId`,
  // `newest_seq` is the place of the message that records the compaction.
  compactions: /* sql */ `
    SELECT r.run_id AS runId, m.external_id AS recordedBy, r.configuration ->> '$.imported' AS key
    FROM compaction_runs AS r
    JOIN compaction_events AS e ON e.run_id = r.run_id
    JOIN messages AS m ON m.conversation_id = r.conversation_id AND m.seq = e.newest_seq
    WHERE r.conversation_id = :conversationId AND r.owner = 'import' AND r.mode = 'full'
    GROUP BY r.run_id
    ORDER BY max(e.event_id) DESC`,
}

type Held = Pick<HeldRecord, 'externalIds' | 'changedAtMs'> & { readonly db: WriteDb; readonly conversationId: number }

/** Returns the external ids of stored messages that a session does not hold any more. */
export function removedSince({ db, conversationId, externalIds, changedAtMs }: Held): string[] {
  const stored = db.column<string>(queries.storedUntil, { conversationId, untilMs: Math.round(changedAtMs) })
  return stored.filter((id) => !isAmong(externalIds, id))
}

export type GivenUp = {
  readonly db: WriteDb
  readonly estimator: TokenEstimator
  readonly importer: string
  readonly conversationId: number
  /** External ids of all messages on branches that were given up. */
  readonly externalIds: ReadonlySet<string>
  /** As in `GivenUpRecord`. */
  readonly compactions?: ReadonlySet<string> | undefined
}

type Row = { readonly externalId: string | null; readonly atMs: number }

/**
 * Notes the branches that were given up. Their messages keep their places, so that people see where a branch was left;
 * the agent sends none of them, and they count in no window.
 */
export function storeGivenUp({ externalIds, ...given }: GivenUp): void {
  if (externalIds.size === 0) return
  const { db, conversationId } = given
  db.transaction(() => {
    const homes = [...homesOfCopies(db, conversationId).reverse(), conversationId]
    const messages = homes.flatMap((home) => db.all<Row>(queries.messages, { conversationId: home }))
    for (const run of runsAmong(messages, externalIds)) {
      storePruning({
        ...given,
        pruning: {
          kind: 'pruning',
          sessionId: '',
          key: `branch ${run[0]?.externalId}`,
          by: GIVEN_UP,
          atMs: run.reduce((latestMs, { atMs }) => Math.max(latestMs, atMs), Number.NEGATIVE_INFINITY),
          isAuto: false,
          toldTokens: null,
          outputs: run.flatMap(({ externalId }) => (externalId === null ? [] : { externalId, seen: null })),
        },
      })
    }
  })
}

/**
 * Undoes what earlier imports made of a transcript that took another way since: branches to which the person returned
 * are sent again, and compactions that were taken back, or are on branches that were given up, are withdrawn.
 */
export function withdrawGivenUp(given: Omit<GivenUp, 'estimator' | 'importer'>): void {
  const { db, conversationId, externalIds, compactions } = given
  db.transaction(() => {
    for (const runId of db.column<string>(queries.notes, { conversationId })) undoImportedRun(db, runId, conversationId)
    type Branch = { runId: string; configuration: string }
    for (const { runId, configuration } of db.all<Branch>(queries.branches, { conversationId })) {
      const facts = pruneFactsIn(configuration)
      if (facts?.by !== GIVEN_UP) continue
      const ids = JSON.stringify(facts.outputs.map(([messageId]) => messageId))
      const messages = db.column<string | null>(queries.externalIds, { ids })
      if (!messages.every((id) => isAmong(externalIds, id))) db.run(queries.withdraw, { runId })
    }
    type Compaction = { runId: string; recordedBy: string | null; key: string }
    for (const { runId, recordedBy, key } of db.all<Compaction>(queries.compactions, { conversationId })) {
      const isGivenUp = recordedBy !== null && externalIds.has(recordedBy)
      if (isGivenUp || compactions?.has(key)) undoImportedRun(db, runId, conversationId)
    }
  })
}

/** A continuation is on the branch of its message. */
const isAmong = (externalIds: ReadonlySet<string>, id: string | null): boolean =>
  id !== null && (externalIds.has(id) || externalIds.has(stemOfLink(id)))

function runsAmong(messages: readonly Row[], externalIds: ReadonlySet<string>): Row[][] {
  const runs: Row[][] = []
  let run: Row[] | null = null
  for (const message of messages) {
    if (!isAmong(externalIds, message.externalId)) run = null
    else if (run) run.push(message)
    else {
      run = [message]
      runs.push(run)
    }
  }
  return runs
}
