import { sha256 } from '../hashing.ts'
import type { LedgerEvent } from './ledger-line.ts'

/**
 * The name of a line, in the line after it. It stands in `metadata.lcm`, where other programs look for nothing, so that
 * lines keep the form of decapod's ledger.
 */
export const lineHash = (line: string): string => sha256(line.endsWith('\n') ? line.slice(0, -1) : line)

/** Names the line before an event: its hash, or null where the event is the first of its ledger. */
export const afterLine = (event: LedgerEvent, previous: string | null): LedgerEvent => ({
  ...event,
  metadata: { ...event.metadata, lcm: { ...ownOf(event), previous } },
})

/** Returns undefined for a line of an older version or of another program, which names no other. */
export function previousOf(event: LedgerEvent): string | null | undefined {
  const { previous } = ownOf(event)
  return typeof previous === 'string' || previous === null ? previous : undefined
}

function ownOf({ metadata }: LedgerEvent): Readonly<Record<string, unknown>> {
  const own = metadata.lcm
  return typeof own === 'object' && own !== null ? (own as Record<string, unknown>) : {}
}

export type ChainedLine = {
  readonly text: string
  readonly previous: string | null | undefined
  /** False when it is known already that this line is not as it was written. */
  readonly isSound: boolean
}

/**
 * Checks, line after line, that each names the one before it. A line that was removed, put in or replaced with its new
 * hash breaks this in the next one. The last line of a ledger has no next one: of that only the memory that wrote it
 * can tell.
 */
export class ChainCheck {
  #before: string | null = null
  #isComparable = true
  #hasBegun = false
  /** Lines at the beginning that name no other, since an older version or another program wrote them. */
  unchained = 0

  /** Returns what is wrong with the line, or null. What follows a damaged line is not reported a second time. */
  add({ text, previous, isSound }: ChainedLine): string | null {
    const problem = this.#judge(previous)
    this.#before = lineHash(text)
    this.#isComparable = isSound
    return problem
  }

  /** Passes over a line of which nothing can be read. */
  skip(): void {
    this.#isComparable = false
  }

  #judge(previous: string | null | undefined): string | null {
    if (previous === undefined) {
      if (this.#hasBegun) return 'it does not name the line before it, as the lines above do'
      this.unchained += 1
      return null
    }
    this.#hasBegun = true
    if (!this.#isComparable || previous === this.#before) return null
    if (this.#before === null) return 'it is not the first line that was written: lines before it were removed'
    return 'the line before it is another than when it was written: a line was removed, put in or replaced'
  }
}
