import type { Role } from '#core/contract/ids.ts'
import { opening } from '#core/sqlite/opening.ts'
import type { ReadDb, SqlParams } from '#core/sqlite/read-db.ts'
import { partText } from '#core/sqlite/repeated-texts.ts'

const LISTED = /* sql */ `message_id IN (SELECT value FROM json_each(:ids))`
const BETWEEN = /* sql */ `message_id BETWEEN CAST(:first AS INTEGER) AND CAST(:last AS INTEGER)`

const queries = {
  messages: /* sql */ `
    SELECT message_id AS id, content FROM messages WHERE ${LISTED}`,
  messagesBetween: /* sql */ `
    SELECT message_id AS id, content FROM messages WHERE ${BETWEEN}`,
  /** Texts that stand in the content of the message are not repeated here. As in the view `message_text`. */
  parts: (condition: string) => /* sql */ `
    SELECT message_id AS id, ordinal, tool_input AS input, tool_output AS output,
      CASE part_type WHEN 'reasoning' THEN text_content END AS reasoning
    FROM message_parts
    WHERE ${condition} AND is_synthetic = 0
      AND (tool_input IS NOT NULL OR tool_output IS NOT NULL OR part_type = 'reasoning')
    ORDER BY message_id, ordinal`,
  summaries: /* sql */ `
    SELECT summary_id AS id, content FROM summaries WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  summary: /* sql */ `SELECT content FROM summaries WHERE summary_id = :id`,
  summaryRows: /* sql */ `
    SELECT summary_rowid, content FROM summaries WHERE summary_rowid IN (SELECT value FROM json_each(:rows))`,
  messagesHolding: /* sql */ `
    SELECT message_id FROM messages
    WHERE ${LISTED} AND instr(content, :text) > 0
    UNION
    SELECT message_id FROM message_parts
    WHERE ${LISTED} AND is_synthetic = 0
      AND (instr(tool_input, :text) > 0 OR instr(tool_output, :text) > 0
        OR (part_type = 'reasoning' AND instr(text_content, :text) > 0))`,
  summaryRowsHolding: /* sql */ `
    SELECT summary_rowid FROM summaries
    WHERE summary_rowid IN (SELECT value FROM json_each(:rows)) AND instr(content, :text) > 0`,
  messagesLike: /* sql */ `
    SELECT message_id FROM messages
    WHERE ${LISTED} AND content LIKE :pattern ESCAPE char(92)`,
  partsLike: /* sql */ `
    SELECT message_id FROM message_parts
    WHERE ${LISTED} AND is_synthetic = 0
      AND (tool_input LIKE :pattern ESCAPE char(92) OR tool_output LIKE :pattern ESCAPE char(92)
        OR (part_type = 'reasoning' AND text_content LIKE :pattern ESCAPE char(92)))`,
  summaryRowsLike: /* sql */ `
    SELECT summary_rowid FROM summaries
    WHERE summary_rowid IN (SELECT value FROM json_each(:rows)) AND content LIKE :pattern ESCAPE char(92)`,
  longMessages: /* sql */ `
    SELECT message_id AS id, content
    FROM messages
    WHERE message_id > CAST(:after AS INTEGER) AND octet_length(content) >= CAST(:bytes AS INTEGER)
    ORDER BY message_id
    LIMIT CAST(:limit AS INTEGER)`,
  messageOpenings: /* sql */ `
    SELECT message_id, ${opening('content')} FROM messages WHERE ${LISTED}`,
  summaryOpenings: /* sql */ `
    SELECT summary_id, ${opening('content')} FROM summaries WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  toolOpenings: /* sql */ `
    SELECT message_id AS messageId, tool_name AS name, ${opening('tool_input')} AS input,
      ${opening('coalesce(tool_output, tool_error)')} AS output
    FROM message_parts
    WHERE ${LISTED} AND part_type = 'tool' AND is_synthetic = 0
    ORDER BY message_id, ordinal`,
  reasoningOpenings: /* sql */ `
    SELECT message_id, ${opening(partText('p'))}
    FROM message_parts AS p
    WHERE ${LISTED} AND part_type = 'reasoning' AND is_synthetic = 0
    ORDER BY message_id, ordinal DESC`,
  messageSizes: /* sql */ `
    SELECT message_id, octet_length(content) FROM messages WHERE ${LISTED}`,
  summarySizes: /* sql */ `
    SELECT summary_id, octet_length(content) FROM summaries WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  said: /* sql */ `
    SELECT m.message_id AS messageId, m.role AS role, m.content AS content, t.reasoning AS reasoning
    FROM messages AS m LEFT JOIN message_text AS t ON t.message_id = m.message_id
    WHERE m.message_id IN (SELECT CAST(value AS INTEGER) FROM json_each(:ids))`,
  /** `hash` is an expression of the system, never text of the file. */
  everyMessage: (hash: string) => /* sql */ `
    SELECT m.message_id, m.conversation_id, m.role, m.token_count, ${hash}, m.content
    FROM messages AS m
    WHERE :conversation IS NULL OR m.conversation_id = :conversation`,
  everySummary: /* sql */ `
    SELECT s.summary_id, s.conversation_id, s.kind, s.token_count, s.model, s.content
    FROM summaries AS s
    WHERE :conversation IS NULL OR s.conversation_id = :conversation`,
}

/*
 * Texts are read when somebody asks for them and never kept. Each function runs one statement, so that all rows are of
 * one state of the file. Rows come in the order of the file; what is gone is left out.
 */

type Content<Id> = readonly [id: Id, content: string | null]

function* contents<Id>(db: ReadDb, sql: string, ids: readonly Id[]): Generator<Content<Id>> {
  type Row = { readonly id: Id; readonly content: string | null }
  for (const { id, content } of db.iterate<Row>(sql, { ids: JSON.stringify(ids) })) yield [id, content]
}

/** Contents of messages. */
export const contentsOfMessages = (db: ReadDb, ids: readonly number[]): Generator<Content<number>> =>
  contents(db, queries.messages, ids)

type PartTexts = {
  /** Number of the message. */
  readonly id: number
  readonly ordinal: number
  readonly input: string | null
  readonly output: string | null
  readonly reasoning: string | null
}

/** What messages say in their parts: what tools were given and gave, and reasoning. By message, then by ordinal. */
export const textsOfParts = (db: ReadDb, messageIds: readonly number[]): IterableIterator<PartTexts> =>
  db.iterate<PartTexts>(queries.parts(LISTED), { ids: JSON.stringify(messageIds) })

/** The content of a message, and what its parts say in their order. */
export type SearchedTexts = readonly [content: string, toolInput: string, toolOutput: string, reasoning: string]

/**
 * The texts of messages as an index holds them, by their numbers: a field a column, the texts of several parts joined by
 * line ends. Numbers without many gaps are read from the first to the last, which takes half the time of looking them up.
 */
export function searchedTexts(db: ReadDb, ids: readonly number[]): Map<number, SearchedTexts> {
  const texts = new Map<number, SearchedTexts>()
  const single: number[] = []
  for (const run of denseRuns(ids)) {
    const [first, last] = [run[0] as number, run[run.length - 1] as number]
    if (run.length < SHORT) {
      for (const id of run) single.push(id)
      continue
    }
    const wanted = last - first >= run.length ? new Set(run) : null
    addTexts(texts, db, [queries.messagesBetween, queries.parts(BETWEEN)], { first, last }, wanted)
  }
  if (single.length > 0)
    addTexts(texts, db, [queries.messages, queries.parts(LISTED)], { ids: JSON.stringify(single) }, null)
  return texts
}

function addTexts(
  texts: Map<number, SearchedTexts>,
  db: ReadDb,
  [messages, parts]: readonly [messages: string, parts: string],
  params: SqlParams,
  wanted: ReadonlySet<number> | null,
): void {
  const said = joinedParts(db.rows<PartRow>(parts, params))
  for (const [id, content] of db.rows<[id: number, content: string | null]>(messages, params)) {
    if (wanted && !wanted.has(id)) continue
    const known = said.get(id)
    texts.set(id, searchedOf(content, known))
  }
}

/** Returns the fields of a message. A field without a text is empty. */
export const searchedOf = (content: string | null, parts?: Readonly<PartFields>): SearchedTexts => [
  content ?? '',
  ...(parts ? ([parts[0] ?? '', parts[1] ?? '', parts[2] ?? ''] as const) : NOTHING_SAID),
]
const NOTHING_SAID = ['', '', ''] as const

/** Returns the numbers in runs, each ascending and without many gaps. */
function denseRuns(ids: readonly number[]): number[][] {
  const runs: number[][] = []
  for (const id of Float64Array.from(ids).sort()) {
    const run = runs.at(-1)
    if (run && id - (run[run.length - 1] as number) <= DENSE) run.push(id)
    else runs.push([id])
  }
  return runs
}

/** The distance of two neighbours in a run is at most this. */
const DENSE = 2
/** Runs that are shorter are looked up together. */
const SHORT = 16

type PartRow<Id = number> = readonly [id: Id, ordinal: number, ...said: PartFields]
type PartFields = [input: string | null, output: string | null, reasoning: string | null]

/** The texts of parts, which come in their order, by what they belong to: a field a column. */
export function joinedParts<Id>(rows: Iterable<PartRow<Id>>): ReadonlyMap<Id, Readonly<PartFields>> {
  const said = new Map<Id, PartFields>()
  for (const [id, , input, output, reasoning] of rows) {
    const before = said.get(id)
    if (before) {
      before[0] = joined(before[0], input)
      before[1] = joined(before[1], output)
      before[2] = joined(before[2], reasoning)
    } else said.set(id, [input, output, reasoning])
  }
  return said
}

const joined = (before: string | null, text: string | null): string | null =>
  before === null || text === null ? (before ?? text) : `${before}\n${text}`

/** The text of a summary; undefined when it is gone. */
export const contentOfSummary = (db: ReadDb, id: string): string | null | undefined =>
  db.value<string | null>(queries.summary, { id })

/** Texts of summaries. */
export const contentsOfSummaries = (db: ReadDb, ids: readonly string[]): Generator<Content<string>> =>
  contents(db, queries.summaries, ids)

/** How messages begin, up to the given number of bytes (see `opening`), by their numbers. */
export const openingsOfMessages = (db: ReadDb, ids: readonly number[], bytes: number): ReadonlyMap<number, string> =>
  new Map(db.rows<[number, string]>(queries.messageOpenings, { ids: JSON.stringify(ids), bytes }))

/** How summaries begin, up to the given number of bytes, by their ids. */
export const openingsOfSummaries = (db: ReadDb, ids: readonly string[], bytes: number): ReadonlyMap<string, string> =>
  new Map(db.rows<[string, string]>(queries.summaryOpenings, { ids: JSON.stringify(ids), bytes }))

/** How many bytes the contents of messages have, by their numbers. */
export const sizesOfMessages = (db: ReadDb, ids: readonly number[]): ReadonlyMap<number, number> =>
  new Map(db.rows<[number, number]>(queries.messageSizes, { ids: JSON.stringify(ids) }))

/** How many bytes the texts of summaries have, by their ids. */
export const sizesOfSummaries = (db: ReadDb, ids: readonly string[]): ReadonlyMap<string, number> =>
  new Map(db.rows<[string, number]>(queries.summarySizes, { ids: JSON.stringify(ids) }))

/** How a tool call and its result begin. */
export type ToolOpening = {
  readonly messageId: number
  readonly name: string | null
  readonly input: string
  readonly output: string
}

/** How the tool calls and results of messages begin, up to a number of bytes, by message, each in its order. */
export const openingsOfTools = (
  db: ReadDb,
  messageIds: readonly number[],
  bytes: number,
): ReadonlyMap<number, readonly ToolOpening[]> =>
  Map.groupBy(
    db.iterate<ToolOpening>(queries.toolOpenings, { ids: JSON.stringify(messageIds), bytes }),
    ({ messageId }) => messageId,
  )

/** How the first reasoning of each message begins, up to the given number of bytes, by their numbers. */
export const openingsOfReasoning = (db: ReadDb, ids: readonly number[], bytes: number): ReadonlyMap<number, string> =>
  new Map(
    ids.length === 0 ? [] : db.rows<[number, string]>(queries.reasoningOpenings, { ids: JSON.stringify(ids), bytes }),
  )

/** Texts of summaries by their row numbers. */
export const contentsOfSummaryRows = (db: ReadDb, rows: readonly number[]): Content<number>[] =>
  db.rows<Content<number>>(queries.summaryRows, { rows: JSON.stringify(rows) })

/** The messages, of some, in which a text stands, character by character, in the content or in a part. */
export const messagesHolding = (db: ReadDb, ids: readonly number[], text: string): number[] =>
  db.column<number>(queries.messagesHolding, { ids: JSON.stringify(ids), text })

/** Row numbers of the summaries, of some, in which a text stands, character by character. */
export const summaryRowsHolding = (db: ReadDb, rows: readonly number[], text: string): number[] =>
  db.column<number>(queries.summaryRowsHolding, { rows: JSON.stringify(rows), text })

/** The messages, of some, whose content or parts match a pattern of LIKE that escapes by a backslash. */
export function messagesLike(db: ReadDb, ids: readonly number[], pattern: string): number[] {
  const found = new Set(db.column<number>(queries.messagesLike, { ids: JSON.stringify(ids), pattern }))
  const others = JSON.stringify(ids.filter((id) => !found.has(id)))
  return [...found, ...db.column<number>(queries.partsLike, { ids: others, pattern })]
}

/** Row numbers of the summaries, of some, that match such a pattern. */
export const summaryRowsLike = (db: ReadDb, rows: readonly number[], pattern: string): number[] =>
  db.column<number>(queries.summaryRowsLike, { rows: JSON.stringify(rows), pattern })

/** What a message says by itself, beside its tools. */
export type SaidText = {
  readonly messageId: number
  readonly role: Role
  readonly content: string | null
  readonly reasoning: string | null
}

/** Contents and reasoning of messages. */
export const saidTexts = (db: ReadDb, ids: readonly number[]): SaidText[] =>
  db.all<SaidText>(queries.said, { ids: JSON.stringify(ids) })

type EveryMessage = readonly [
  id: number,
  conversation: number,
  role: string,
  tokens: number | null,
  hash: string | null,
  content: string | null,
]
type EverySummary = readonly [
  id: string,
  conversation: number,
  kind: string,
  tokens: number | null,
  model: string | null,
  content: string | null,
]

/**
 * Every message with its text.
 * @param conversation null: of all conversations
 * @param hash the expression under which its system stores the hash of a message
 */
export const everyMessageText = (
  db: ReadDb,
  conversation: number | null,
  hash: string | null,
): IterableIterator<EveryMessage> =>
  db.iterateRows<EveryMessage>(queries.everyMessage(hash ?? 'NULL'), { conversation })

/** Every summary with its text. */
export const everySummaryText = (db: ReadDb, conversation: number | null): IterableIterator<EverySummary> =>
  db.iterateRows<EverySummary>(queries.everySummary, { conversation })

/** The first contents of at least `bytes` bytes, of messages above a number, in the order of their numbers. */
export const longContentsAfter = (
  db: ReadDb,
  after: number,
  bytes: number,
  limit: number,
): { readonly id: number; readonly content: string }[] =>
  db.all<{ id: number; content: string }>(queries.longMessages, { after, bytes, limit })
