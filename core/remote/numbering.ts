import { sha256 } from '../hashing.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { Reference } from '../tables.ts'
import type { StoredRow, StoredTable, StoredValue } from './postgres/tables.ts'

/** What a file numbers, and what has ids in it, with the beginning of ours. */
const NUMBERED = {
  message: ['messages', 'message_id'],
  row: ['summaries', 'summary_rowid'],
  event: ['compaction_events', 'event_id'],
  surgery: ['surgery_events', 'surgery_id'],
} as const
const NAMED = {
  part: ['message_parts', 'part_id', 'prt_'],
  summary: ['summaries', 'summary_id', 'sum_'],
  run: ['compaction_runs', 'run_id', 'run_'],
} as const
type Numbered = keyof typeof NUMBERED
type Named = keyof typeof NAMED

const queries = {
  range: (table: string, column: string) =>
    /* sql */ `SELECT min(${column}) AS first, max(${column}) AS last FROM ${table}`,
  /** Links and windows may name messages that are not there; nobody else gets the numbers of those. */
  lastMessage: /* sql */ `
    SELECT max(last) FROM (
      SELECT max(message_id) AS last FROM messages
      UNION ALL SELECT max(message_id) FROM summary_messages UNION ALL SELECT max(message_id) FROM context_items)`,
  next: (table: string, column: string) => /* sql */ `
    SELECT ${column} FROM ${table} WHERE :after IS NULL OR ${column} > :after ORDER BY ${column} LIMIT 1000`,
  taken: (table: string, column: string) => /* sql */ `
    SELECT ${column} FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(:values))`,
}

/** What of a conversation gets other numbers and ids in a file where others have some of them. */
export type Numbering = {
  readonly add: Readonly<Record<Numbered, number>>
  readonly ids: Readonly<Record<Named, ReadonlyMap<string, string>>>
}

/**
 * Numbers of a kind move together, behind all others, so that their order stays; an id that is taken is replaced by one
 * that follows from it. What is free stays as it is.
 */
export function numberingIn(whole: ReadDb, part: ReadDb, conversationId: number): Numbering {
  const move = ([table, column]: (typeof NUMBERED)[Numbered]): number => {
    const range = (db: ReadDb) => db.get<{ first: number | null; last: number | null }>(queries.range(table, column))
    const [own, other] = [range(part), range(whole)]
    const last = table === 'messages' ? whole.value<number | null>(queries.lastMessage) : other?.last
    if (own?.first == null || last == null || own.first > last) return 0
    return takenIn(whole, part, table, column).next().done ? 0 : last + 1 - own.first
  }
  const rename = ([table, column, prefix]: (typeof NAMED)[Named]): ReadonlyMap<string, string> =>
    new Map(
      takenIn(whole, part, table, column).map((id) => {
        const fresh = sha256(JSON.stringify([id, conversationId])).slice(0, prefix === 'prt_' ? 20 : 16)
        return [String(id), `${prefix}${fresh}`]
      }),
    )
  return { add: mapped(NUMBERED, move), ids: mapped(NAMED, rename) }
}

/** The values of a column in `part` that `whole` has already. */
export function* takenIn(whole: ReadDb, part: ReadDb, table: string, column: string): Generator<string | number> {
  for (let after: string | number | null = null; ; ) {
    const values: (string | number)[] = part.column(queries.next(table, column), { after })
    const last = values.at(-1)
    if (last === undefined) return
    yield* whole.column<string | number>(queries.taken(table, column), { values: JSON.stringify(values) })
    after = last
  }
}

/** The way back. */
export const inverse = ({ add, ids }: Numbering): Numbering => ({
  add: mapped(add, (by) => -by),
  ids: mapped(ids, (names) => new Map(names.entries().map(([from, to]) => [to, from]))),
})

export const changesNothing = ({ add, ids }: Numbering): boolean =>
  Object.values(add).every((by) => by === 0) && Object.values(ids).every((names) => names.size === 0)

export function renumbered(row: StoredRow, { columns }: StoredTable, numbering: Numbering): StoredRow {
  const changed = columns.flatMap(({ name, refersTo }): [string, StoredValue][] =>
    refersTo === undefined ? [] : [[name, referenceIn(row[name] ?? null, refersTo, numbering)]],
  )
  return changed.length === 0 ? row : { ...row, ...Object.fromEntries(changed) }
}

function referenceIn(value: StoredValue, reference: Reference, numbering: Numbering): StoredValue {
  if (value === null) return null
  const { add, ids } = numbering
  switch (reference) {
    case 'message':
    case 'row':
    case 'surgery':
      return Number(value) + add[reference]
    case 'event':
      // Before the first event stands 0.
      return value === 0 ? 0 : Number(value) + add.event
    case 'part':
    case 'summary':
    case 'run':
      return ids[reference].get(String(value)) ?? value
    case 'node':
      return nodeIn(String(value), numbering)
    case 'window':
      return inJson(String(value), (entries) =>
        Array.isArray(entries) ? entries.map((one) => entryIn(one, numbering)) : entries,
      )
    case 'replaced':
      // [ordinal, type, node, time] of each entry that went out.
      return inJson(String(value), (entries) =>
        Array.isArray(entries)
          ? entries.map((entry) => (Array.isArray(entry) ? entry.with(2, entryIn(entry[2], numbering)) : entry))
          : entries,
      )
    case 'note':
      return inJson(String(value), (note) => noteIn(note, numbering))
    case 'detail':
      return inJson(String(value), (detail) => detailIn(detail, numbering))
  }
}

const MESSAGE = /^msg_(-?\d{1,15})$/

function nodeIn(id: string, { add, ids }: Numbering): string {
  const [, message] = MESSAGE.exec(id) ?? []
  return message === undefined ? (ids.summary.get(id) ?? id) : `msg_${Number(message) + add.message}`
}

function entryIn(entry: unknown, numbering: Numbering): unknown {
  if (typeof entry === 'number') return entry + numbering.add.message
  return typeof entry === 'string' ? nodeIn(entry, numbering) : entry
}

/** The part of a compaction names its run and its summary. */
function noteIn(note: unknown, { ids }: Numbering): unknown {
  if (!isRecord(note)) return note
  const { run, summary } = note
  if (typeof run !== 'string' || typeof summary !== 'string') return note
  return { ...note, run: ids.run.get(run) ?? run, summary: ids.summary.get(summary) ?? summary }
}

/**
 * A change by hand names the summaries whose texts it replaced, and those that it made as copies of others. These others
 * are of another conversation, which has numbers of its own.
 */
function detailIn(detail: unknown, { ids }: Numbering): unknown {
  if (!isRecord(detail)) return detail
  const renamed = (id: unknown): unknown => (typeof id === 'string' ? (ids.summary.get(id) ?? id) : id)
  const texts = (all: unknown): unknown =>
    Array.isArray(all) ? all.map((one) => (isRecord(one) ? { ...one, id: renamed(one.id) } : one)) : all
  return {
    ...detail,
    ...('replaced' in detail && { replaced: texts(detail.replaced) }),
    ...('rewritten' in detail && { rewritten: texts(detail.rewritten) }),
    ...(isRecord(detail.copies) && { copies: mapped(detail.copies, renamed) }),
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** JSON in another form than ours was not written by this program, and stays as it is. */
function inJson(text: string, body: (value: unknown) => unknown): string {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? JSON.stringify(body(value)) : text
  } catch {
    return text
  }
}

function mapped<Key extends string, From, To>(
  from: Readonly<Record<Key, From>>,
  body: (value: From) => To,
): Record<Key, To> {
  return Object.fromEntries(Object.entries<From>(from).map(([key, value]) => [key, body(value)])) as Record<Key, To>
}
