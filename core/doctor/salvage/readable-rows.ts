import { LcmError } from '#core/errors.ts'
import type { ReadDb, SqlParams, SqlValue } from '#core/sqlite/read-db.ts'

/**
 * The number of failed attempts after which the rest of a table counts as lost. A lost page may span billions of unused
 * keys.
 */
const MAX_LOOKS = 4000
/** Every range of a table gets this many attempts, however many the others used. */
const LEAST_LOOKS = 32

export type Row = Readonly<Record<string, SqlValue>>
export type Hole = { readonly from: number; readonly to: number }

/** Counts the attempts that are left for all ranges of a table. */
export class Looks {
  #left = MAX_LOOKS

  /** Returns the number of attempts for one range. */
  take(): number {
    return Math.max(LEAST_LOOKS, this.#left)
  }

  spend(looks: number): void {
    this.#left -= looks
  }
}

/** The rows that the statement reads in both directions. `where` may use `params`. */
export type Source = {
  readonly columns: readonly string[]
  readonly table: string
  /** An integer column with an index. */
  readonly key: string
  /** True when several rows may have the same key. */
  readonly isShared?: boolean
  readonly where?: string
  readonly params?: SqlParams
}

/**
 * Returns every row that can be read, whatever pages are damaged. It reads from both ends of a range up to the damage,
 * then the halves of what is left in between, the widest first. `holes` collects the ranges without readable rows.
 */
export function* readableRows(db: ReadDb, source: Source, holes: Hole[], budget: Looks): Generator<Row> {
  const { key, table } = source
  const columns = [...new Set([key, ...source.columns])].join(', ')
  const filter = source.where ? `AND ${source.where}` : ''
  const select = (direction: 'ASC' | 'DESC'): string => /* sql */ `
    SELECT ${columns} FROM ${table}
    WHERE ${key} BETWEEN CAST(:from AS INTEGER) AND CAST(:to AS INTEGER) ${filter}
    ORDER BY ${key} ${direction}`
  const open: Hole[] = [{ from: -Number.MAX_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }]
  const most = budget.take()
  let looks = 0
  for (let at = 0; at < open.length; at += 1) {
    const { from, to } = open[at] as Hole
    if (looks >= most) {
      holes.push({ from, to })
      continue
    }
    looks += 1
    budget.spend(1)
    const up = end()
    yield* walk(db, select('ASC'), { ...source.params, from, to }, key, up)
    if (up.whole) continue
    const down = end()
    // When several rows share a key, both directions may end at the same key. Its rows are compared by their content.
    const seen = new Set(source.isShared ? up.atLast.map((row) => JSON.stringify(row)) : [])
    for (const row of walk(db, select('DESC'), { ...source.params, from, to }, key, down)) {
      if (seen.size === 0 || Number(row[key]) !== up.last || !seen.has(JSON.stringify(row))) yield row
    }
    if (down.whole) continue
    if (up.last !== null || down.last !== null) looks = Math.max(0, looks - 8)
    // When several rows share a key, some rows of the last key may be behind the damage.
    if (source.isShared)
      for (const last of new Set([up.last, down.last])) if (last !== null) holes.push({ from: last, to: last })
    const low = up.last === null ? from : up.last + 1
    const high = down.last === null ? to : down.last - 1
    if (low > high) continue
    if (low === high) {
      holes.push({ from: low, to: high })
      continue
    }
    const middle = low + Math.floor((high - low) / 2)
    open.push({ from: low, to: middle }, { from: middle + 1, to: high })
  }
}

/** How far one direction came: its last key with the rows that have it, and whether it reached the end. */
type End = { last: number | null; atLast: Row[]; whole: boolean }
const end = (): End => ({ last: null, atLast: [], whole: false })

function* walk(db: ReadDb, sql: string, params: SqlParams, key: string, state: End): Generator<Row> {
  try {
    for (const row of db.iterate<Row>(sql, params)) {
      const at = Number(row[key])
      if (at !== state.last) state.atLast = []
      state.last = at
      state.atLast.push(row)
      yield row
    }
    state.whole = true
  } catch (error) {
    if (!isDamage(error)) throw error
  }
}

/** The errors that a damaged page causes. Any other error is thrown on. */
export const isDamage = (error: unknown): boolean =>
  error instanceof LcmError && (error.code === 'file_corrupt' || error.code === 'sqlite_failed')

/** Merges neighbouring holes. */
export function joinHoles(holes: readonly Hole[]): Hole[] {
  const joined: { from: number; to: number }[] = []
  for (const hole of holes.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last && hole.from <= last.to + 1) last.to = Math.max(last.to, hole.to)
    else joined.push({ ...hole })
  }
  return joined
}
