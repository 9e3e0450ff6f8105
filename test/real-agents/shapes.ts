import { join } from 'node:path'
import { type RawRecord, rawRecords, typeOfRecord } from '../builders/raw-records.ts'

/** The kinds of records in some files, with the names of their fields, two levels deep. */
export type Shapes = Readonly<Record<string, readonly string[]>>

/** What the newest version that was tried of each agent wrote, by the id of its format. */
export type RecordedShapes = Readonly<Record<string, { readonly version: string; readonly shapes: Shapes }>>

export const RECORDED_SHAPES = join(import.meta.dirname, 'recorded-shapes.json')

/** Names that are words of a session or of a machine, and no field. */
const isName = (name: string): boolean => /^[A-Za-z$_][\w$]*$/.test(name)

export function shapesIn(paths: readonly string[]): Shapes {
  const kinds = new Map<string, Set<string>>()
  for (const path of paths) {
    for (const record of rawRecords(path)) note(record, kinds)
  }
  return Object.fromEntries(
    [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, fields]) => [kind, [...fields].sort()]),
  )
}

function note(record: RawRecord, kinds: Map<string, Set<string>>): void {
  const { payload } = record as Readonly<Record<string, RawRecord | undefined>>
  const item = (payload?.item as RawRecord | undefined)?.type
  const kind = [typeOfRecord(record) || String(record.role ?? 'record'), ...(item ? [item] : [])].join('/')
  const fields = kinds.get(kind) ?? new Set()
  kinds.set(kind, fields)
  for (const [name, value] of Object.entries(record)) {
    fields.add(name)
    const inner = Array.isArray(value) ? value : [value]
    for (const one of inner) {
      if (typeof one !== 'object' || one === null) continue
      for (const key of Object.keys(one).filter(isName)) fields.add(`${name}.${key}`)
    }
  }
}

/** What is otherwise than it was recorded: kinds of records that are new or gone, and fields of known ones. */
export function changesOf(before: Shapes, now: Shapes): string[] {
  const kinds = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort()
  return kinds.flatMap((kind) => {
    const [then, today] = [before[kind], now[kind]]
    if (!then) return [`new kind of record ${kind}`]
    if (!today) return [`no record ${kind} any more`]
    const added = today.filter((field) => !then.includes(field))
    const gone = then.filter((field) => !today.includes(field))
    return [
      ...(added.length > 0 ? [`${kind} has ${added.join(', ')}`] : []),
      ...(gone.length > 0 ? [`${kind} lacks ${gone.join(', ')}`] : []),
    ]
  })
}
