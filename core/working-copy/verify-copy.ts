import { createHash } from 'node:crypto'
import type { CopyReport } from '../contract/working-copy.ts'
import type { ReadDb, SqlValue } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'

/** What a reader can see of a memory, each in an order that both files have. */
const views = {
  conversations: 'SELECT conversation_id, session_id, title FROM conversations ORDER BY conversation_id',
  messages:
    'SELECT message_id, conversation_id, seq, role, token_count, coalesce(created_at, 0), content FROM messages ORDER BY message_id',
  parts: `
    SELECT part_id, message_id, ordinal, part_type, text_content, tool_call_id, tool_name, tool_input, tool_output, metadata
    FROM message_parts ORDER BY message_id, ordinal, part_id`,
  summaries: `
    SELECT summary_id, conversation_id, kind, depth, token_count, earliest_at, latest_at, content
    FROM summaries ORDER BY summary_id`,
  messageEdges: 'SELECT summary_id, message_id, ordinal FROM summary_messages ORDER BY summary_id, ordinal, message_id',
  summaryEdges:
    'SELECT summary_id, source_summary_id, ordinal FROM summary_sources ORDER BY summary_id, ordinal, source_summary_id',
  window:
    'SELECT conversation_id, ordinal, item_type, message_id, summary_id FROM context_items ORDER BY conversation_id, ordinal',
  files: 'SELECT file_id, conversation_id, file_name, storage_uri FROM large_files ORDER BY file_id',
} as const

/**
 * Compares original and copy row by row.
 * @throws LcmError sqlite_failed, naming what differs
 */
export function verifyCopy(original: ReadDb, copy: ReadDb): CopyReport {
  const counts = new Map<string, number>()
  for (const [name, sql] of Object.entries(views)) {
    const [before, after] = [digest(original, sql), digest(copy, sql)]
    counts.set(name, after.rows)
    if (before.rows === after.rows && before.hash === after.hash) continue
    throw new LcmError(
      'sqlite_failed',
      `The copy is not the same in its ${name} (${before.rows} rows became ${after.rows}) and was not kept. The original is untouched; it may have been written to meanwhile, so try again.`,
    )
  }
  const count = (name: keyof typeof views): number => counts.get(name) ?? 0
  return {
    messages: count('messages'),
    summaries: count('summaries'),
    edges: count('messageEdges') + count('summaryEdges'),
    contextItems: count('window'),
    verified: true,
  }
}

function digest(db: ReadDb, sql: string): { rows: number; hash: string } {
  const hash = createHash('sha256')
  let rows = 0
  for (const row of db.iterateRaw<readonly SqlValue[]>(sql)) {
    rows += 1
    for (const value of row)
      hash.update(
        value === null ? '\u0000' : `${typeof value === 'string' ? 's' : 'n'}${String(value).length}:${value}`,
      )
  }
  return { rows, hash: hash.digest('hex') }
}
