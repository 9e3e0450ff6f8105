import { setTimeout } from 'node:timers/promises'
import type { JobProgress } from '../contract/job.ts'
import type { PullReport } from '../contract/remote.ts'
import { LcmError } from '../errors.ts'
import { holdLock } from '../sqlite/cache-db.ts'
import { yieldToOthers } from '../yielding.ts'
import { type PullRequest, pullConversation } from './pull.ts'

/** While another program copies the same conversation, it is looked this often whether that has ended. */
const LOOK_EVERY_MS = 100

/** Pulls into a file of the cache, after other programs that do the same have ended. */
export async function* pullInTurn(request: PullRequest, signal: AbortSignal): AsyncGenerator<JobProgress, PullReport> {
  const lock = `${request.to}.lock`
  let release = holdLock(lock)
  while (release === null) {
    yield { done: 0, total: 0, unit: 'messages', note: 'another program copies this conversation' }
    await setTimeout(LOOK_EVERY_MS)
    await yieldToOthers(signal)
    release = holdLock(lock)
  }
  try {
    return yield* pullConversation(request, signal)
  } finally {
    release()
  }
}

/** Another file for a conversation whose own has changes that were not pushed. */
export const pathAsStored = (path: string): string => path.replace(/\.db$/, '-as-stored.db')

/**
 * Pulls a conversation for reading. Where its file has changes that were not pushed, another file is used, because the
 * answer is to be what the database holds.
 */
export async function* pullForReading(
  request: PullRequest,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, PullReport> {
  try {
    return yield* pullInTurn(request, signal)
  } catch (error) {
    if (!(error instanceof LcmError) || error.code !== 'conflict') throw error
    return yield* pullInTurn({ ...request, to: pathAsStored(request.to) }, signal)
  }
}
