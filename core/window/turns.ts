import { shownValue } from '../sqlite/native-values.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { CoverageOfEntries } from './coverage-of-entries.ts'
import { renderSummary, type SummaryText } from './summary-xml.ts'
import type { Window, WindowItem } from './window.ts'

const queries = {
  messages: /* sql */ `
    SELECT message_id AS messageId, content FROM messages
    WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  parts: /* sql */ `
    SELECT message_id AS messageId, ordinal, part_type AS type, is_content AS isContent, text_content AS text,
      tool_call_id AS callId, tool_name AS name, tool_status AS status, tool_input AS input, tool_output AS output,
      tool_error AS error, file_name AS fileName, file_mime AS fileMime
    FROM message_parts
    WHERE message_id IN (SELECT value FROM json_each(:ids))
      AND is_synthetic = 0 AND is_ignored = 0 AND part_type IN ('tool', 'file')
    ORDER BY message_id, ordinal`,
  summaries: /* sql */ `
    SELECT s.summary_id AS id, ${shownValue('summaries.kind', 's')} AS kind, s.depth AS depth, s.descendant_count AS descendantCount,
      s.earliest_at AS earliestAtMs, s.latest_at AS latestAtMs, s.content AS content
    FROM summaries AS s
    WHERE s.summary_id IN (SELECT value FROM json_each(:ids))`,
  sources: /* sql */ `
    SELECT summary_id AS id, 'msg_' || message_id AS source, ordinal FROM summary_messages
    WHERE summary_id IN (SELECT value FROM json_each(:ids))
    UNION ALL
    SELECT summary_id, source_summary_id, ordinal FROM summary_sources
    WHERE summary_id IN (SELECT value FROM json_each(:ids))
    ORDER BY 1, 3`,
} as const

/** A step of the conversation that both provider shapes can express. */
export type Turn =
  | { readonly kind: 'system'; readonly text: string }
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'assistant'; readonly text: string; readonly calls: readonly Call[] }
  | { readonly kind: 'result'; readonly callId: string; readonly text: string; readonly isError: boolean }

export type Call = { readonly id: string; readonly name: string; readonly input: string | null }

type Part = {
  readonly messageId: number
  readonly ordinal: number
  readonly type: string
  readonly isContent: number | null
  readonly text: string | null
  readonly callId: string | null
  readonly name: string | null
  readonly status: string | null
  readonly input: string | null
  readonly output: string | null
  readonly error: string | null
  readonly fileName: string | null
  readonly fileMime: string | null
}

/**
 * Reads the included items as turns. Providers want every call answered before anything else is said, so that a call
 * which something else follows gets a stand-in answer, and the real one, should it come later, follows as plain text:
 * nothing that was rendered before ever changes.
 */
export function readTurns(
  db: ReadDb,
  items: readonly WindowItem[],
  covered: CoverageOfEntries,
  pruned: Window['pruned'] = new Map(),
): Turn[] {
  const builder = new TurnBuilder()
  const contents = readContents(db, items)
  const parts = readParts(db, items)
  const summaries = readSummaries(db, items, covered)
  for (const item of items) {
    if (item.summaryId !== null) builder.say({ kind: 'user', text: summaries.get(item.summaryId) ?? '' })
    else if (item.messageId !== null) {
      const said = { content: contents.get(item.messageId) ?? '', parts: parts.get(item.messageId) ?? [] }
      const { content, parts: seen } = withoutPruned(said, pruned.get(item.messageId))
      addMessage(builder, item, content, seen)
    }
  }
  return builder.turns
}

type Said = { readonly content: string; readonly parts: readonly Part[] }

/** A message as its agent sees it since it took out some of it. */
function withoutPruned(said: Said, seen: ReadonlyMap<number, string> | undefined): Said {
  if (!seen) return said
  const outputs = new Map(said.parts.map((part) => [part.ordinal, part]))
  let { content } = said
  for (const [ordinal, text] of seen) {
    const part = outputs.get(ordinal)
    if (!part || part.isContent === 1 || (part.output !== null && part.output === content)) content = text
  }
  const parts = said.parts.map((part) => ({ ...part, output: seen.get(part.ordinal) ?? part.output }))
  return { content, parts }
}

function addMessage(builder: TurnBuilder, item: WindowItem, content: string, parts: readonly Part[]): void {
  const tools = parts.filter((part) => part.callId !== null)
  const files = parts.filter((part) => part.type === 'file').map(fileNote)
  const text = [content, ...files].filter((line) => line.trim() !== '').join('\n')
  if (item.role === 'assistant') {
    const calls = tools.map(({ callId, name, input }): Call => ({ id: callId ?? '', name: name ?? 'tool', input }))
    builder.assistant(text, calls)
    for (const part of tools) {
      if (part.output !== null || part.error !== null) builder.result(part, part.output ?? part.error ?? '')
    }
    return
  }
  for (const part of tools) builder.result(part, resultText(part, text, tools.length))
  if (item.role === 'system') builder.say({ kind: 'system', text })
  else if (item.role !== 'tool') builder.say({ kind: 'user', text })
  else if (tools.length === 0) builder.say({ kind: 'user', text: text && `[tool result]\n${text}` })
}

const fileNote = (part: Part): string =>
  `[file ${part.fileName ?? 'without a name'}${part.fileMime ? `, ${part.fileMime}` : ''}]`

function resultText(part: Part, content: string, results: number): string {
  // The only result of a message is what the message says; several have their own texts.
  if (part.isContent === 1 || (results === 1 && content !== '')) return content
  return part.output ?? part.text ?? part.error ?? ''
}

class TurnBuilder {
  readonly turns: Turn[] = []
  /** Calls of the last assistant turn without an answer yet. */
  readonly #open = new Set<string>()

  /** Anything without text is left out: providers refuse empty blocks. */
  say(turn: Extract<Turn, { kind: 'system' | 'user' }>): void {
    if (turn.text.trim() === '') return
    this.#close()
    this.turns.push(turn)
  }

  assistant(text: string, calls: readonly Call[]): void {
    const hasText = text.trim() !== ''
    if (!hasText && calls.length === 0) return
    // A turn may be stored in several rows: calls right after calls belong to the same turn.
    if (hasText || this.turns.at(-1)?.kind !== 'assistant') this.#close()
    this.turns.push({ kind: 'assistant', text: hasText ? text : '', calls })
    for (const call of calls) this.#open.add(call.id)
  }

  result(part: Part, text: string): void {
    const callId = part.callId ?? ''
    if (this.#open.delete(callId)) {
      const isError = part.status === 'error' || (part.error !== null && part.output === null)
      this.turns.push({ kind: 'result', callId, text, isError })
    } else this.say({ kind: 'user', text: `[late result of ${part.name ?? 'tool'}, call ${callId}]\n${text}` })
  }

  #close(): void {
    for (const callId of this.#open) {
      this.turns.push({
        kind: 'result',
        callId,
        text: '[no result was recorded before the next message]',
        isError: true,
      })
    }
    this.#open.clear()
  }
}

function readContents(db: ReadDb, items: readonly WindowItem[]): ReadonlyMap<number, string> {
  type Row = { messageId: number; content: string | null }
  const contents = new Map<number, string>()
  for (const row of db.iterate<Row>(queries.messages, { ids: messageIds(items) })) {
    contents.set(row.messageId, row.content ?? '')
  }
  return contents
}

function readParts(db: ReadDb, items: readonly WindowItem[]): ReadonlyMap<number, readonly Part[]> {
  const parts = new Map<number, Part[]>()
  for (const part of db.iterate<Part>(queries.parts, { ids: messageIds(items) })) {
    const known = parts.get(part.messageId)
    if (known) known.push(part)
    else parts.set(part.messageId, [part])
  }
  return parts
}

function readSummaries(
  db: ReadDb,
  items: readonly WindowItem[],
  covered: CoverageOfEntries,
): ReadonlyMap<string, string> {
  type Row = Omit<SummaryText, 'sources' | 'messages'>
  const ids = JSON.stringify(items.flatMap((item) => item.summaryId ?? []))
  const sources = new Map<string, string[]>()
  for (const edge of db.iterate<{ id: string; source: string }>(queries.sources, { ids })) {
    const known = sources.get(edge.id)
    if (known) known.push(edge.source)
    else sources.set(edge.id, [edge.source])
  }
  const rows = db.all<Row>(queries.summaries, { ids })
  return new Map(
    rows.map((row) => {
      const messages = covered.get(row.id)?.messages ?? 0
      return [row.id, renderSummary({ ...row, messages, sources: sources.get(row.id) ?? [] })]
    }),
  )
}

const messageIds = (items: readonly WindowItem[]): string =>
  JSON.stringify(items.flatMap((item) => item.messageId ?? []))
