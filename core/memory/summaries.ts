import type { SummaryKind, SummaryLevel } from '../contract/ids.ts'
import { SUMMARY_LEVELS } from '../contract/lists.ts'

/** A summary without its text, as it stands in the file. In a damaged file any value may be of any type. */
export type SummaryRow = {
  /** Its number in this memory: the index of its node. */
  readonly index: number
  readonly id: string
  readonly conversationId: number
  readonly kind: string
  readonly depth: number
  readonly tokens: number
  readonly descendants: number
  /** Stored number of tokens of its messages; null where none is stored. */
  readonly recordedTokens: number | null
  /** Time range of its messages, as stored. */
  readonly earliestAtMs: number | null
  readonly latestAtMs: number | null
  /** The same as it is shown, where a system is known to store it wrong; otherwise null. */
  readonly shownRange: TimeRange | null
  readonly createdAtMs: number | null
  readonly level: string | null
  readonly model: string | null
  readonly promptVersion: string | null
  readonly hash: string | null
  readonly fileIds: string | null
}

/** A row of `summaries`; null where another system does not record it. */
export type DraftSummary = {
  readonly id: string
  readonly conversationId: number
  readonly kind: string
  readonly depth: number | null
  readonly tokens: number | null
  readonly sourceTokens: number | null
  readonly descendants: number | null
  readonly earliestAtMs: number | null
  readonly latestAtMs: number | null
  readonly createdAtMs: number | null
  readonly level: string | null
  readonly model: string | null
  readonly promptVersion: string | null
  readonly hash: string | null
  readonly fileIds: string | null
  /** Only of a text that is new here; the file has the others. */
  readonly content?: string
}

export type TimeRange = { readonly earliestAtMs: number | null; readonly latestAtMs: number | null }

/** Summaries, each with a number from 0 that stands for it: a *node*. */
export class Summaries {
  readonly rows: readonly SummaryRow[]
  readonly #byId: ReadonlyMap<string, number>

  constructor(rows: readonly Omit<SummaryRow, 'index'>[]) {
    this.rows = rows.map((row, index) => ({ ...row, index }))
    this.#byId = new Map(rows.map((row, index) => [row.id, index]))
  }

  get length(): number {
    return this.rows.length
  }

  at(node: number): SummaryRow {
    return this.rows[node] as SummaryRow
  }

  /** What it is shown as, whatever its file says. */
  kindOf(node: number): SummaryKind {
    const { kind, depth } = this.at(node)
    if (kind === 'leaf' || kind === 'condensed') return kind
    return depth > 0 ? 'condensed' : 'leaf'
  }

  levelOf(node: number): SummaryLevel {
    const { level } = this.at(node)
    return SUMMARY_LEVELS.find((known) => known === level) ?? 'unknown'
  }

  /** The node of a summary, or −1. */
  nodeOf(id: string): number {
    return this.#byId.get(id) ?? -1
  }
}
