import type { ConversationKey } from '#core/database.ts'
import type { Query } from './connect.ts'

/** A conversation that this worker has taken. */
export type TakenJob = ConversationKey & { readonly attempts: number }

const MOST_FOUND = 1000

const queries = {
  find: /* sql */ `
    INSERT INTO lcm.compaction_jobs (tenant_id, conversation_id, not_before)
    SELECT tenant_id, conversation_id, $2 FROM lcm.conversation_totals
    WHERE window_tokens >= $1 AND archived_at IS NULL AND ($3::text IS NULL OR tenant_id = $3)
    ORDER BY window_tokens DESC LIMIT ${MOST_FOUND}
    ON CONFLICT DO NOTHING`,
  /** A job that another worker is taking at this moment is passed over, not waited for. */
  take: /* sql */ `
    UPDATE lcm.compaction_jobs AS j SET taken_by = $1, taken_until = $2 + $3, attempts = j.attempts + 1
    FROM (
      SELECT tenant_id, conversation_id FROM lcm.compaction_jobs
      WHERE greatest(not_before, taken_until) <= $2 AND ($4::text IS NULL OR tenant_id = $4)
      ORDER BY greatest(not_before, taken_until) LIMIT 1 FOR UPDATE SKIP LOCKED
    ) AS next
    WHERE j.tenant_id = next.tenant_id AND j.conversation_id = next.conversation_id
    RETURNING j.tenant_id AS tenant, j.conversation_id AS "conversationId", j.attempts`,
  keep: /* sql */ `
    UPDATE lcm.compaction_jobs SET taken_until = $4
    WHERE tenant_id = $1 AND conversation_id = $2 AND taken_by = $3`,
  release: /* sql */ `
    UPDATE lcm.compaction_jobs SET taken_until = 0, taken_by = NULL, not_before = $4
    WHERE tenant_id = $1 AND conversation_id = $2 AND taken_by = $3`,
  finish: /* sql */ `
    DELETE FROM lcm.compaction_jobs WHERE tenant_id = $1 AND conversation_id = $2 AND taken_by = $3`,
  lock: /* sql */ `SELECT pg_try_advisory_lock(hashtextextended('compaction ' || $1, $2)) AS "isMine"`,
  unlock: /* sql */ `SELECT pg_advisory_unlock(hashtextextended('compaction ' || $1, $2))`,
}

/** Makes a job of each conversation whose window has at least this many tokens, unless it is one. */
export async function findJobs(
  query: Query,
  asked: { readonly minWindowTokens: number; readonly nowMs: number; readonly tenant: string | null },
): Promise<void> {
  await query(queries.find, [asked.minWindowTokens, asked.nowMs, asked.tenant])
}

/** Takes the job that is due longest, for a while. */
export async function takeJob(
  query: Query,
  worker: string,
  asked: { readonly nowMs: number; readonly leaseMs: number; readonly tenant: string | null },
): Promise<TakenJob | null> {
  const [job] = await query<TakenJob>(queries.take, [worker, asked.nowMs, asked.leaseMs, asked.tenant])
  return job ?? null
}

export async function keepJob(query: Query, job: ConversationKey, worker: string, untilMs: number): Promise<void> {
  await query(queries.keep, [job.tenant, job.conversationId, worker, untilMs])
}

/** Gives a job back, to be taken by anybody after a time. */
export async function releaseJob(
  query: Query,
  job: ConversationKey,
  worker: string,
  notBeforeMs: number,
): Promise<void> {
  await query(queries.release, [job.tenant, job.conversationId, worker, notBeforeMs])
}

export async function finishJob(query: Query, job: ConversationKey, worker: string): Promise<void> {
  await query(queries.finish, [job.tenant, job.conversationId, worker])
}

/** One compaction for a conversation, also when a job was taken over from a worker that is only slow. */
export async function lockForCompaction(query: Query, job: ConversationKey): Promise<boolean> {
  const [answer] = await query<{ isMine: boolean }>(queries.lock, [job.tenant, job.conversationId])
  return answer?.isMine === true
}

export async function unlockForCompaction(query: Query, job: ConversationKey): Promise<void> {
  await query(queries.unlock, [job.tenant, job.conversationId])
}
