import type { ReadDb } from '../sqlite/read-db.ts'
import type { SchemaProbe } from '../sqlite/schema-probe.ts'
import type { NumberFromSources } from './reading/read-summaries.ts'
import { type Finding, hasItems, type ScanContext } from './rules/scanned-memory.ts'

/** A hash that a system stores with each message. */
type MessageHash = {
  /** The table and columns of the file itself that keep it. */
  readonly column: readonly [table: string, column: string]
  /** SQL of the stored hash of the message `m`. */
  readonly sql: string
  readonly of: (message: { readonly content: string | null; readonly kind: string }) => string
}

/** A column of the file itself whose text is JSON. */
export type JsonColumn = {
  readonly table: string
  readonly column: string
  /** SQL over the table `t`: the node that a row belongs to, and its conversation. */
  readonly id: string
  readonly conversation: string
  /** `document`: begins like an object or array, and only then has to be one. */
  readonly shape: 'any' | 'array' | 'document'
}

/** A link of which one end is missing. */
export type MissingEnd = {
  /** The position of the summary, or −1 when that is what is missing. */
  readonly summary: number
  /** The id of the source as an id of a node. */
  readonly sourceId: string
}

/** A column of messages, and SQL that finds two messages of a conversation with the same value in it. */
type EntryKey = { readonly column: string; readonly sql: string }

/** SQL that finds messages, of those with numbers above `:after` up to `:upTo`. */
export type PartRows = {
  /** Messages without a part: `messageId`, `conversationId`. */
  readonly without: string
  /** Messages with a part of another session: the same, and `seq`; `newest`: the greatest `seq` of each conversation. */
  readonly otherSessions: { readonly all: string; readonly newest: string }
  /** `seq` of the first message of a conversation with a part of its own session. */
  readonly sessionBegan: string
  /** Findings: parts that are not numbered from 0 without gaps, and another text in the part than in the message. */
  readonly misnumbered: string
  /** `condition`: on a row `t` of `message_parts`, true wherever `sql` finds its message. */
  readonly otherText: (probe: SchemaProbe) => { readonly condition: string; readonly sql: string }
  /** Findings: results that do not say of which call they are; null in files of releases that do not store it. */
  readonly uncalled: (probe: SchemaProbe) => string | null
}

/** `id`, `descendantTokens` and `messageTokens` of every summary. */
type TokenSums = {
  readonly needs: readonly (readonly [table: string, column: string])[]
  readonly sql: string
}

/** Where a system's own tables refer to files. */
type FileReferences = {
  readonly needs: readonly [table: string, column: string]
  /** On a row `t` of the table, true wherever `sql` finds something. */
  readonly condition: string
  /** `id`, `conversationId`, `fileId` of the rows of the table above `:after` up to `:upTo`. */
  readonly sql: string
}

type FileDetails = {
  /** Ids of files and how many lines they have. */
  readonly lines: string
  /** Texts of messages that may refer to files, of those with numbers above `:after` up to `:upTo`. */
  readonly mentions: string
}

/** Something that a system notes of its own work, and that a rule asks about. */
export type WorkNote = 'stale marks' | 'unfinished work' | 'failures' | 'active flags' | 'reading' | 'briefs'

/** How a note is found to be wrong. */
type WorkNoteCheck = {
  /** Whether the release that wrote the file keeps such a note. */
  readonly isKept: (probe: SchemaProbe) => boolean
  readonly find: (context: ScanContext, nowMs: number) => Iterable<Finding>
}

/** The budget by which a system compacts a conversation, as its file notes it. */
export type OwnBudget = {
  readonly budgetTokens: number
  /** The share of the budget from which on it compacts; null where it is not noted. */
  readonly threshold: number | null
  /** Since when a compaction is asked for that never began; null when there is none. */
  readonly pendingSinceMs: number | null
}

/** What is true of the files of one system, and expected there, although it would be damage in another's. */
export type SystemFacts = {
  /** The number of the first item of a window. */
  readonly firstOrdinal: number
  readonly hasDenseWindow: boolean
  /** Whether the sources of a summary are numbered from 0 without gaps, and stay so. */
  readonly hasDenseLinks: boolean
  /** `kept`: numbers follow each other; `pruned`: the system itself takes some messages out; `free`: anything goes. */
  readonly sequence: 'kept' | 'pruned' | 'free'
  /** Times of summaries may be shifted by the writer's offset from UTC. */
  readonly shiftsTimes: boolean
  /** Which numbers of a summary it stores, of those that follow from the summary's sources. */
  readonly storedNumbers: readonly NumberFromSources[]
  readonly messageHash: MessageHash | null
  readonly jsonColumns: readonly JsonColumn[]
  /** Triggers that keep its indexes in step, by the table that they watch. */
  readonly triggers: readonly Trigger[]
  /** Columns of its messages that name an entry of the transcript, once in a conversation. */
  readonly entryKeys: readonly EntryKey[]
  /** What can be wrong with parts that it stores as rows beside the text of a message; null: it does not. */
  readonly partRows: PartRows | null
  /** SQL of the numbers that it adds up for every summary; null: it stores none. */
  readonly tokenSums: TokenSums | null
  /** What it notes of its own work. */
  readonly work: Readonly<Partial<Record<WorkNote, WorkNoteCheck>>>
  /** The budgets that a file notes, of some conversations or (`null`) of all. Null for a system that notes none. */
  readonly ownBudgets:
    | ((db: ReadDb, probe: SchemaProbe, of: readonly number[] | null) => ReadonlyMap<number, OwnBudget>)
    | null
  /** Whether it notes of everything when it was made. */
  readonly recordsMaking: boolean
  /** Whether it keeps the texts of large files in a folder like ours. */
  readonly keepsFileStore: boolean
  /** Whether every large file has a text that tells what is in it. */
  readonly exploresEveryFile: boolean
  /** How many lines a file has, and which messages refer to files; null: it notes neither. */
  readonly fileDetails: FileDetails | null
  readonly fileReferences: readonly FileReferences[]
  /** Says what became of the output that a text of a message stands for; null where it moves no outputs to files. */
  readonly payloads: ((memoryPath: string) => (text: string) => Payload | null) | null
  /** What the release that wrote a file brings; null where that is not known. */
  readonly structure: ReleaseStructure | null
  /** Tables that a file has lost, of those without which it is read all the same; null where none may be missing. */
  readonly lostTables: ((probe: SchemaProbe) => readonly string[]) | null
  /** Whether this conversation has a window that has to lead to all its messages. */
  readonly hasWindow: (context: ScanContext, conversationId: number) => boolean
  /** Whether the model sees messages beside the window that are not stored in the file. */
  readonly hidesMessages: boolean
  /** Whether only the newest summaries are shown and the others merely named, so that an agent may ask for them. */
  readonly showsOnlyNewest: boolean
  readonly isUncoveredByDesign: (context: ScanContext, message: number) => boolean
  /** Whether nothing has to lead to this summary. */
  readonly isOrphanByDesign: (context: ScanContext, summary: number) => boolean
  /** Sources of a kind that the system does not know. */
  readonly oddKinds: (context: ScanContext) => Iterable<Finding>
  /** Whether the missing end of a link was taken away by the system's own rules. */
  readonly isPruned: (context: ScanContext, link: MissingEnd) => boolean
  /** Whether the links of a summary are lost in a broken text, which another check names. */
  readonly isUnreadableLineage: (context: ScanContext, summaryId: string) => boolean
}

/** An output that was moved to a file: a sentence where something is not right. */
export type Payload = {
  readonly missing: string | null
  readonly elsewhere: string | null
  readonly outside: string | null
}

export type ReleaseStructure = {
  /** Tables and indexes that the file should have. */
  names(probe: SchemaProbe): readonly string[]
  /** Steps of bringing it up to date that are not recorded as done. */
  undoneSteps(context: ScanContext): readonly string[]
}

type Trigger = { readonly name: string; readonly needs: readonly string[]; readonly why: string }

/** One that is put aside has no window any more, and loses nothing by it; a derived one exists where there are items. */
function hasStoredWindow(context: ScanContext, conversationId: number): boolean {
  if (hasItems(context, conversationId)) return true
  const archivedAtMs = context.memory.conversations.get(conversationId)?.archivedAtMs ?? null
  return context.info.capabilities.storedWindow && archivedAtMs === null
}

/** What holds where a system says nothing else. */
export const usualFacts: SystemFacts = {
  firstOrdinal: 0,
  hasDenseWindow: false,
  hasDenseLinks: false,
  sequence: 'free',
  shiftsTimes: false,
  storedNumbers: [],
  messageHash: null,
  jsonColumns: [],
  triggers: [],
  entryKeys: [],
  partRows: null,
  tokenSums: null,
  work: {},
  ownBudgets: null,
  recordsMaking: false,
  keepsFileStore: false,
  exploresEveryFile: false,
  fileDetails: null,
  fileReferences: [],
  payloads: null,
  structure: null,
  lostTables: null,
  hasWindow: hasStoredWindow,
  hidesMessages: false,
  showsOnlyNewest: false,
  isUncoveredByDesign: () => false,
  isOrphanByDesign: () => false,
  oddKinds: () => [],
  isPruned: () => false,
  isUnreadableLineage: () => false,
}

/** A trigger that keeps a full-text index in step. */
export const indexTrigger = (name: string, needs: readonly string[]): Trigger => ({
  name,
  needs,
  why: 'without it the full-text index falls behind',
})

/** A JSON column of files whose messages and summaries are known by row number. */
export function jsonByRow(
  table: string,
  column: string,
  of: 'message' | 'summary',
  shape: JsonColumn['shape'],
): JsonColumn {
  const row =
    of === 'message' ? 'messages AS m WHERE m.message_id = t.rowid' : 'summaries AS m WHERE m.summary_rowid = t.rowid'
  const id = of === 'message' ? `'msg_' || t.rowid` : `(SELECT m.summary_id FROM temp.${row})`
  return { table, column, id, conversation: `(SELECT m.conversation_id FROM temp.${row})`, shape }
}

/** JSON columns of the tables that native files and the family of lossless-claw share. */
export const jsonOfPart = (column: string, shape: JsonColumn['shape']): JsonColumn => ({
  table: 'message_parts',
  column,
  id: `'msg_' || t.message_id`,
  conversation: '(SELECT m.conversation_id FROM main.messages AS m WHERE m.message_id = t.message_id)',
  shape,
})
export const jsonOfSummary = (column: string): JsonColumn => ({
  table: 'summaries',
  column,
  id: 't.summary_id',
  conversation: 't.conversation_id',
  shape: 'array',
})
export const jsonOfConversation = (table: string, column: string): JsonColumn => ({
  table,
  column,
  id: 'NULL',
  conversation: 't.conversation_id',
  shape: 'any',
})

/** How a system counts the tokens of a text. */
export type TokenRule = (text: string) => number

/** A full-text index that a system keeps in its own file. */
export type OwnIndex = {
  readonly name: string
  /** What it indexes: a table of the file itself. */
  readonly of: string
  /** SQL over the row `t` of that table: its row number in the index, its text, the node, and its conversation. */
  readonly rowid: string
  readonly text: string
  readonly node: string
  readonly conversation: string
  /**
   * For an index with a text of its own: the columns that hold it, and the id where rows are not found by number. Such
   * indexes have no rows for empty texts.
   */
  readonly copy?: { readonly text: string; readonly id?: string }
  /** Why a row may have another text in the index than in its table: SQL over `t`, true for such rows. */
  readonly isRewritten?: string
  /** The structure that came with the index; a file without it is too old to have one. */
  readonly since?: readonly [table: string, column: string]
}

/** An index of messages whose table has the number of the message. */
export const indexOfMessages = (rowid: string, text: string): OwnIndex => ({
  name: 'messages_fts',
  of: 'messages',
  rowid,
  text,
  node: `(SELECT 'msg_' || m.message_id FROM temp.messages AS m WHERE m.message_id = ${rowid})`,
  conversation: `(SELECT m.conversation_id FROM temp.messages AS m WHERE m.message_id = ${rowid})`,
})

/** The indexes of a system that a file of its structure should have. */
export const indexesIn = (indexes: readonly OwnIndex[], probe: SchemaProbe): readonly OwnIndex[] =>
  indexes.filter(({ of, since }) => probe.has(of) && (since === undefined || probe.has(...since)))
