import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestMemory } from './memory.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Writes lines to a file: strings unchanged, everything else as JSON. */
export function writeLines(lines: readonly unknown[], name = 'session.jsonl', folder = temporaryFolder()): string {
  const path = join(folder, name)
  writeFileSync(path, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
  return path
}

export function writeJson(value: unknown, name = 'session.json', folder = temporaryFolder()): string {
  const path = join(folder, name)
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}

/** `role: content` of every message, in order. */
export const told = ({ db }: TestMemory, session?: string): string[] =>
  db.column<string>(
    `SELECT m.role || ': ' || m.content FROM messages AS m JOIN conversations AS c USING (conversation_id)
     WHERE :session IS NULL OR c.session_id = :session ORDER BY m.message_id`,
    { session: session ?? null },
  )

/** The window of a conversation as text: `role: content` of messages, `kind(level): content` of summaries. */
export const windowOf = ({ db }: TestMemory, session?: string): string[] =>
  db.column<string>(
    `SELECT coalesce(m.role, s.kind || '(' || s.level || ')') || ': ' || coalesce(m.content, s.content)
     FROM context_items AS i JOIN conversations AS c USING (conversation_id)
     LEFT JOIN messages AS m ON m.message_id = i.message_id LEFT JOIN summaries AS s ON s.summary_id = i.summary_id
     WHERE :session IS NULL OR c.session_id = :session ORDER BY i.conversation_id, i.ordinal`,
    { session: session ?? null },
  )

/** The contents of the messages to which each summary links, by its text, oldest summary first. */
export const underSummaries = ({ db }: TestMemory): Record<string, string[]> =>
  Object.fromEntries(
    db
      .all<{ text: string; messages: string }>(
        `SELECT s.content AS text, json_group_array(m.content ORDER BY l.ordinal) AS messages
         FROM summaries AS s JOIN summary_messages AS l USING (summary_id) JOIN messages AS m USING (message_id)
         GROUP BY s.summary_id ORDER BY s.summary_rowid`,
      )
      .map(({ text, messages }) => [text, JSON.parse(messages) as string[]]),
  )

/** Returns everything that an import writes, to compare before and after. */
export const dump = ({ db }: TestMemory): unknown[] =>
  [
    'conversations',
    'messages',
    'message_parts',
    'context_items',
    'summaries',
    'summary_messages',
    'compaction_events',
  ].map((table) => db.all(`SELECT * FROM ${table} ORDER BY 1, 2`))
