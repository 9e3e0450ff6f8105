import type { SqlParams, SqlValue } from '../sqlite/read-db.ts'
import { CANONICAL } from '../systems/canonical.ts'
import { contentHash } from './ingest-rows.ts'

/** In the order in which references allow. Runs, events and locks belong to the process that made them and stay behind. */
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

/** `summary_rowid` is the copy's own. */
export function columnsOf(table: Table): string[] {
  return (CANONICAL[table] ?? []).filter((column) => column !== 'summary_rowid')
}

const queries = {
  insert: (table: Table, columns: readonly string[], values: readonly string[]) => /* sql */ `
    INSERT OR IGNORE INTO ${table} (${columns.join(', ')})
    VALUES (${values.join(', ')})`,
  /** Whether a part says what its message says. */
  isContent: /* sql */ `
    :part_type = 'text' AND :tool_call_id IS NULL AND EXISTS (
      SELECT 1 FROM messages AS m WHERE m.message_id = :message_id AND m.content = :text_content)`,
}

/** Other systems store a text twice, as the message and as a part of it; a native file stores it once. */
const ONCE: Readonly<Record<string, string>> = {
  is_content: `iif(${queries.isContent}, 1, :is_content)`,
  text_content: `iif(${queries.isContent}, NULL, :text_content)`,
}

/** The INSERT for rows of `toNative`; what a key refuses is left out. Messages have to be there before their parts. */
export const insertInto = (table: Table): string => {
  const columns = columnsOf(table)
  const given = (column: string): string => (table === 'message_parts' ? ONCE[column] : undefined) ?? `:${column}`
  return queries.insert(table, columns, columns.map(given))
}

/** What the native schema wants and another system does not record. */
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

/** Some systems use a session's id for several conversations; ours tell them apart by who imported them. */
export function withOwnSession(row: SqlParams, seen: Set<string>): SqlParams {
  const session = JSON.stringify([row.importer, row.session_id])
  const isNew = !seen.has(session)
  seen.add(session)
  return isNew ? row : { ...row, importer: `${row.importer}, conversation ${row.conversation_id}` }
}
