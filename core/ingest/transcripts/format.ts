import type { Role } from '#core/contract/ids.ts'
import type { TranscriptFormatId } from '#core/contract/import.ts'
import type { NewFile } from '#core/files/large-file-service.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import type { NewMessage, NewPart } from '../new-message.ts'
import type { BlockPart } from './content-blocks.ts'
import type { TranscriptHead } from './head.ts'
import type { JsonObject } from './json-value.ts'
import type { MessageDetails } from './message-details.ts'
import type { parsedOnce } from './parsed-once.ts'
import type { ChainBreak } from './record-graph.ts'
import type { Tried } from './tried-versions.ts'

/**
 * A format reads one kind of transcript. It does not know the database: it recognises its files by their content and
 * reads them into a stream of neutral records, which one writer stores for all formats.
 */
export type TranscriptFormat = {
  readonly id: TranscriptFormatId
  /** The name of the format that people read. */
  readonly label: string
  /**
   * Says how sure the beginning of a file makes this format: from 0 (another format) to 1 (certainly this format). It
   * judges by content and never by the name of the file. The highest value wins, and a value below 0.5 never does.
   */
  readonly detect: (head: TranscriptHead) => number
  /** Reads a file from its beginning in bounded memory. What it cannot use it reports as `skipped`. */
  readonly read: (source: TranscriptSource) => AsyncGenerator<TranscriptChunk>
  /** Where the agent keeps its sessions in a database. */
  readonly store?: AgentStore
  /**
   * The fields by which records are chained, where the agent follows them backwards when a session is resumed. A reader
   * of such a format says where the chain breaks.
   */
  readonly chain?: { readonly id: string; readonly parent: string }
  /**
   * Matches the fields of a record whose texts an import leaves out by design, because the model is sent them in another
   * field, or not at all: `toolUseResult.stdout: <text>`.
   */
  readonly asides?: RegExp
  /**
   * The other files that a reading of a path depends on, whether they exist or not. Null when there are too many to
   * look at, so that the file is read at every import. By default there are none.
   */
  readonly besides?: (path: string) => readonly string[] | null
  /** The files that the agent keeps beside a transcript, whether they exist or not, and that no reading needs. */
  readonly notes?: (path: string) => readonly string[]
  readonly tried?: Tried
}

/** A database in which an agent keeps many sessions. It is opened without a trace, and recognised by its tables. */
export type AgentStore = {
  /** The usual name of the file. Databases of other names in a folder are left alone. */
  readonly fileName: RegExp
  readonly isOurs: (probe: SchemaProbe) => boolean
  /**
   * Reads session by session in batches of rows, so that nothing blocks: those that are named, where the store can tell
   * them apart, or all of them.
   */
  readonly read: (db: ReadDb, source: TranscriptSource, sessions?: readonly string[]) => AsyncGenerator<TranscriptChunk>
}

/** What a format may ask about the stored part of a session. */
export type StoredHistory = {
  /** Counts the stored parts of a message without `step_finish` and synthetic ones. Undefined when it is not stored. */
  readonly storedBlocks: (sessionId: string, externalId: string) => number | undefined
  /**
   * Gives the last message that was stored of a session when this import began. While it may still be completed, a file
   * that has grown continues there.
   */
  readonly lastStored: (sessionId: string) => LastStored | null
  readonly hasSession: (sessionId: string) => boolean
  /** Whether the memory holds a summary of this id. */
  readonly hasSummary: (summaryId: string) => boolean
}

export type LastStored = { readonly externalId: string; readonly role: Role; readonly content: string }

/** For callers that only look into a transcript, so that nothing counts as stored. */
export const NOTHING_STORED: StoredHistory = {
  storedBlocks: () => undefined,
  lastStored: () => null,
  hasSession: () => false,
  hasSummary: () => false,
}

/** A file to be read, and what a format may ask about it. */
export type TranscriptSource = StoredHistory & {
  /** The name of the file, from which ids and titles may be derived. Its bytes are at `head.path`. */
  readonly path: string
  readonly bytes: number
  readonly head: TranscriptHead
  /** The time of messages before which no record has a time. */
  readonly nowMs: number
  /** A preview reads up to here. It is Infinity when the whole file is read. */
  readonly limitBytes: number
  /** See `TranscriptFormat`, by which it is given to the reading. */
  readonly asides?: RegExp
  /** The two readings of a file that is short enough to be kept. A caller that reads it leaves this out. */
  readonly parsedOnce?: ReturnType<typeof parsedOnce>
  /** Returns a version that a record names, when it is another one than before. */
  readonly versionIn?: (value: unknown) => string | null
  /** Is told what was made of each record. */
  readonly observe?: Observe
  /**
   * When it is given, a reader whose files grow says with `read_to` from where a later reading can go on. `from` is what
   * it said the last time, and then the file has only the lines that came after that. It is null for a whole file.
   */
  readonly place?: { readonly from: JsonObject | null }
}

/** `given` is what the reader made of a record at once. It is empty when the message comes later. */
export type Observe = (value: unknown, line: number, given: readonly TranscriptRecord[]) => void

/** The records of one part of the file. `looking` is a first reading that stores nothing yet. */
export type TranscriptChunk = {
  readonly doing: 'looking' | 'storing'
  /** How many bytes of the file have been read. */
  readonly bytesRead: number
  readonly records: readonly TranscriptRecord[]
}

/**
 * The neutral records. `sessionId` names the conversation and is unique within the format. A conversation is declared
 * before its first message.
 */
export type TranscriptRecord =
  | SessionRecord
  | MessageRecord
  | AnswerRecord
  | CompactionRecord
  | PruningRecord
  /** The last title counts, and replaces a stored one. */
  | { readonly kind: 'title'; readonly sessionId: string; readonly title: string }
  | GivenUpRecord
  | OriginsRecord
  | HeldRecord
  | BrokenChainRecord
  /** The version of the agent, or of its files, that wrote what follows. */
  | { readonly kind: 'written_by'; readonly version: string }
  /**
   * Messages of which the agent sends copies since it resumed the session: how many, by external id. It replaces what an
   * earlier import noted, also when there are none.
   */
  | { readonly kind: 'sent_again'; readonly sessionId: string; readonly copies: ReadonlyMap<string, number> }
  /**
   * What the session cost so far by its agent's own account, with its sub-agents and mostly with what it was forked from
   * (`hasOwnAccount`). The last one counts. `after` has what it had cost after messages, by their external ids.
   */
  | {
      readonly kind: 'cost'
      readonly sessionId: string
      readonly cost: number
      readonly after: ReadonlyMap<string, number>
    }
  /**
   * The last record of a reading whose file can be read on from its end. It is missing when what may follow depends on
   * more than `place`, or what followed did. The session was declared before, also when nothing was said in it since.
   */
  | { readonly kind: 'read_to'; readonly sessionId: string; readonly place: JsonObject }
  /** A record without conversation: settings, progress or bookkeeping. */
  | { readonly kind: 'other' }
  /** A record that is in the file more than once. */
  | { readonly kind: 'repeated' }
  /** A record with the id of an earlier one and another content. The earlier one is kept. */
  | { readonly kind: 'conflict'; readonly line: number; readonly reason: string }
  | {
      readonly kind: 'skipped'
      readonly line: number
      readonly reason: string
      /** True when the reader knows the record and leaves it out on purpose. */
      readonly isKnown?: true
      /** The record, when it looks like a message, and who speaks in it. A reader leaves this out. */
      readonly unread?: { readonly value: JsonObject; readonly role: Role }
    }

/** Names all messages on branches that were given up, once after the last message. The agent sees none of them. */
export type GivenUpRecord = {
  readonly kind: 'given_up'
  readonly sessionId: string
  readonly externalIds: ReadonlySet<string>
  /** The keys of compactions that were taken back, so that the agent sees again what they replaced. */
  readonly compactions?: ReadonlySet<string>
}

/**
 * Says what the sessions that a fork copied had given up, and what their agent did not send, when they were copied. It is
 * used for those of them whose own transcript was not imported. What the fork did later does not concern them.
 */
export type OriginsRecord = {
  readonly kind: 'origins'
  /** The fork. */
  readonly sessionId: string
  /** External ids of copies on branches that had been given up. */
  readonly givenUp: ReadonlySet<string>
  /** What the agent did not send, each under the session that was copied. */
  readonly prunings: readonly PruningRecord[]
}

/**
 * Names all messages of a session that was read as a whole, once after the last one. What is stored of it from before its
 * last change and is not among them was removed since by its agent, and the model sees it no more.
 */
export type HeldRecord = {
  readonly kind: 'held'
  readonly sessionId: string
  readonly externalIds: ReadonlySet<string>
  readonly changedAtMs: number
}

/** Says once after the last message where the chain of a session breaks, or that it is whole. */
export type BrokenChainRecord = {
  readonly kind: 'broken_chain'
  readonly sessionId: string
  readonly breaks: readonly (Omit<ChainBreak, 'id'> & {
    /** External id of the first message after the break. */
    readonly from: string
  })[]
}

export type SessionRecord = {
  readonly kind: 'session'
  readonly sessionId: string
  /** The session that started this one, or from which this one was forked. */
  readonly parentSessionId?: string | null
  readonly title?: string | null
  /** True when the stored session is named by its first words, and the file no longer has them. */
  readonly keepsTitle?: boolean
  /** The working directory. */
  readonly cwd?: string | null
  readonly startedAtMs: number
  /**
   * True for a fork that copied every message that it sees of its parent. What one of them prunes, removes or takes back
   * later, the other still sees.
   */
  readonly hasOwnCopies?: boolean
  /** True for a fork of which the agent's account of its cost begins at 0. Else it goes on from that of its parent. */
  readonly hasOwnAccount?: boolean
  /** Of a fork without copies: the number of the first record of its parent that it does not have. */
  readonly forkedAtOrdinal?: number | null
  /**
   * True when the file begins after a compaction, so that its first messages may be those of another session, which it
   * does not name.
   */
  readonly mayBeFork?: boolean
  /**
   * True for the session that the file is about, because a file may also contain sub-agents. By default it is the first
   * one.
   */
  readonly isMain?: boolean
}

export type MessageRecord = {
  readonly kind: 'message'
  readonly sessionId: string
  /**
   * Its external id is the same whenever this file, or one that continues it, is read. A format without ids derives it
   * from the text (see `DerivedIds`).
   */
  readonly message: NewMessage
  /**
   * The message was copied from these sessions when this one was forked. It belongs to the session that has it, and to
   * the first of them when none is stored yet.
   */
  readonly copiedFrom?: readonly string[]
  /** True when nothing is added to the message any more: what is stored of it and is not in it was removed since. */
  readonly isComplete?: boolean
  /** The line of the record in the file. A reader that emits records while it reads a line leaves it out. */
  readonly line?: number
}

/**
 * A later reading may find more of this answer, because the agent was still writing. What an earlier import stored
 * stays unchanged. The rest of its text and further blocks become a message `<id>#<n>`.
 */
export type AnswerRecord = {
  readonly kind: 'answer'
  readonly sessionId: string
  readonly externalId: string
  readonly blocks: readonly BlockPart[]
  readonly createdAtMs: number
  /** The usage of the step. */
  readonly finish: NewPart | null
  readonly details: MessageDetails
  readonly copiedFrom?: readonly string[]
  /** As in `MessageRecord`. */
  readonly isComplete?: boolean
  readonly line?: number
  /** The large files that its texts refer to. A reader leaves this out. */
  readonly files?: readonly NewFile[]
}

/**
 * The agent replaced a part of its own window by a summary. The record follows the messages that record it. See
 * docs/decisions/0008-existing-compactions.md.
 */
export type CompactionRecord = {
  readonly kind: 'compaction'
  readonly sessionId: string
  /** The key is stable, so that a compaction is stored once. */
  readonly key: string
  /** The summary by the agent, or null when the transcript does not contain it in the clear. */
  readonly text: string | null
  readonly atMs: number
  /** True when a threshold started it, false when a person did, null when that is unknown. */
  readonly isAuto: boolean | null
  readonly model: string | null
  /**
   * External ids of the messages with which the transcript records the compaction, among them its summary. The last one
   * marks the place of the compaction. They become sources together with the replaced messages, so that the window has
   * the summary once.
   */
  readonly recordedBy: readonly [string, ...string[]]
  /** True when the agent goes on seeing the messages that record it, so that they are no sources. */
  readonly keepsRecord?: true
  /** True when forks of the session are sent the replaced messages again. */
  readonly isNotInForks?: true
  /** External id of the system prompt that the agent sends in front of the summary again. */
  readonly keptPrompt?: string | null
  /** The replaced range: the window before the compaction without what the agent kept, or one range of messages. */
  readonly replaced:
    | { readonly kind: 'all' }
    /** All messages except summaries of earlier ones, because no summary was made of those. */
    | { readonly kind: 'all_messages' }
    | {
        readonly kind: 'all_before'
        readonly keptFrom: string
        /** External ids of the messages that record earlier compactions whose summaries go, too, wherever they stand. */
        readonly compactions?: ReadonlySet<string>
      }
    | { readonly kind: 'all_but'; readonly kept: ReadonlySet<string> }
    | {
        readonly kind: 'these'
        readonly externalIds: ReadonlySet<string>
        /** The earlier summaries that go, too: those of the compactions with these keys, or all of them. */
        readonly summaries?: ReadonlySet<string> | 'all'
      }
}

/**
 * The agent removed outputs from its own window without a summary. The record follows the messages that contain them.
 * When it is repeated, only what is new in it is stored.
 */
export type PruningRecord = {
  readonly kind: 'pruning'
  readonly sessionId: string
  /** The key is stable, like that of a compaction. */
  readonly key: string
  /** Names what the agent did, as `Pruned` in the contract. */
  readonly by: string
  readonly atMs: number
  /** True when a threshold started it, false when a person did, null when that is unknown. */
  readonly isAuto: boolean | null
  /** The tokens that the agent says it saved, when the transcript has the number. */
  readonly toldTokens: number | null
  readonly outputs: readonly PrunedText[]
  /** True on a branch that was given up, so that the window is unchanged. */
  readonly isGivenUp?: boolean
}

/** Names the results of a call, the whole content of a message, or one of its parts. */
export type PrunedText = (
  | { readonly callId: string }
  | { readonly externalId: string; readonly ordinal?: number | undefined }
) & {
  /** The text that the model sees instead, or null when it sees none. */
  readonly seen: string | null
}
