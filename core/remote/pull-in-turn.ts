import { setTimeout } from 'node:timers/promises'
import type { JobProgress } from '../contract/job.ts'
import type { PullReport } from '../contract/remote.ts'
import { LcmError } from '../errors.ts'
import { holdLock } from '../sqlite/cache-db.ts'
import { yieldToOthers } from '../yielding.ts'
import { type PullRequest, pullConversation } from './pull.ts'

/** While another program copies the same conversation, it is looked this often whether that has ended. */
const LOOK_EVERY_MS = 100
/** Ten minutes. */
const LOOKS = 6000

/**
 * Pulls into a file of the cache, after other programs that do the same have ended.
 * @throws LcmError locked when they do not end, and what pulling may throw
 */
export async function* pullInTurn(
  request: PullRequest,
  signal: AbortSignal,
  looks = LOOKS,
): AsyncGenerator<JobProgress, PullReport> {
  const lock = `${request.to}.lock`
  let release = holdLock(lock)
  for (let looked = 1; release === null; looked += 1) {
    if (looked >= looks) {
      throw new LcmError(
        'locked',
        `Another program has been copying conversation ${request.key.conversationId} of ${request.key.tenant} for long: end it, or try again when it has ended.`,
      )
    }
    yield { done: 0, total: 0, unit: 'messages', note: 'another program copies this conversation' }
    await setTimeout(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
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
