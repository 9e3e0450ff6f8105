import type { JobProgress } from '#core/contract/job.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { CopyAdjustment, CopyReport } from '#core/contract/working-copy.ts'
import { LcmError } from '#core/errors.ts'
import { sha256Bytes, startSha256 } from '#core/hashing.ts'
import type { Table } from '#core/ingest/native-rows.ts'
import { migrations } from '#core/sqlite/native.ts'
import type { NativeColumn } from '#core/sqlite/native-schema.ts'
import { hasWrongValue, looseTables } from '#core/sqlite/native-values.ts'
import type { ReadDb, SqlValue } from '#core/sqlite/read-db.ts'
import { partMetadata, partText } from '#core/sqlite/repeated-texts.ts'
import { isNative } from '#core/systems/native/native.ts'
import { TimeSlice } from '#core/yielding.ts'
import { compareSearches } from './compare-searches.ts'
import type { RowFitter } from './fit-rows.ts'

const queries = {
  conversations: /* sql */ `
    SELECT conversation_id, session_id, logical_key, source_uri, title, archived_at, parent_conversation_id,
      coalesce(created_at, 0), coalesce(updated_at, created_at, 0)
    FROM conversations ORDER BY conversation_id`,
  messages: /* sql */ `
    SELECT message_id, conversation_id, seq, role, token_count, coalesce(created_at, 0), external_id, content
    FROM messages ORDER BY message_id`,
  /** A text that equals the message's text may be stored with the message alone. Readers get the same result. */
  messageParts: /* sql */ `
    SELECT p.part_id, p.message_id, p.ordinal, p.part_type, p.part_type <> 'text' AND p.is_content, p.is_synthetic,
      CASE WHEN p.part_type = 'text' AND p.is_content = 1
        THEN (SELECT m.content FROM messages AS m WHERE m.message_id = p.message_id) ELSE ${partText('p')} END,
      p.tool_call_id, p.tool_name, p.tool_status, p.tool_input, p.tool_output, p.tool_error, p.file_name, p.file_mime,
      ${partMetadata('p')}
    FROM message_parts AS p ORDER BY p.message_id, p.ordinal, p.part_id`,
  summaries: /* sql */ `
    SELECT summary_id, conversation_id, kind, depth, token_count, coalesce(source_token_count, 0),
      coalesce(descendant_count, 0), earliest_at, latest_at, coalesce(created_at, latest_at, 0),
      coalesce(level, 'unknown'), model, coalesce(file_ids, '[]'), content
    FROM summaries ORDER BY summary_id`,
  messageLinks: /* sql */ `
    SELECT summary_id, message_id, ordinal FROM summary_messages ORDER BY summary_id, ordinal, message_id`,
  sourceLinks: /* sql */ `
    SELECT summary_id, source_summary_id, ordinal FROM summary_sources ORDER BY summary_id, ordinal, source_summary_id`,
  windows: /* sql */ `
    SELECT conversation_id, ordinal, item_type, message_id, summary_id FROM context_items
    ORDER BY conversation_id, ordinal, message_id, summary_id`,
  largeFiles: /* sql */ `
    SELECT file_id, conversation_id, file_name, mime_type, byte_size, content_hash, storage_uri,
      exploration_summary, coalesce(created_at, 0)
    FROM large_files ORDER BY file_id`,
  compactions: /* sql */ `
    SELECT e.run_id, r.started_at, e.conversation_id, e.at, e.pass, e.summary_id, e.removed, e.level, e.source_tokens, e.tokens
    FROM compaction_events AS e JOIN compaction_runs AS r ON r.run_id = e.run_id ORDER BY e.event_id`,
  /** Names and conditions come from the native schema. */
  wrong: (table: string, columns: readonly NativeColumn[]) =>
    /* sql */ `SELECT count(*) FROM main.${table} AS t WHERE ${hasWrongValue(table, columns)}`,
}

/** The columns of a memory that are compared, in an order that both files have. */
type Section = {
  readonly name: string
  /** A name of the columns for people. */
  readonly what: string
  readonly table: Table | null
  readonly sql: string
}

const SECTIONS: readonly Section[] = [
  {
    name: 'conversations',
    what: 'numbers, sessions, titles, times',
    table: 'conversations',
    sql: queries.conversations,
  },
  {
    name: 'messages',
    what: 'numbers, places, roles, tokens, times and the SHA-256 of every text',
    table: 'messages',
    sql: queries.messages,
  },
  {
    name: 'message parts',
    what: 'texts, tool calls and results, metadata',
    table: 'message_parts',
    sql: queries.messageParts,
  },
  {
    name: 'summaries',
    what: 'ids, kinds, depths, tokens, time ranges, levels, models and the SHA-256 of every text',
    table: 'summaries',
    sql: queries.summaries,
  },
  {
    name: 'links to messages',
    what: 'which summary is made of which messages, in order',
    table: 'summary_messages',
    sql: queries.messageLinks,
  },
  {
    name: 'links to summaries',
    what: 'which summary is made of which summaries, in order',
    table: 'summary_sources',
    sql: queries.sourceLinks,
  },
  {
    name: 'windows',
    what: 'what the model sees, in order',
    table: 'context_items',
    sql: queries.windows,
  },
  {
    name: 'large files',
    what: 'ids, names, sizes, places, exploration summaries',
    table: 'large_files',
    sql: queries.largeFiles,
  },
  {
    name: 'compactions',
    what: 'which runs and replacements are recorded',
    table: null,
    sql: queries.compactions,
  },
]

export type Verification = {
  readonly original: ReadDb
  readonly info: MemoryInfo
  readonly copy: ReadDb
  /** Tells which rows were changed. All others have to be equal. */
  readonly fitter: RowFitter
  /** The number of rows in all tables of the original. */
  readonly rows: number
}

/**
 * Compares original and copy: every row by the hash of its columns, then the hits of some searches.
 * @throws LcmError sqlite_failed with the difference, cancelled
 */
export async function* verifyCopy(
  { original, info, copy, fitter, rows }: Verification,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, CopyReport> {
  const compared: { name: string; what: string; rows: number }[] = []
  // The rows of both files. The searches take next to no time.
  const toRead = 2 * rows
  let read = 0
  for (const { name, what, table, sql } of SECTIONS) {
    const before = yield* digest(original, sql, name, { read, toRead }, signal)
    read += before.rows
    const after = yield* digest(copy, sql, name, { read, toRead }, signal)
    read += after.rows
    compared.push({ name, what, rows: before.rows })
    if (before.rows === after.rows && before.hash === after.hash) continue
    const expected = table === null ? 0 : fitter.adjustedRows(table)
    if (expected > 0 && (yield* differing(original, copy, sql, { name, read, toRead }, signal)) <= expected) continue
    throw new LcmError(
      'sqlite_failed',
      `The copy is not the same in its ${name} (${before.rows} rows became ${after.rows}) and was not kept. The original is untouched.`,
    )
  }
  const adjusted = [...fitter.adjusted, ...(isNative(info) ? wrongValues(original) : [])]
  const searches = yield* compareSearches({ original, info, copy, isWhole: adjusted.length === 0 }, signal)
  const rowsOf = (name: string): number => compared.find((section) => section.name === name)?.rows ?? 0
  return {
    messages: rowsOf('messages'),
    summaries: rowsOf('summaries'),
    edges: rowsOf('links to messages') + rowsOf('links to summaries'),
    contextItems: rowsOf('windows'),
    verified: true,
    compared,
    searches,
    adjusted,
  }
}

/**
 * Finds values of a native file that cannot be shown. They are copied as they are shown, so the indexes of both files
 * differ.
 */
function wrongValues(original: ReadDb): CopyAdjustment[] {
  const made = migrations.slice(0, original.value<number>('PRAGMA main.user_version') ?? 0)
  return looseTables(original, made).flatMap(({ table, columns }): CopyAdjustment[] => {
    const rows = (wanted: readonly NativeColumn[]): number => original.value<number>(queries.wrong(table, wanted)) ?? 0
    const examples = columns.filter((column) => rows([column]) > 0).map(({ name }) => `${table}.${name}`)
    const what = 'Values that their column cannot hold are copied as they are shown.'
    return examples.length > 0 ? [{ what, rows: rows(columns), examples }] : []
  })
}

async function* digest(
  db: ReadDb,
  sql: string,
  name: string,
  { read, toRead }: { readonly read: number; readonly toRead: number },
  signal: AbortSignal,
): AsyncGenerator<JobProgress, { rows: number; hash: string }> {
  const all = startSha256()
  let rows = 0
  for await (const row of rowHashes(db, sql, signal)) {
    if (row === null) {
      yield { done: read + rows, total: toRead, unit: 'messages', note: `comparing ${name}` }
      continue
    }
    rows += 1
    all.update(row)
  }
  return { rows, hash: all.digest('hex') }
}

/** Counts the rows of the original without an equal in the copy. */
async function* differing(
  original: ReadDb,
  copy: ReadDb,
  sql: string,
  { name, read, toRead }: { readonly name: string; readonly read: number; readonly toRead: number },
  signal: AbortSignal,
): AsyncGenerator<JobProgress, number> {
  const unmatched = new Map<string, number>()
  for (const [db, step] of [
    [original, 1],
    [copy, -1],
  ] as const) {
    for await (const row of rowHashes(db, sql, signal)) {
      if (row === null) {
        yield { done: read, total: toRead, unit: 'messages', note: `comparing ${name}` }
        continue
      }
      const key = row.toString('base64')
      const count = (unmatched.get(key) ?? 0) + step
      if (count === 0) unmatched.delete(key)
      else unmatched.set(key, count)
    }
  }
  let missing = 0
  for (const count of unmatched.values()) missing += Math.max(0, count)
  return missing
}

/** Returns the hash of each row, and null where the caller may yield. */
async function* rowHashes(db: ReadDb, sql: string, signal: AbortSignal): AsyncGenerator<Buffer | null> {
  const slice = new TimeSlice(signal, 'Comparing was cancelled; no copy was made.')
  for (const row of db.iterateRows(sql)) {
    yield hashOf(row)
    if (!slice.isOver) continue
    yield null
    await slice.yield()
  }
}

function hashOf(row: readonly SqlValue[]): Buffer {
  let text = ''
  for (const value of row) {
    text += value === null ? '\u0000' : `${typeof value === 'string' ? 's' : 'n'}${String(value).length}:${value}`
  }
  return sha256Bytes(text)
}
