import type { SummaryKind, SummaryLevel } from '../contract/ids.ts'
import { SUMMARY_LEVELS } from '../contract/lists.ts'

/** A summary without its text, as it is stored. In a damaged file any value may be of any type. */
export type SummaryRow = {
  /** The node of the summary: its index in this memory. */
  readonly index: number
  readonly id: string
  readonly conversationId: number
  readonly kind: string
  readonly depth: number
  readonly tokens: number
  /** The stored number of its descendants, or null where none is stored. */
  readonly descendants: number | null
  /** The stored number of tokens of its messages, or null where none is stored. */
  readonly recordedTokens: number | null
  /** The stored time range of its messages. */
  readonly earliestAtMs: number | null
  readonly latestAtMs: number | null
  /** The time range that is shown instead, where the system is known to store a wrong one; otherwise null. */
  readonly shownRange: TimeRange | null
  readonly createdAtMs: number | null
  readonly level: string | null
  readonly model: string | null
  readonly promptVersion: string | null
  readonly hash: string | null
  readonly fileIds: string | null
}

/** A row of `summaries`. A value is null where another system does not record it. */
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
  /** Present only when the text is new in the draft; other texts are in the file. */
  readonly content?: string
}

export type TimeRange = { readonly earliestAtMs: number | null; readonly latestAtMs: number | null }

/** Summaries by number. The number of a summary, from 0 on, is its *node*. */
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

  /** The kind as which the summary is shown, whatever its file says. */
  kindOf(node: number): SummaryKind {
    const { kind, depth } = this.at(node)
    if (kind === 'leaf' || kind === 'condensed') return kind
    return depth > 0 ? 'condensed' : 'leaf'
  }

  levelOf(node: number): SummaryLevel {
    const { level } = this.at(node)
    return SUMMARY_LEVELS.find((known) => known === level) ?? 'unknown'
  }

  /** Whether both hold the same rows in the same order. */
  isSameAs({ rows: others }: Summaries): boolean {
    return (
      this.rows.length === others.length &&
      this.rows.every((row, node) => {
        const other = others[node] as SummaryRow
        return COLUMNS.every((column) => Object.is(row[column], other[column]))
      })
    )
  }

  /** Returns the node of a summary, or −1. */
  nodeOf(id: string): number {
    return this.#byId.get(id) ?? -1
  }
}

/** The range that is shown instead of the stored one is read with whole files only. */
const COLUMNS = [
  'id',
  'conversationId',
  'kind',
  'depth',
  'tokens',
  'descendants',
  'recordedTokens',
  'earliestAtMs',
  'latestAtMs',
  'createdAtMs',
  'level',
  'model',
  'promptVersion',
  'hash',
  'fileIds',
] as const satisfies readonly (keyof SummaryRow)[]
