import type { PartType } from '#core/contract/ids.ts'
import { unpackInto } from '#core/memory/packed-numbers.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { partMetadata, partText } from '#core/sqlite/repeated-texts.ts'

const queries = {
  callsOf: /* sql */ `
    SELECT message_id AS messageId, tool_call_id AS callId
    FROM message_parts
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND tool_call_id IS NOT NULL
    ORDER BY message_id, ordinal`,
  hasCallIndex: /* sql */ `SELECT 1 FROM pragma_index_list('message_parts') WHERE name = 'message_parts_call'`,
  newestMessage: /* sql */ `SELECT max(message_id) FROM messages`,
  byCall: /* sql */ `
    SELECT group_concat(ids), group_concat(count), total(count), count(*)
    FROM (
      SELECT group_concat(message_id) AS ids, count(*) AS count
      FROM message_parts
      WHERE tool_call_id IS NOT NULL
      GROUP BY tool_call_id
    )`,
  callsBetween: /* sql */ `
    SELECT message_id AS messageId, tool_call_id AS callId
    FROM message_parts
    WHERE message_id BETWEEN :first AND :last AND tool_call_id IS NOT NULL
    ORDER BY message_id, ordinal`,
  namesOfCalls: /* sql */ `
    SELECT DISTINCT tool_name, tool_call_id
    FROM message_parts
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND (tool_name IS NOT NULL OR tool_call_id IS NOT NULL)`,
  repeating: /* sql */ `
    SELECT m.message_id AS id,
      (SELECT total(octet_length(p.text_content)) FROM main.message_parts AS p
        WHERE p.message_id = m.message_id AND octet_length(p.text_content) >= 256
          AND instr(m.content, p.text_content) > 0) AS repeated,
      (SELECT total(octet_length(p.metadata)) FROM main.message_parts AS p
        WHERE p.message_id = m.message_id AND instr(p.metadata, '"raw"') > 0) AS raw
    FROM messages AS m
    WHERE m.message_id > CAST(:after AS INTEGER)
    ORDER BY m.message_id
    LIMIT CAST(:limit AS INTEGER)`,
  storesTexts: /* sql */ `
    SELECT count(*) = 3 FROM pragma_table_info('message_parts', 'main')
    WHERE name IN ('message_id', 'text_content', 'metadata')`,
  callsMade: /* sql */ `
    SELECT DISTINCT p.tool_call_id
    FROM message_parts AS p
    JOIN messages AS m ON m.message_id = p.message_id
    WHERE p.tool_call_id IN (SELECT value FROM json_each(:callIds))
      AND m.conversation_id = :conversationId AND m.role = 'assistant'`,
  toolsAndFiles: /* sql */ `
    SELECT message_id AS messageId, ordinal, part_type AS type, is_content AS isContent, is_ignored AS isIgnored,
      ${partText('p')} AS text, tool_call_id AS callId, tool_name AS name, tool_status AS status, tool_input AS input,
      tool_output AS output, tool_error AS error, file_name AS fileName, file_mime AS fileMime, file_url AS fileUrl
    FROM message_parts AS p
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND part_type IN ('tool', 'file') AND is_synthetic = 0
    ORDER BY message_id, ordinal`,
  ofImportTime: /* sql */ `
    SELECT message_id
    FROM message_parts
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND ordinal = 0
      AND instr(metadata, :mark) > 0`,
  attached: /* sql */ `
    SELECT message_id
    FROM message_parts
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND ordinal = 0 AND instr(metadata, '"attachment":') > 0`,
  ofProgram: /* sql */ `
    SELECT message_id
    FROM message_parts
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND ordinal = 0
      AND (instr(metadata, '"harness":true') > 0 OR instr(metadata, '"meta":true') > 0
        OR instr(metadata, '"attachment":') > 0)`,
  recordsOfCompactions: /* sql */ `
    SELECT DISTINCT message_id
    FROM message_parts
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND part_type = 'compaction' AND is_synthetic = 0`,
  tools: /* sql */ `
    SELECT message_id AS messageId, tool_call_id AS callId, tool_name AS toolName, tool_input AS toolInput,
      tool_output AS toolOutput, tool_error AS toolError, is_content AS isContent, is_synthetic AS isSynthetic
    FROM message_parts
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND part_type = 'tool'
    ORDER BY message_id, ordinal`,
  strings: /* sql */ `
    SELECT content AS text FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids)) AND content <> ''
    UNION ALL
    SELECT s.value
    FROM message_parts AS p, json_each(json_array(${partText('p')}, p.tool_input, p.tool_output, p.tool_error,
      p.tool_title, p.file_name, p.file_url, p.subtask_prompt, p.subtask_desc, ${partMetadata('p')})) AS s
    WHERE p.message_id IN (SELECT value FROM json_each(:ids)) AND s.value <> ''`,
  parts: /* sql */ `
    SELECT p.part_type AS type, ${partText('p')} AS text, p.tool_name AS toolName, p.tool_input AS toolInput,
      p.tool_output AS toolOutput, p.tool_error AS toolError, p.is_synthetic AS isSynthetic, ${partMetadata('p')} AS metadata
    FROM message_parts AS p
    WHERE p.message_id = :message
    ORDER BY p.ordinal`,
}

/** The detail of a message whose stored time is the moment of its import, because its transcript gives none. */
export const TIME_OF_IMPORT = 'timeOfImport'

/** The messages, of some, whose time is only that of their import. */
export const messagesOfImportTime = (db: ReadDb, ids: readonly number[]): ReadonlySet<number> =>
  new Set(db.column<number>(queries.ofImportTime, { ids: JSON.stringify(ids), mark: `"${TIME_OF_IMPORT}":true` }))

/** The messages, of some, that the agent's program added of its own accord, as Claude Code adds attachments. */
export const attachedMessages = (db: ReadDb, ids: readonly number[]): ReadonlySet<number> =>
  new Set(db.column<number>(queries.attached, { ids: JSON.stringify(ids) }))

/** The messages, of some, that the program around an agent wrote, and neither a person nor the model. */
export const messagesOfProgram = (db: ReadDb, ids: readonly number[]): ReadonlySet<number> =>
  new Set(db.column<number>(queries.ofProgram, { ids: JSON.stringify(ids) }))

/** A tool call that a message makes or answers. */
export type ToolCall = { readonly messageId: number; readonly callId: string }

/** For this many messages or more, reading the whole range from the first to the last one is faster than each alone. */
const MANY = 200

/** The tool calls that messages make or answer, in order. Calls of messages between them may be among them. */
export function toolCalls(db: ReadDb, messageIds: readonly number[]): ToolCall[] {
  if (messageIds.length === 0) return []
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const id of messageIds) {
    first = Math.min(first, id)
    last = Math.max(last, id)
  }
  const areDense = messageIds.length >= MANY && last - first < 2 * messageIds.length
  return areDense
    ? db.all<ToolCall>(queries.callsBetween, { first, last })
    : db.all<ToolCall>(queries.callsOf, { ids: JSON.stringify(messageIds) })
}

/** Numbers of messages that make or answer the same tool call: those of one call, then those of another, and so on. */
export type MessagesByCall = { readonly messageIds: Float64Array; readonly counts: Int32Array }

/** Whether the tool calls of all messages can be read from an index alone. A view of a foreign file has none. */
export const hasCallIndex = (db: ReadDb): boolean => db.value(queries.hasCallIndex) !== undefined

/** This many messages take some 40 ms, in one statement. */
const MOST_BY_CALL = 500_000

/**
 * Reads the messages of all tool calls of a file from an index alone, which takes a quarter of the time that parts take.
 * Null when there is no such index, and when few of all messages are asked for, or too many at once.
 */
export function messagesByCall(db: ReadDb, asked: number): MessagesByCall | null {
  if (asked < MANY || asked > MOST_BY_CALL || !hasCallIndex(db)) return null
  if ((db.value<number>(queries.newestMessage) ?? 0) > 2 * asked) return null
  const [row] = db.rows<[string | null, string | null, number, number]>(queries.byCall)
  const [ids, callCounts, length, calls] = row ?? [null, null, 0, 0]
  const [messageIds, counts] = [new Float64Array(length), new Int32Array(calls)]
  if (calls > 0 && unpackInto(ids ?? '', messageIds, 0) !== length) return null
  if (calls > 0 && unpackInto(callCounts ?? '', counts, 0) !== calls) return null
  return { messageIds, counts }
}

/** Names that a text may use for the tool calls of messages: those of their tools and their own ids, each once. */
export function namesOfCalls(db: ReadDb, messageIds: readonly number[]): ReadonlySet<string> {
  const names = new Set<string>()
  const rows = db.rows<[string | null, string | null]>(queries.namesOfCalls, { ids: JSON.stringify(messageIds) })
  for (const row of rows) for (const name of row) if (name) names.add(name)
  return names
}

/** The calls, of some, that a message of the agent in a conversation makes. */
export const callsMade = (db: ReadDb, conversationId: number, callIds: readonly string[]): ReadonlySet<string> =>
  new Set(db.column<string>(queries.callsMade, { conversationId, callIds: JSON.stringify(callIds) }))

/** A tool call, its result, or a file. Its text is null where it is the content of the message (`isContent`). */
export type ToolOrFilePart = {
  readonly messageId: number
  readonly ordinal: number
  readonly type: 'tool' | 'file'
  readonly isContent: number | null
  /** 1 for a part that the agent does not show to the model. */
  readonly isIgnored: number | null
  readonly text: string | null
  readonly callId: string | null
  readonly name: string | null
  readonly status: string | null
  readonly input: string | null
  readonly output: string | null
  readonly error: string | null
  readonly fileName: string | null
  readonly fileMime: string | null
  readonly fileUrl: string | null
}

/** Tool calls, results and files of messages with their texts, by message, each in its order. */
export const toolAndFileParts = (
  db: ReadDb,
  messageIds: readonly number[],
): ReadonlyMap<number, readonly ToolOrFilePart[]> =>
  Map.groupBy(
    db.iterate<ToolOrFilePart>(queries.toolsAndFiles, { ids: JSON.stringify(messageIds) }),
    ({ messageId }) => messageId,
  )

/** The messages, of some, by which a transcript records a compaction. */
export const recordsOfCompactions = (db: ReadDb, messageIds: readonly number[]): ReadonlySet<number> =>
  new Set(db.column<number>(queries.recordsOfCompactions, { ids: JSON.stringify(messageIds) }))

/** A call of a tool, or its result, with its texts. */
export type StoredTool = {
  readonly messageId: number
  readonly callId: string | null
  readonly toolName: string | null
  readonly toolInput: string | null
  readonly toolOutput: string | null
  readonly toolError: string | null
  readonly isContent: number | null
  readonly isSynthetic: number
}

/** What messages say to tools and tools to them, by message, then by ordinal. */
export const toolParts = (db: ReadDb, messageIds: readonly number[]): StoredTool[] =>
  db.all<StoredTool>(queries.tools, { ids: JSON.stringify(messageIds) })

/** Every text of some messages of a native file: what they say, and all fields of their parts. */
export const stringsOfMessages = (db: ReadDb, messageIds: readonly number[]): string[] =>
  db.column<string>(queries.strings, { ids: JSON.stringify(messageIds) })

/** A part of a message with its texts, whatever it is. */
export type StoredPart = {
  readonly type: PartType
  readonly text: string | null
  readonly toolName: string | null
  readonly toolInput: string | null
  readonly toolOutput: string | null
  readonly toolError: string | null
  readonly isSynthetic: number
  readonly metadata: string | null
}

/** All parts of a message in their order. */
export const partsOf = (db: ReadDb, messageId: number): StoredPart[] =>
  db.all<StoredPart>(queries.parts, { message: messageId })

/** Whether the file itself has parts that hold texts and metadata. */
export const storesTextsInParts = (db: ReadDb): boolean => db.value<number>(queries.storesTexts) === 1

type RepeatingParts = { readonly id: number; readonly repeated: number; readonly raw: number }

/**
 * The first messages above a number, with the bytes of texts of their parts that stand in the message as well, and of
 * metadata that keep an original block. Call it for a file for which `storesTextsInParts` is true.
 */
export const partsThatRepeat = (db: ReadDb, after: number, limit: number): RepeatingParts[] =>
  db.all<RepeatingParts>(queries.repeating, { after, limit })
