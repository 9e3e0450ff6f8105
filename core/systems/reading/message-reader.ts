import { ROLES, type Role, type Visibility } from '#core/contract/ids.ts'
import type { Cover, Message, MessagePart, PartDetails, Pruned } from '#core/contract/message.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { STAND_IN, wholeMetadata } from '#core/sqlite/repeated-texts.ts'
import { shownValue } from '#core/sqlite/shown-values.ts'
import { cutText, isAscii } from '#core/text.ts'
import { UNDONE } from '../records/runs.ts'
import { coversOfMessages } from './covers.ts'
import { messageNodeId } from './node-id.ts'
import { type PrunedOutput, prunedByMessage, readPruned } from './pruned-outputs.ts'

/**
 * Reads only the beginning of a text that will be cut, if each of its bytes is a character: it is all ASCII and has no
 * NUL, at which length() stops. `more` is added, so that what stands for another text is not cut in two.
 * https://www.sqlite.org/lang_corefunc.html#length
 */
const cut = (column: string, more = 0): string => `
  CASE WHEN octet_length(${column}) <= :chars + ${more} OR octet_length(${column}) <> length(${column})
    THEN ${column} ELSE substr(${column}, 1, CAST(:chars AS INTEGER) + ${more}) END`

/** A value of another kind than its column holds is a finding of a scan, and not shown here. */
const asText = (column: string): string => `iif(typeof(p.${column}) = 'text', p.${column}, NULL)`
const asNumber = (column: string): string => `iif(typeof(p.${column}) IN ('integer', 'real'), p.${column}, NULL)`
const asCount = (column: string): string => `iif(typeof(p.${column}) = 'integer', p.${column}, NULL)`

/** Details that are read as one JSON text, without the cost of a step: JSON rounds numbers with a fraction. */
const details = {
  ignored: `iif(p.is_ignored = 1, 1, NULL)`,
  toolTitle: asText('tool_title'),
  patchHash: asText('patch_hash'),
  patchFiles: asText('patch_files'),
  subtaskPrompt: asText('subtask_prompt'),
  subtaskDesc: asText('subtask_desc'),
  subtaskAgent: asText('subtask_agent'),
  stepReason: asText('step_reason'),
  stepTokensIn: asCount('step_tokens_in'),
  stepTokensOut: asCount('step_tokens_out'),
  snapshotHash: asText('snapshot_hash'),
  compactionAuto: asCount('compaction_auto'),
} as const satisfies Readonly<Record<Exclude<keyof PartDetails, 'stepCost'>, string>>
const pairsOfDetails = Object.entries(details).flatMap(([name, value]) => [`'${name}'`, value])

/** Most parts have no details. If each were a column of its own, reading a page would take a tenth longer. */
const hasDetails = `p.is_ignored = 1 OR coalesce(p.tool_title, p.patch_hash, p.patch_files, p.subtask_prompt, p.subtask_desc,
        p.subtask_agent, p.step_reason, p.step_tokens_in, p.step_tokens_out, p.snapshot_hash, p.compaction_auto) IS NOT NULL`

/** Parts are never deleted, so the marks of a compaction that was taken back are left out when they are read. */
const isMarkOfUndone = `p.part_type = 'compaction' AND p.is_synthetic = 1 AND EXISTS (
        SELECT 1 FROM compaction_runs AS r
        WHERE r.run_id = iif(json_valid(p.metadata), p.metadata ->> '$.run', NULL) AND r.stop_reason = '${UNDONE}')`

const queries = {
  messages: /* sql */ `
    SELECT
      m.message_id AS messageId,
      m.conversation_id AS conversationId,
      m.seq,
      m.role,
      m.token_count AS tokens,
      m.created_at AS createdAtMs,
      ifnull(${cut('m.content')}, '') AS content,
      octet_length(m.content) AS bytes,
      (m.conversation_id, m.message_id) IN (
        SELECT c.conversation_id, c.message_id FROM context_items AS c
        WHERE c.message_id IN (SELECT value FROM json_each(:ids))
      ) AS inWindow,
      EXISTS (SELECT 1 FROM event_messages AS e WHERE e.message_id = m.message_id) AS isEvent
    FROM messages AS m
    WHERE m.message_id IN (SELECT value FROM json_each(:ids))`,
  parts: /* sql */ `
    SELECT
      p.message_id AS messageId,
      p.part_id AS partId,
      p.ordinal,
      ${shownValue('message_parts.part_type', 'p')} AS type,
      p.is_content AS isContent,
      p.text_is_content AS textIsContent,
      p.metadata_has_text AS metadataHasText,
      p.is_synthetic AS isSynthetic,
      p.tool_call_id AS toolCallId,
      p.tool_name AS toolName,
      p.tool_status AS toolStatus,
      p.file_name AS fileName,
      p.file_mime AS fileMime,
      p.file_url AS fileUrl,
      ${cut('p.text_content')} AS text,
      ${cut('p.tool_input')} AS toolInput,
      ${cut('p.tool_output')} AS toolOutput,
      ${cut('p.tool_error')} AS toolError,
      ${cut('p.metadata', STAND_IN.length)} AS metadata,
      iif(${hasDetails}, json_object(${pairsOfDetails.join(', ')}), NULL) AS details,
      ${asNumber('step_cost')} AS stepCost,
      max(coalesce(octet_length(p.text_content), 0), coalesce(octet_length(p.tool_input), 0),
        coalesce(octet_length(p.tool_output), 0), coalesce(octet_length(p.tool_error), 0),
        coalesce(octet_length(p.metadata), 0), coalesce(octet_length(p.subtask_prompt), 0),
        coalesce(octet_length(p.patch_files), 0)) AS longestBytes
    FROM message_parts AS p
    WHERE p.message_id IN (SELECT value FROM json_each(:ids)) AND NOT (${isMarkOfUndone})
    ORDER BY p.message_id, p.ordinal`,
}

type MessageRow = {
  readonly messageId: number
  readonly conversationId: number
  readonly seq: number
  readonly role: Role
  readonly tokens: number
  readonly createdAtMs: number | null
  readonly content: string
  readonly bytes: number
  readonly inWindow: number
  readonly isEvent: number
}
type PartRow = Omit<MessagePart, 'isSynthetic' | 'details'> & {
  readonly messageId: number
  readonly isContent: number
  readonly textIsContent: number | null
  readonly metadataHasText: number | null
  readonly isSynthetic: number
  readonly longestBytes: number
  /** JSON of a `StoredDetails`. */
  readonly details: string | null
  readonly stepCost: number | null
}
type StoredDetails = Readonly<Record<keyof typeof details, string | number | null>>
/** A part with its text put back where it is stored once, and its details. */
type WholePart = Omit<PartRow, 'details'> & { readonly details: StoredDetails | null }

/** A message without its position, which only the history knows. */
export type StoredMessage = Omit<Message, 'position'> & { readonly messageId: number }

/**
 * Returns messages with parts, covers and visibility, by message number. Every text is cut to `contentChars` UTF-16
 * units.
 */
export function readMessages(
  db: ReadDb,
  messageIds: readonly number[],
  contentChars: number,
): Map<number, StoredMessage> {
  const params = { ids: JSON.stringify(messageIds), chars: contentChars }
  const rows = db.all<MessageRow>(queries.messages, params)
  const covers = coversOfMessages(
    db,
    rows.map((row) => ({ id: row.messageId, conversationId: row.conversationId })),
  )
  const conversations = new Set(rows.map(({ conversationId }) => conversationId))
  const pruned = Map.groupBy(Array.from(conversations, (id) => readPruned(db, id)).flat(), ({ messageId }) => messageId)
  const parts = new Map<number, PartRow[]>(rows.map((row) => [row.messageId, []]))
  for (const row of db.all<PartRow>(queries.parts, params)) parts.get(row.messageId)?.push(row)
  return new Map(
    rows.map((row) => {
      const message = messageOf(row, contentChars, parts.get(row.messageId) ?? [], covers.get(row.messageId) ?? [])
      const outputs = pruned.get(row.messageId)
      return [row.messageId, outputs ? withPruned(message, outputs) : message]
    }),
  )
}

function withPruned(message: StoredMessage, outputs: readonly PrunedOutput[]): StoredMessage {
  const byPart = new Map(
    outputs.map(({ ordinal, atMs, by, tokens, seen }): [number, Pruned] => [ordinal, { atMs, by, tokens, seen }]),
  )
  const parts = message.parts.map((part) => {
    const pruned = byPart.get(part.ordinal)
    return pruned ? { ...part, pruned } : part
  })
  const whole = prunedByMessage(outputs).get(message.messageId)
  return { ...message, parts, ...(whole ? { pruned: whole } : {}) }
}

const visibilityOf = (inWindow: boolean, covers: readonly Cover[]): Visibility =>
  inWindow ? 'in_window' : covers.some((cover) => cover.inWindow) ? 'covered' : 'absent'

function messageOf(row: MessageRow, chars: number, parts: readonly PartRow[], coveredBy: Cover[]): StoredMessage {
  const content = cutText(row.content, chars)
  const whole = parts.map((part) => wholePart(part, content))
  return {
    id: messageNodeId(row.messageId),
    messageId: row.messageId,
    conversationId: row.conversationId,
    seq: row.seq,
    role: ROLES.includes(row.role) ? row.role : 'system',
    content,
    contentChars: row.bytes > chars && isAscii(row.content) ? row.bytes : row.content.length,
    isCut: isLonger(row.content, row.bytes, chars) || whole.some((part) => isPartLonger(part, chars)),
    tokens: row.tokens,
    createdAtMs: row.createdAtMs,
    parts: whole.map((part) => partOf(part, content, chars)),
    coveredBy,
    visibility: visibilityOf(row.inWindow === 1, coveredBy),
    ...(row.isEvent === 1 ? { isEvent: true } : {}),
  }
}

const texts = ({ text, toolInput, toolOutput, toolError, metadata, details: stored }: WholePart) => {
  const own = [text, toolInput, toolOutput, toolError, metadata]
  return stored ? [...own, stored.subtaskPrompt as string | null, stored.patchFiles as string | null] : own
}

const isPartLonger = (part: WholePart, chars: number): boolean =>
  texts(part).some((text) => text !== null && isLonger(text, part.longestBytes, chars) && text.length >= chars)

/** Whether a text as read (see `cut`) was longer than the cut in the file. */
const isLonger = (read: string, bytes: number, chars: number): boolean =>
  read.length > chars || (bytes > chars && isAscii(read))

/** A part of a working copy may leave out what the message says. Where that was cut, the metadata comes out too long. */
function wholePart(row: PartRow, content: string): WholePart {
  const part = { ...row, details: row.details === null ? null : (JSON.parse(row.details) as StoredDetails) }
  if (row.textIsContent === 1) part.text = content
  if (row.metadata !== null && row.metadataHasText === 1) {
    part.metadata = wholeMetadata(row.metadata, (row.isContent === 1 ? content : part.text) ?? '')
  }
  return part
}

/** Text that is stored once, as the content of the message, is put back where it belongs. */
function partOf(row: WholePart, content: string, chars: number): MessagePart {
  const short = (text: string | null): string | null => (text === null ? null : cutText(text, chars))
  const isOutput = row.isContent === 1 && row.type === 'tool'
  const told = detailsOf(row, short)
  return {
    partId: row.partId,
    ordinal: row.ordinal,
    type: row.type,
    text: row.isContent === 1 && !isOutput ? content : short(row.text),
    toolCallId: row.toolCallId,
    toolName: row.toolName,
    toolStatus: row.toolStatus,
    toolInput: short(row.toolInput),
    toolOutput: isOutput ? content : short(row.toolOutput),
    toolError: short(row.toolError),
    fileName: row.fileName,
    fileMime: row.fileMime,
    fileUrl: row.fileUrl,
    isSynthetic: row.isSynthetic === 1,
    metadata: short(row.metadata),
    ...(told && { details: told }),
  }
}

function detailsOf(
  { details: stored, stepCost }: WholePart,
  short: (text: string | null) => string | null,
): PartDetails | null {
  if (stored === null && stepCost === null) return null
  const told: Record<string, string | number | boolean> = stepCost === null ? {} : { stepCost }
  for (const [name, value] of Object.entries(stored ?? {})) {
    if (value === null) continue
    if (name === 'ignored' || name === 'compactionAuto') told[name] = value === 1
    else told[name] = typeof value === 'string' ? (short(value) ?? '') : value
  }
  return Object.keys(told).length === 0 ? null : told
}
