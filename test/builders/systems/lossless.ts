import { createHash } from 'node:crypto'
import {
  type ClawRelease,
  countsDescendants,
  isSince,
  type LosslessRelease,
  losslessSchema,
} from './lossless-schema.ts'
import { coveredMessages, inEveryMessage, type StoryMessage, summariesCovered, tokensCovered } from './story.ts'
import {
  insertRow,
  insertWindow,
  isoTime,
  largeFileColumns,
  openWriter,
  type SystemFile,
  type SystemWriter,
  sqlTime,
} from './system.ts'

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

/** A writer for one of the systems that came from lossless-claw. */
function losslessWriter(release: LosslessRelease, own: Pick<SystemWriter, 'lacks' | 'unsaid'>): SystemWriter {
  return {
    name: release === 'lossless-claude' ? release : `lossless-claw ${release}`,
    ...own,
    // This system counts from 1.
    tell: (story) =>
      inEveryMessage(story, (message, position) => ({
        seq: position + 1,
        entry: isSince(release, '0.13.0') ? `entry-${message.number}` : null,
      })),
    open: (path) => openLossless(path, release),
  }
}

function openLossless(path: string, release: LosslessRelease): SystemFile {
  const db = openWriter(path, losslessSchema(release))
  const has = (first: ClawRelease): boolean => isSince(release, first)
  const insert = (table: string, row: Record<string, unknown>): void => insertRow(db, table, row)
  const parts = (session: string, message: StoryMessage): void => {
    const { number, content, call, result, reasoning } = message
    let ordinal = 0
    const part = (row: Record<string, unknown>): void => {
      insert('message_parts', {
        part_id: `part-${number}-${ordinal}`,
        message_id: BigInt(number),
        session_id: session,
        ordinal: BigInt(ordinal),
        ...row,
      })
      ordinal += 1
    }
    const tool = (
      id: string | null,
      name: string | null,
      input: string | null,
      raw: object,
    ): Record<string, unknown> => ({
      ...(has('0.8.1') ? { tool_call_id: id, tool_name: name, tool_input: input } : {}),
      metadata: JSON.stringify({ toolCallId: id, toolName: name, raw }),
    })
    if (result) {
      const raw = { type: 'tool_result', tool_use_id: result.callId, content }
      part({ part_type: 'text', text_content: content, ...tool(result.callId, result.name, null, raw) })
      return
    }
    const block = (raw: object): string => JSON.stringify({ raw })
    if (reasoning)
      part({
        part_type: 'reasoning',
        text_content: reasoning,
        metadata: block({ type: 'thinking', thinking: reasoning }),
      })
    if (content !== '')
      part({ part_type: 'text', text_content: content, metadata: block({ type: 'text', text: content }) })
    if (!call) return
    const raw = { type: 'toolCall', id: call.id, name: call.name, arguments: JSON.parse(call.input) }
    part({ part_type: 'tool', ...tool(call.id, call.name, call.input, raw) })
  }
  return {
    path,
    db,
    begin: ({ id, number, messages, key }) =>
      insert('conversations', {
        conversation_id: BigInt(number),
        session_id: id,
        ...(key && has('0.5.0') ? { session_key: key } : {}),
        created_at: sqlTime(messages[0]?.atMs ?? 0),
        updated_at: sqlTime(messages.at(-1)?.atMs ?? 0),
      }),
    message: ({ number: conversation, id }, message) => {
      const { number, seq, role, content, tokens, atMs, entry, hasParts, fileId = null } = message
      insert('messages', {
        message_id: BigInt(number),
        conversation_id: BigInt(conversation),
        seq: BigInt(seq),
        role,
        content,
        token_count: BigInt(tokens),
        created_at: sqlTime(atMs),
        ...(has('0.10.0') ? { identity_hash: sha256(`${role}\0${content}`), large_content: fileId } : {}),
        ...(has('0.13.0') ? { transcript_entry_id: entry } : {}),
      })
      if (content !== '') insert('messages_fts', { rowid: BigInt(number), content })
      if (hasParts) parts(id, message)
    },
    summary: (session, summary) => {
      const covered = coveredMessages(session, summary.id)
      const times = covered.map((message) => message.atMs)
      insert('summaries', {
        summary_id: summary.id,
        conversation_id: BigInt(session.number),
        kind: summary.depth === 0 ? 'leaf' : 'condensed',
        depth: BigInt(summary.depth),
        content: summary.content,
        token_count: BigInt(summary.tokens),
        earliest_at: isoTime(Math.min(...times)),
        latest_at: isoTime(Math.max(...times)),
        descendant_count: BigInt(summariesCovered(session, summary.id)),
        created_at: isoTime(summary.atMs),
        file_ids: JSON.stringify(summary.fileIds ?? []),
        ...(countsDescendants(release)
          ? {
              descendant_token_count: BigInt(tokensCovered(session, summary.id)),
              source_message_token_count: BigInt(covered.reduce((sum, message) => sum + message.tokens, 0)),
            }
          : {}),
        ...(has('0.5.0') ? { model: summary.model ?? 'unknown' } : {}),
      })
      for (const index of has('0.8.1') ? ['summaries_fts', 'summaries_fts_cjk'] : ['summaries_fts'])
        insert(index, { summary_id: summary.id, content: summary.content })
      summary.messages.forEach((message, ordinal) => {
        insert('summary_messages', { summary_id: summary.id, message_id: BigInt(message), ordinal: BigInt(ordinal) })
      })
      summary.sources.forEach((source, ordinal) => {
        insert('summary_parents', { summary_id: summary.id, parent_summary_id: source, ordinal: BigInt(ordinal) })
      })
    },
    window: (session) => insertWindow(db, session, sqlTime(session.messages.at(-1)?.atMs ?? 0)),
    file: (session, file) =>
      insert('large_files', {
        ...largeFileColumns(session, file),
        ...(has('0.15.3') && file.lines !== undefined ? { line_count: BigInt(file.lines) } : {}),
        created_at: sqlTime(file.atMs),
      }),
  }
}

const OWN = { lacks: ['Messages are counted from 1.'] }

/** A file of lossless-claw as a release of it writes. */
export const losslessClawWriter = (release: ClawRelease): SystemWriter => losslessWriter(release, OWN)

/** The releases that differ in what they store. */
export const losslessClawWriters: readonly SystemWriter[] = (['0.1.2', '0.15.3', '1.0.0-beta.4'] as const).map(
  losslessClawWriter,
)

const claude = losslessWriter('lossless-claude', {
  lacks: [...OWN.lacks, 'Messages are text only: it stores no parts, but for its records of compactions.'],
})
export const losslessClaudeWriter: SystemWriter = {
  ...claude,
  tell: (story) => inEveryMessage(claude.tell(story), () => ({ hasParts: false, call: null, result: null })),
}
