import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import { openNative } from '#core/sqlite/native.ts'
import { coveredMessages, summariesCovered } from './story.ts'
import { insertRow, insertWindow, largeFileColumns, type SystemFile, type SystemWriter } from './system.ts'

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

/** Writes native files, in which every column has the value of the story. */
export const nativeWriter: SystemWriter = {
  name: 'native',
  tell: (story) => story,
  lacks: [],
  open: (path): SystemFile => {
    openNative(path).close()
    const db = new Database(path)
    const hashes = new Map<string | number, string>()
    const insert = (table: string, row: Record<string, unknown>): void => insertRow(db, table, row)
    return {
      path,
      db,
      begin: ({ id, number, messages }) =>
        insert('conversations', {
          conversation_id: BigInt(number),
          session_id: id,
          importer: 'story',
          created_at: BigInt(messages[0]?.atMs ?? 0),
          updated_at: BigInt(messages.at(-1)?.atMs ?? 0),
        }),
      message: ({ number: conversation, id }, message) => {
        const { number, seq, role, content, tokens, atMs, entry, call, result, hasParts } = message
        hashes.set(number, sha256(content))
        insert('messages', {
          message_id: BigInt(number),
          conversation_id: BigInt(conversation),
          seq: BigInt(seq),
          role,
          token_count: BigInt(tokens),
          created_at: BigInt(atMs),
          external_id: entry,
          content_hash: sha256(content),
          content,
        })
        const part = (ordinal: number, row: Record<string, unknown>): void =>
          insert('message_parts', {
            part_id: `${number}/${ordinal}`,
            message_id: BigInt(number),
            session_id: id,
            ordinal: BigInt(ordinal),
            ...row,
          })
        if (!hasParts) return
        if (result) {
          part(0, { part_type: 'tool', is_content: 1n, tool_call_id: result.callId, tool_name: result.name })
          return
        }
        part(0, { part_type: 'text', is_content: 1n })
        if (call) part(1, { part_type: 'tool', tool_call_id: call.id, tool_name: call.name, tool_input: call.input })
      },
      summary: (session, summary) => {
        const covered = coveredMessages(session, summary.id)
        const times = covered.map((message) => message.atMs)
        const sources = [...summary.messages, ...summary.sources].map((source) => hashes.get(source)).join(',')
        hashes.set(summary.id, sha256(`${sources}|${summary.content}`))
        insert('summaries', {
          summary_id: summary.id,
          conversation_id: BigInt(session.number),
          kind: summary.depth === 0 ? 'leaf' : 'condensed',
          depth: BigInt(summary.depth),
          token_count: BigInt(summary.tokens),
          source_token_count: BigInt(covered.reduce((sum, message) => sum + message.tokens, 0)),
          descendant_count: BigInt(summariesCovered(session, summary.id)),
          earliest_at: BigInt(Math.min(...times)),
          latest_at: BigInt(Math.max(...times)),
          created_at: BigInt(summary.atMs),
          level: 'unknown',
          model: summary.model,
          summary_hash: hashes.get(summary.id),
          content: summary.content,
        })
        summary.messages.forEach((message, ordinal) => {
          insert('summary_messages', { summary_id: summary.id, message_id: BigInt(message), ordinal: BigInt(ordinal) })
        })
        summary.sources.forEach((source, ordinal) => {
          insert('summary_sources', { summary_id: summary.id, source_summary_id: source, ordinal: BigInt(ordinal) })
        })
      },
      window: (session) => insertWindow(db, session, 0n),
      file: (session, file) =>
        insert('large_files', { ...largeFileColumns(session, file), created_at: BigInt(file.atMs) }),
    }
  },
}
