import type { ReadDb, SqlParams, SqlValue } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'

/** After so many fruitless looks the rest of a table counts as lost: a lost page may span billions of unused keys. */
const MAX_LOOKS = 4000

export type Row = Readonly<Record<string, SqlValue>>
export type Hole = { readonly from: number; readonly to: number }

/** What the statement reads in both directions; `where` may use `params`. */
export type Source = {
  readonly columns: readonly string[]
  readonly table: string
  /** An integer column with an index. */
  readonly key: string
  readonly where?: string
  readonly params?: SqlParams
}

/**
 * Every row that can be read, whatever pages are damaged: from both ends of a stretch up to the damage, then the halves
 * of what lies between, the widest first. Rows beside a damage may come twice; `holes` collects what gave nothing.
 */
export function* readableRows(db: ReadDb, source: Source, holes: Hole[]): Generator<Row> {
  const { key, table } = source
  const columns = [...new Set([key, ...source.columns])].join(', ')
  const filter = source.where ? `AND ${source.where}` : ''
  const select = (direction: 'ASC' | 'DESC'): string => /* sql */ `
    SELECT ${columns} FROM ${table}
    WHERE ${key} BETWEEN CAST(:from AS INTEGER) AND CAST(:to AS INTEGER) ${filter}
    ORDER BY ${key} ${direction}`
  const open: Hole[] = [{ from: -Number.MAX_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }]
  let looks = 0
  for (let at = 0; at < open.length; at += 1) {
    const { from, to } = open[at] as Hole
    if (looks >= MAX_LOOKS) {
      holes.push({ from, to })
      continue
    }
    looks += 1
    const up = { last: null as number | null, whole: false }
    yield* walk(db, select('ASC'), { ...source.params, from, to }, key, up)
    if (up.whole) continue
    const down = { last: null as number | null, whole: false }
    yield* walk(db, select('DESC'), { ...source.params, from, to }, key, down)
    if (down.whole) continue
    // The keys at which the ways from both ends stopped are read; several rows may share one, so they are kept.
    const low = up.last === null ? from : up.last + 1
    const high = down.last === null ? to : down.last - 1
    if (low > high) continue
    if (up.last !== null || down.last !== null) looks = Math.max(0, looks - 8)
    if (low === high) {
      holes.push({ from: low, to: high })
      continue
    }
    const middle = low + Math.floor((high - low) / 2)
    open.push({ from: low, to: middle }, { from: middle + 1, to: high })
  }
}

function* walk(
  db: ReadDb,
  sql: string,
  params: SqlParams,
  key: string,
  state: { last: number | null; whole: boolean },
): Generator<Row> {
  try {
    for (const row of db.iterate<Row>(sql, params)) {
      state.last = Number(row[key])
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
