import { LcmError } from '../../errors.ts'
import type { ReadDb, SqlParams, SqlValue } from '../../sqlite/read-db.ts'

/** After so many fruitless looks the rest of a table counts as lost: a lost page may span billions of unused keys. */
const MAX_LOOKS = 4000
/** So many every range of a table gets, whatever the others took. */
const LEAST_LOOKS = 32

export type Row = Readonly<Record<string, SqlValue>>
export type Hole = { readonly from: number; readonly to: number }

/** How many looks are left for all ranges of a table. */
export class Looks {
  #left = MAX_LOOKS

  /** For one range. */
  take(): number {
    return Math.max(LEAST_LOOKS, this.#left)
  }

  spend(looks: number): void {
    this.#left -= looks
  }
}

/** What the statement reads in both directions; `where` may use `params`. */
export type Source = {
  readonly columns: readonly string[]
  readonly table: string
  /** An integer column with an index. */
  readonly key: string
  /** Several rows may have the same key. */
  readonly isShared?: boolean
  readonly where?: string
  readonly params?: SqlParams
}

/**
 * Every row that can be read, whatever pages are damaged: from both ends of a range up to the damage, then the halves
 * of what lies between, the widest first. `holes` collects what gave nothing.
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
    // With a key of several rows the ways may meet at one: its rows are told apart by what they hold.
    const seen = new Set(source.isShared ? up.atLast.map((row) => JSON.stringify(row)) : [])
    for (const row of walk(db, select('DESC'), { ...source.params, from, to }, key, down)) {
      if (seen.size === 0 || Number(row[key]) !== up.last || !seen.has(JSON.stringify(row))) yield row
    }
    if (down.whole) continue
    if (up.last !== null || down.last !== null) looks = Math.max(0, looks - 8)
    // Where a key has several rows, some of those at which the ways stopped may stand behind the damage.
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

/** How far a way went: its last key with the rows that have it, and whether it came to the end. */
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

/** What a damaged page looks like from above; everything else is another matter. */
export const isDamage = (error: unknown): boolean =>
  error instanceof LcmError && (error.code === 'file_corrupt' || error.code === 'sqlite_failed')

/** Neighbouring holes as one. */
export function joinHoles(holes: readonly Hole[]): Hole[] {
  const joined: { from: number; to: number }[] = []
  for (const hole of holes.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last && hole.from <= last.to + 1) last.to = Math.max(last.to, hole.to)
    else joined.push({ ...hole })
  }
  return joined
}
