import type { SqlParams, SqlValue, WriteDb } from '../sqlite/read-db.ts'
import { metadataWithoutText } from '../sqlite/repeated-texts.ts'
import { CANONICAL } from '../systems/deriving/canonical.ts'
import { contentHash } from './ingest-rows.ts'

/**
 * The tables in an order that references allow. Runs, events and locks belong to the process that made them and are not
 * copied.
 */
export const TABLES = [
  'conversations',
  'messages',
  'message_parts',
  'summaries',
  'summary_messages',
  'summary_sources',
  'context_items',
  'large_files',
] as const
export type Table = (typeof TABLES)[number]

/** `summary_rowid` is left out, because the copy numbers its rows anew. */
export function columnsOf(table: Table): string[] {
  return (CANONICAL[table] ?? []).filter((column) => column !== 'summary_rowid')
}

const queries = {
  insert: (table: Table, columns: readonly string[]) => /* sql */ `
    INSERT OR IGNORE INTO ${table} (${columns.join(', ')})
    VALUES (:${columns.join(', :')})`,
  content: /* sql */ `SELECT content FROM messages WHERE message_id = :message`,
}

const inserts = new Map(TABLES.map((table) => [table, queries.insert(table, columnsOf(table))]))

/**
 * Inserts a row of `toNative` or of a native file. Returns false when a key refuses it. Messages have to be inserted
 * before their parts.
 */
export function insertRow(db: WriteDb, table: Table, row: SqlParams): boolean {
  const stored = table === 'message_parts' ? withTextOnce(db, row) : row
  return db.run(inserts.get(table) ?? '', stored) > 0
}

/**
 * Stores the text of a part once. Other systems store it up to three times: in the message, in the part and in the
 * original block.
 */
function withTextOnce(db: WriteDb, row: SqlParams): SqlParams {
  const { text_content: own, metadata } = row
  // The row may come from a native file that stores the text once already.
  const isStoredOnce = row.text_is_content === 1 || row.metadata_has_text === 1
  if (isStoredOnce || (typeof own !== 'string' && typeof metadata !== 'string')) return row
  const content = db.value<string>(queries.content, { message: row.message_id ?? null })
  const isContent = own === content && row.part_type === 'text' && row.tool_call_id === null
  // Only parts of tools are shortened. Reasoning is searched apart from the text of the message.
  const isRepeated = own === content && !isContent && row.part_type === 'tool' && row.is_content !== 1
  const text = row.is_content === 1 ? content : own
  const without = typeof metadata === 'string' && typeof text === 'string' ? metadataWithoutText(metadata, text) : null
  return {
    ...row,
    ...(isContent ? { is_content: 1, text_content: null } : {}),
    ...(isRepeated ? { text_is_content: 1, text_content: null } : {}),
    ...(without === null ? {} : { metadata: without, metadata_has_text: 1 }),
  }
}

/** Fills in what the native schema requires and another system does not record. */
export function toNative(table: Table, row: Readonly<Record<string, SqlValue>>): SqlParams {
  switch (table) {
    case 'messages':
      return {
        ...row,
        created_at: row.created_at ?? 0,
        content: row.content ?? '',
        content_hash: contentHash(String(row.content ?? '')),
      }
    case 'summaries':
      return {
        ...row,
        created_at: row.created_at ?? row.latest_at ?? 0,
        source_token_count: row.source_token_count ?? 0,
        descendant_count: row.descendant_count ?? 0,
        level: row.level ?? 'unknown',
        file_ids: row.file_ids ?? '[]',
        summary_hash: row.summary_hash ?? '',
      }
    case 'conversations':
      return {
        ...row,
        importer: row.importer ?? 'copy',
        created_at: row.created_at ?? 0,
        updated_at: row.updated_at ?? row.created_at ?? 0,
      }
    case 'message_parts':
      return { ...row, session_id: row.session_id ?? '' }
    case 'context_items':
    case 'large_files':
      return { ...row, created_at: row.created_at ?? 0 }
    default:
      return row
  }
}

/** Some systems use one session id for several conversations. The importer is changed to tell them apart. */
export function withOwnSession(row: SqlParams, seen: Set<string>): SqlParams {
  const session = JSON.stringify([row.importer, row.session_id])
  const isNew = !seen.has(session)
  seen.add(session)
  return isNew ? row : { ...row, importer: `${row.importer}, conversation ${row.conversation_id}` }
}
