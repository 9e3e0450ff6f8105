import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import type { PreparableDb } from '#core/sqlite/uri-db.ts'
import { secondsMs, textOf } from '../deriving/canonical.ts'

/** Names an output that was put into a file of its own. Where it says GC'd, it has taken the place of the text. */
const MARKER = /\[(?:GC'd )?externalized tool output:([^\]]{0,500}?);\s*ref=([^\]\\/;\s]{1,200})\]/gi
/** Folders of such files: beside the database, or in the home of an agent beside it. */
export const FOLDERS = ['lcm-large-outputs', join('home', 'lcm-large-outputs')]

const isMarked = `m.content LIKE '%externalized tool output:%ref=%'`
const row = (at: string): string => /* sql */ `
  SELECT ${textOf('m.content')} AS content, h.conversation_id AS conversation, ${secondsMs(at)} AS atMs
  FROM main.messages AS m CROSS JOIN temp.hermes_messages AS h`

const queries = {
  forget: /* sql */ `DELETE FROM temp.hermes_files`,
  all: (at: string) => `${row(at)} WHERE h.message_id = m.store_id AND ${isMarked}`,
  // The index finds candidates, if it knows all messages.
  indexed: (at: string) => `${row(at)} WHERE h.message_id = m.store_id AND ${isMarked} AND m.store_id IN (
    SELECT rowid FROM main.messages_fts WHERE messages_fts MATCH 'externalized')`,
  knowsAll: /* sql */ `
    SELECT (SELECT count(*) || ' ' || total(id) FROM main.messages_fts_docsize)
      = (SELECT count(*) || ' ' || total(store_id) FROM main.messages)`,
  isKeptInStep: /* sql */ `
    SELECT count(*) = 4 FROM main.sqlite_schema
    WHERE name IN ('messages_fts_docsize', 'msg_fts_insert', 'msg_fts_update', 'msg_fts_delete')`,
  add: /* sql */ `
    INSERT INTO temp.hermes_files (file_id, conversation_id, byte_size, storage_uri, note, created_at)
    VALUES (:id, CAST(:conversation AS INTEGER), CAST(:bytes AS INTEGER), :path, :note, CAST(:atMs AS INTEGER))
    ON CONFLICT (file_id) DO NOTHING`,
}

/** Reads which files messages point to, whether they are there or not. */
export function readPayloads(db: PreparableDb, probe: SchemaProbe, realPath: string): void {
  db.run(queries.forget)
  const folder = dirname(realPath)
  type Row = { content: string; conversation: number; atMs: number | null }
  for (const { content, conversation, atMs } of candidates<Row>(
    db,
    probe.has('messages', 'timestamp') ? 'm.timestamp' : 'NULL',
  )) {
    for (const [, told = '', id = ''] of content.matchAll(MARKER)) {
      const paths = FOLDERS.map((name) => join(folder, name, id))
      const path = paths.find((one) => sizeOf(one) !== null) ?? join(folder, 'lcm-large-outputs', id)
      const bytes = Number(/bytes=(\d{1,15})/.exec(told)?.[1] ?? Number.NaN)
      const size = Number.isNaN(bytes) ? sizeOf(path) : bytes
      db.run(queries.add, { id, conversation, bytes: size, path, note: told.trim() || null, atMs })
    }
  }
}

function candidates<T>(db: PreparableDb, at: string): T[] {
  if (db.value<number>(queries.isKeptInStep) !== 1) return db.all(queries.all(at))
  try {
    return db.all(db.value<number>(queries.knowsAll) === 1 ? queries.indexed(at) : queries.all(at))
  } catch {
    // The index is damaged; the messages need not be.
    return db.all(queries.all(at))
  }
}

function sizeOf(path: string): number | null {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? null
  } catch {
    // This user may not look at the file.
    return null
  }
}
