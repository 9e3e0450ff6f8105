import type { ReadDb } from '../../sqlite/read-db.ts'

const queries = {
  /** Where a system does not store the number, it would have to be worked out for every row. */
  all: (recordedTokens: 'source_token_count' | 'NULL') => /* sql */ `
    SELECT ${recordedTokens} AS recordedTokens, summary_id AS id, conversation_id AS conversationId, kind, depth, token_count AS tokens,
      descendant_count AS descendants, earliest_at AS earliestAtMs, latest_at AS latestAtMs, file_ids AS fileIds
    FROM summaries`,
  /** What the file says itself, where the summaries are shown with something better. */
  ranges: /* sql */ `
    SELECT summary_id AS id, earliest_at AS earliestAtMs, latest_at AS latestAtMs FROM stored_ranges`,
}

/** A summary without its text, as it stands in the file; `index` is its place in the table. */
export type SummaryRow = {
  readonly index: number
  readonly id: string
  readonly conversationId: number
  readonly kind: string
  readonly depth: number
  readonly tokens: number
  readonly descendants: number
  /** Stored number of tokens beneath; null where none is stored. */
  readonly recordedTokens: number | null
  readonly earliestAtMs: number | null
  readonly latestAtMs: number | null
  readonly fileIds: string | null
}

type StoredRange = Pick<SummaryRow, 'id' | 'earliestAtMs' | 'latestAtMs'>

/** All summaries of a file, addressed by their place or their id. */
export class SummaryTable {
  readonly rows: SummaryRow[] = []
  readonly #byId = new Map<string, number>();

  *load(db: ReadDb, recordsTokens: boolean): Generator<void> {
    const sql = queries.all(recordsTokens ? 'source_token_count' : 'NULL')
    const stored = new Map(db.all<StoredRange>(queries.ranges).map((range) => [range.id, range]))
    for (const row of db.iterate<Omit<SummaryRow, 'index'>>(sql)) {
      const index = this.rows.length
      this.#byId.set(row.id, index)
      this.rows.push({ ...row, ...stored.get(row.id), index })
      if (index % 4096 === 0) yield
    }
  }

  get length(): number {
    return this.rows.length
  }

  at(index: number): SummaryRow {
    return this.rows[index] as SummaryRow
  }

  /** The place of a summary, or −1. */
  indexOf(id: string): number {
    return this.#byId.get(id) ?? -1
  }
}
