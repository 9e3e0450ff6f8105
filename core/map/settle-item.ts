import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { MapResult } from '../contract/map.ts'
import { sha256 } from '../hashing.ts'
import type { CheckedAnswer } from './answer-schema.ts'
import type { MapItem } from './items.ts'
import type { RunJournal } from './run-journal.ts'
import { ItemFailure, type Worker } from './worker.ts'

/** How the items of a run are tried. */
export type Tries = {
  readonly worker: Worker
  readonly check: (answer: string) => CheckedAnswer
  /** An item has this many more tries after the first one. */
  readonly retries: number
  readonly clock: Clock
  /** The pause before the second try after a failure. It doubles with every try. */
  readonly firstPauseMs?: number
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

/** Tries one item until it has an answer or no try is left, and records how that ended. */
export async function settleItem(
  item: MapItem,
  { worker, check, retries, clock, firstPauseMs = FIRST_PAUSE_MS }: Tries,
  journal: RunJournal,
  signal: AbortSignal,
): Promise<MapResult['status']> {
  const { index, hash: item_hash } = item
  let refusal: string | null = null
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await tryOnce(() => worker.work({ item, refusal }, signal), check)
    const at_ms = clock()
    if (outcome.kind === 'valid') {
      const { value: output, json } = outcome
      const output_hash = sha256(json)
      await journal.append({
        kind: 'result',
        index,
        item_hash,
        status: 'completed',
        attempts,
        output,
        output_hash,
        at_ms,
      })
      return 'completed'
    }
    const { problem } = outcome
    if (outcome.isFinal || attempts > retries) {
      await journal.append({ kind: 'result', index, item_hash, status: 'failed', attempts, problem, at_ms })
      return 'failed'
    }
    await journal.append({ kind: 'attempt', index, attempt: attempts, problem, at_ms })
    refusal = outcome.kind === 'invalid' ? problem : null
    const pauseMs = Math.min(firstPauseMs * 2 ** (attempts - 1), LONGEST_PAUSE_MS)
    if (outcome.kind === 'failure') await pause(pauseMs, undefined, { signal })
  }
}

type Outcome =
  | { readonly kind: 'valid'; readonly value: unknown; readonly json: string }
  | { readonly kind: 'invalid' | 'failure'; readonly problem: string; readonly isFinal: boolean }

async function tryOnce(work: () => Promise<string>, check: Tries['check']): Promise<Outcome> {
  try {
    const answer = check(await work())
    return answer.kind === 'valid' ? answer : { ...answer, isFinal: false }
  } catch (error) {
    if (!(error instanceof ItemFailure)) throw error
    return { kind: 'failure', problem: error.message, isFinal: !error.isRetryable }
  }
}
