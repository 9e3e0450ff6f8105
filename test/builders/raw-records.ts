import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'

export type RawRecord = Readonly<Record<string, unknown>>

/** The types of a record and of what is in it: `event_msg/item_completed`. */
export function typeOfRecord(record: RawRecord): string {
  const { type, subtype, payload, attachment, message } = record as Record<string, RawRecord | undefined>
  const types = [type, subtype, payload?.type, attachment?.type, message?.role]
  return types.filter((name) => typeof name === 'string').join('/')
}

/** The records of a file of an agent, read without any code of the importers. A document is one record. */
export function rawRecords(path: string): RawRecord[] {
  if (path.endsWith('.jsonl')) {
    const lines = readFileSync(path, 'utf8').split('\n')
    return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  }
  if (/\.(?:json|traj)$/.test(path)) return [JSON.parse(readFileSync(path, 'utf8'))]
  if (!/\.(?:db|sqlite)$/.test(path)) return []
  const db = new DatabaseSync(path, { readOnly: true })
  const sql = path.endsWith('.db')
    ? 'SELECT data AS json, NULL AS packed FROM message UNION ALL SELECT data, NULL FROM part'
    : 'SELECT event_json AS json, event_zstd AS packed FROM transcript_events'
  const rows = db.prepare(sql).all() as { readonly json: string | null; readonly packed: Uint8Array | null }[]
  db.close()
  return rows.map(({ json, packed }) => JSON.parse(json ?? zstdDecompressSync(packed ?? new Uint8Array()).toString()))
}
