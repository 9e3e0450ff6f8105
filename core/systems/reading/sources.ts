import { ROLES } from '#core/contract/ids.ts'
import type { SourceEntry } from '#core/models/summarizers/summarizer.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { fileIdsIn } from '../records/files.ts'
import { messagesOfImportTime, type ToolOrFilePart, toolAndFileParts } from '../records/parts.ts'

const messageAt = (order: 'ASC' | 'DESC'): string => /* sql */ `
    WITH RECURSIVE outermost (summary_id) AS (
      VALUES (:summaryId)
      UNION
      SELECT (SELECT e.source_summary_id FROM summary_sources AS e
        WHERE e.summary_id = n.summary_id ORDER BY e.ordinal ${order} LIMIT 1)
      FROM outermost AS n WHERE n.summary_id IS NOT NULL
    )
    SELECT l.message_id
    FROM outermost AS n
    JOIN summary_messages AS l ON l.summary_id = n.summary_id
    ORDER BY l.ordinal ${order} LIMIT 1`

const queries = {
  messages: /* sql */ `
    SELECT message_id AS id, role, token_count AS tokens, created_at AS atMs, content_hash AS hash, content
    FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  summaries: /* sql */ `
    SELECT summary_id AS id, source_token_count AS tokens, descendant_count AS descendants, earliest_at AS earliestAtMs,
      latest_at AS latestAtMs, summary_hash AS hash, file_ids AS fileIds, content
    FROM summaries WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  firstMessage: messageAt('ASC'),
  lastMessage: messageAt('DESC'),
} as const

/** What has to be known about a range of the window to put a summary in its place. */
export type Sources = {
  readonly entries: readonly SourceEntry[]
  /** The hash of each source, in order. */
  readonly hashes: readonly string[]
  /** Tokens of the covered messages. */
  readonly canonicalTokens: number
  /** Summaries reached through the sources, once for each path: 0 for a leaf, Σ (source's own + 1) of a condensed node. */
  readonly descendants: number
  readonly earliestAtMs: number | null
  readonly latestAtMs: number | null
  /** The newest covered message. */
  readonly lastMessageId: number
  readonly fileIds: readonly string[]
}

/** An entry of a window, of which one of both is null. */
type SourceItem = { readonly messageId: number | null; readonly summaryId: string | null }

/** Returns undefined when a source is gone. */
export function readSources(db: ReadDb, items: readonly SourceItem[], depth: number): Sources | undefined {
  return depth === 0 ? readMessages(db, items) : readSummaries(db, items)
}

type MessageRow = { id: number; role: string; tokens: number; atMs: number; hash: string; content: string }
function readMessages(db: ReadDb, items: readonly SourceItem[]): Sources | undefined {
  const wanted = items.flatMap((item) => item.messageId ?? [])
  const rows = new Map(
    db.all<MessageRow>(queries.messages, { ids: JSON.stringify(wanted) }).map((row) => [row.id, row]),
  )
  const messages = wanted.flatMap((id) => rows.get(id) ?? [])
  if (messages.length !== items.length) return undefined
  const parts = toolAndFileParts(db, wanted)
  const names = new Map(
    [...parts.values()].flat().map(({ callId, name, input }) => [callId, input === null ? null : name]),
  )
  const texts = messages.flatMap((message) => [message.content, ...(parts.get(message.id) ?? []).flatMap(textsOf)])
  const times = messages.map((message) => message.atMs)
  const untimed = messagesOfImportTime(db, wanted)
  return {
    entries: messages.flatMap((message) =>
      entriesOf(untimed.has(message.id) ? { ...message, atMs: null } : message, parts.get(message.id) ?? [], names),
    ),
    hashes: messages.map((message) => message.hash),
    canonicalTokens: messages.reduce((sum, message) => sum + message.tokens, 0),
    descendants: 0,
    earliestAtMs: least(times),
    latestAtMs: greatest(times),
    lastMessageId: wanted.at(-1) ?? 0,
    fileIds: fileIdsIn(texts),
  }
}

function entriesOf(
  message: Omit<MessageRow, 'atMs'> & { readonly atMs: number | null },
  parts: readonly ToolOrFilePart[],
  names: ReadonlyMap<string | null, string | null>,
): SourceEntry[] {
  const role = ROLES.find((known) => known === message.role) ?? null
  const base = { id: `msg_${message.id}`, kind: 'message', role, atMs: message.atMs } as const
  const tools = parts.filter((part) => part.callId !== null)
  const answerOf = (part: ToolOrFilePart): SourceEntry['answer'] => ({
    name: part.name ?? names.get(part.callId) ?? 'tool',
    isError: part.status === 'error' || (part.error !== null && part.output === null),
  })
  if (role === 'assistant') {
    const calls = tools.map(({ name, input }) => ({ name: name ?? 'tool', input: input ?? '' }))
    const answered = tools.filter((part) => part.output !== null || part.error !== null)
    return [
      { ...base, text: message.content, calls, answer: null },
      ...answered.map((part) => ({
        ...base,
        text: part.output ?? part.error ?? '',
        calls: [],
        answer: answerOf(part),
      })),
    ]
  }
  const [only] = tools
  if (!only) return [{ ...base, text: message.content, calls: [], answer: role === 'tool' ? UNKNOWN_TOOL : null }]
  if (tools.length === 1 && message.content !== '') {
    return [{ ...base, text: message.content, calls: [], answer: answerOf(only) }]
  }
  return tools.map((part) => ({ ...base, text: part.output ?? part.error ?? '', calls: [], answer: answerOf(part) }))
}

const UNKNOWN_TOOL = { name: 'tool', isError: false } as const

const textsOf = (part: ToolOrFilePart): string[] =>
  [part.input, part.output, part.error, part.fileUrl].filter((text) => text !== null)

type SummaryRow = {
  id: string
  tokens: number
  descendants: number
  earliestAtMs: number | null
  latestAtMs: number | null
  hash: string
  fileIds: string
  content: string
}

function readSummaries(db: ReadDb, items: readonly SourceItem[]): Sources | undefined {
  const wanted = items.flatMap((item) => item.summaryId ?? [])
  const found = db.all<SummaryRow>(queries.summaries, { ids: JSON.stringify(wanted) })
  const rows = new Map(found.map((row) => [row.id, row]))
  const summaries = wanted.flatMap((id) => rows.get(id) ?? [])
  const lastMessageId = db.value<number>(queries.lastMessage, { summaryId: wanted.at(-1) ?? null })
  if (summaries.length !== items.length || lastMessageId === undefined) return undefined
  return {
    entries: summaries.map(
      (row): SourceEntry => ({
        id: row.id,
        kind: 'summary',
        role: null,
        atMs: beginsUntimed(db, row.id) ? null : row.earliestAtMs,
        text: row.content,
        calls: [],
        answer: null,
      }),
    ),
    hashes: summaries.map((row) => row.hash),
    canonicalTokens: summaries.reduce((sum, row) => sum + row.tokens, 0),
    descendants: summaries.reduce((sum, row) => sum + row.descendants + 1, 0),
    earliestAtMs: least(summaries.flatMap((row) => row.earliestAtMs ?? [])),
    latestAtMs: greatest(summaries.flatMap((row) => row.latestAtMs ?? [])),
    lastMessageId,
    // Files are not looked for in the texts, because a model may have made one up there.
    fileIds: fileIdsIn(summaries.map((row) => row.fileIds)),
  }
}

/** A model's summary of messages without a time must not give them one either. */
function beginsUntimed(db: ReadDb, summaryId: string): boolean {
  const first = db.value<number>(queries.firstMessage, { summaryId })
  return first !== undefined && messagesOfImportTime(db, [first]).size > 0
}

const least = (values: readonly number[]): number | null =>
  values.reduce<number | null>((most, value) => (most === null || value < most ? value : most), null)
const greatest = (values: readonly number[]): number | null =>
  values.reduce<number | null>((most, value) => (most === null || value > most ? value : most), null)
