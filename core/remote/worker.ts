import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkerOutcome } from '../contract/remote.ts'
import type { WorkOptions } from '../database.ts'
import { LcmError } from '../errors.ts'
import { makeTemporaryFolder } from '../sqlite/process-folder.ts'
import type { Postgres } from './postgres/connect.ts'
import {
  findJobs,
  finishJob,
  keepJob,
  lockForCompaction,
  releaseJob,
  type TakenJob,
  takeJob,
  unlockForCompaction,
} from './postgres/job-rows.ts'
import { pullConversation } from './pull.ts'
import { pushFile } from './push.ts'

/** A worker that says nothing for this long is taken to be gone. */
const LEASE_MS = 60_000
const RENEW_MS = 20_000
const FIRST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 15 * 60_000

export type WorkerOptions = WorkOptions & { readonly db: Postgres }

/**
 * Takes one job and does it: copies the conversation into a file, compacts it there while no transaction is open, and
 * writes the result in one transaction. A conflict leaves the job for later.
 * @returns null when no job is due
 */
export async function workOnce(options: WorkerOptions, signal: AbortSignal): Promise<WorkerOutcome | null> {
  const { db, worker, tenant, minWindowTokens, now } = options
  let job = await take(options)
  if (job === null) {
    await db.write(null, (query) => findJobs(query, { minWindowTokens, nowMs: now(), tenant }))
    job = await take(options)
  }
  if (job === null) return null
  const base = { tenant: job.tenant, conversationId: job.conversationId }
  if (!(await db.write(null, (query) => lockForCompaction(query, job)))) {
    await giveBack(options, job, LEASE_MS)
    return { ...base, outcome: 'busy', created: 0, error: null }
  }
  try {
    const created = await compactCopy(options, job, signal)
    // A window that nothing makes smaller is looked at again later, and not at once.
    if (created === 0) await giveBack(options, job, LONGEST_RETRY_MS)
    else await db.write(null, (query) => finishJob(query, job, worker))
    return { ...base, outcome: created > 0 ? 'compacted' : 'nothing_to_do', created, error: null }
  } catch (error) {
    if (!(error instanceof LcmError)) throw error
    await giveBack(options, job, Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(job.attempts, 20)))
    if (error.code === 'cancelled') throw error
    return { ...base, outcome: error.code === 'conflict' ? 'conflict' : 'failed', created: 0, error: error.message }
  } finally {
    await db.write(null, (query) => unlockForCompaction(query, job)).catch(() => undefined)
  }
}

const take = ({ db, worker, tenant, now }: WorkerOptions): Promise<TakenJob | null> =>
  db.write(null, (query) => takeJob(query, worker, { nowMs: now(), leaseMs: LEASE_MS, tenant }))

const giveBack = ({ db, worker, now }: WorkerOptions, job: TakenJob, inMs: number): Promise<void> =>
  db.write(null, (query) => releaseJob(query, job, worker, now() + inMs))

async function compactCopy(
  { db, worker, now, compact, every }: WorkerOptions,
  job: TakenJob,
  signal: AbortSignal,
): Promise<number> {
  const folder = makeTemporaryFolder('worker')
  const path = join(folder, 'conversation.db')
  try {
    const pull = pullConversation({ from: db, key: job, to: path }, signal)
    while (!(await pull.next()).done);
    let renewed: Promise<unknown> = Promise.resolve()
    const stop = every(RENEW_MS, () => {
      renewed = db.write(null, (query) => keepJob(query, job, worker, now() + LEASE_MS)).catch(() => undefined)
    })
    const created = await compact(path, job.conversationId, signal).finally(async () => {
      stop()
      await renewed
    })
    await pushFile(db, path)
    return created
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
