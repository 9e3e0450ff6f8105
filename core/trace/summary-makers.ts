import type { LostAt } from '../contract/trace.ts'
import type { Memory } from '../memory/memory.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { changeStamp } from '../systems/reading/change-stamp.ts'
import { summaryMakers } from '../systems/records/events.ts'

type SummaryOrigin = { readonly runId: string; readonly atMs: number }

type KeptMakers = { readonly stamp: string; readonly makers: SummaryMakers }

const kept = new WeakMap<Memory, KeptMakers>()

/** The compaction that made each summary of a conversation, and when. */
export class SummaryMakers {
  readonly #memory: Memory
  readonly #made: ReadonlyMap<string, SummaryOrigin>
  /** The numbers of the runs in their order, from 1 on. */
  readonly #runs = new Map<string, number>()

  /** Reads the makers once for each state of the file. */
  static of(db: ReadDb, memory: Memory): SummaryMakers {
    const stamp = changeStamp(db)
    const known = kept.get(memory)
    if (known?.stamp === stamp) return known.makers
    const makers = new SummaryMakers(db, memory)
    kept.set(memory, { stamp, makers })
    return makers
  }

  private constructor(db: ReadDb, memory: Memory) {
    this.#memory = memory
    const events = summaryMakers(db, memory.messages.conversationId)
    this.#made = new Map(events.map(([summaryId, runId, atMs]) => [summaryId, { runId, atMs }]))
    for (const [, runId] of events)
      if (runId !== '' && !this.#runs.has(runId)) this.#runs.set(runId, this.#runs.size + 1)
  }

  /** Returns what is known of the making of a summary. A file without a log has the time of the summary only. */
  at(node: number): LostAt {
    const { summaries, links } = this.#memory
    const { id, depth, createdAtMs } = summaries.at(node)
    const made = this.#made.get(id)
    const runId = made && made.runId !== '' ? made.runId : null
    return {
      id,
      depth,
      runId,
      run: runId === null ? null : (this.#runs.get(runId) ?? null),
      atMs: made?.atMs ?? createdAtMs,
      sources: links.messagesOf(node).length + (links.sources[node]?.length ?? 0),
    }
  }
}
