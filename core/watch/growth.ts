import { statSync } from 'node:fs'
import type { WatchFinding } from '../contract/watch.ts'
import { plural, sizeText } from '../text.ts'

/** Growth is judged over this time. */
const OVER_MS = 10 * 60_000
/** Growth by less than this is no finding, however little was said. */
const LEAST_BYTES = 32_000_000
/** Messages do not explain growth by more than this for each of them: a message with its parts takes some kilobytes. */
const MOST_PER_MESSAGE = 200_000
/** SQLite empties its log at 4 MB unless a reader keeps it from that. */
const MOST_LOG_BYTES = 256_000_000

type Sample = { readonly atMs: number; readonly bytes: number; readonly messages: number }

/** Tells when a file or its log grows faster than what is said. */
export class Growth {
  #samples: Sample[] = []

  /** @param messages how many are stored in all */
  find(path: string, messages: number, nowMs: number): WatchFinding[] {
    const logBytes = sizeOf(`${path}-wal`)
    const now: Sample = { atMs: nowMs, bytes: sizeOf(path) + logBytes, messages }
    this.#samples = [...this.#samples.filter(({ atMs }) => nowMs - atMs <= OVER_MS), now]
    const first = this.#samples[0] ?? now
    const [grown, said] = [now.bytes - first.bytes, Math.max(0, messages - first.messages)]
    const about = { kind: 'file_growing', severity: 'warning', conversationId: null } as const
    return [
      ...(logBytes > MOST_LOG_BYTES
        ? [
            {
              ...{ ...about, sinceMs: null },
              text: `The log beside the file has ${sizeText(logBytes)}: something keeps SQLite from emptying it.`,
              mend: 'End programs that have read the file for long without a pause, or start the writer anew.',
              command: null,
            },
          ]
        : []),
      ...(grown >= LEAST_BYTES && grown > said * MOST_PER_MESSAGE
        ? [
            {
              ...{ ...about, sinceMs: first.atMs },
              text: `The file grew by ${sizeText(grown)} while ${plural(said, 'message')} arrived.`,
              mend: 'See where the bytes are, and what would make it smaller.',
              command: 'lcm storage',
            },
          ]
        : []),
    ]
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
