import type { Role } from '../../contract/ids.ts'
import type { TranscriptFormatId } from '../../contract/import.ts'
import type { NewMessage, NewPart } from '../new-message.ts'
import type { BlockPart } from './content-blocks.ts'
import type { Marks } from './draft.ts'
import type { TranscriptHead } from './head.ts'

/**
 * One kind of transcript. It knows nothing of databases: it recognises its files by their content and tells what they
 * say as a stream of neutral records, which the one writer stores.
 */
export type TranscriptFormat = {
  readonly id: TranscriptFormatId
  /** For people. */
  readonly label: string
  /**
   * How sure the beginning of a file makes it: 0 (not mine) to 1 (nothing else looks like this). Decides by what the
   * file says, never by its name; the highest wins, and below 0.5 nobody does.
   */
  readonly detect: (head: TranscriptHead) => number
  /** Reads one file in bounded memory, from its beginning. What it cannot use it reports as `skipped`. */
  readonly read: (source: TranscriptSource) => AsyncGenerator<TranscriptChunk>
}

/** What an import may ask about what is stored of a session. */
export type StoredHistory = {
  /** Number of parts that are stored of a message, `step_finish` and synthetic ones aside; undefined: not stored. */
  readonly storedBlocks: (sessionId: string, externalId: string) => number | undefined
  /**
   * The last message of a session when this import began with it, while it may still be completed: a file that has grown
   * goes on there.
   */
  readonly lastStored: (sessionId: string) => LastStored | null
  readonly hasSession: (sessionId: string) => boolean
}

export type LastStored = { readonly externalId: string; readonly role: Role; readonly content: string }

/** For who only looks: nothing is stored. */
export const NOTHING_STORED: StoredHistory = {
  storedBlocks: () => undefined,
  lastStored: () => null,
  hasSession: () => false,
}

/** A file to be read, and what a format may ask about it. */
export type TranscriptSource = StoredHistory & {
  /** What the file is called: ids and titles may come from it. Its bytes are at `head.path`. */
  readonly path: string
  readonly bytes: number
  readonly head: TranscriptHead
  /** Dates messages before which nothing has a time. */
  readonly nowMs: number
  /** A preview reads no further than this; Infinity: to the end. */
  readonly limitBytes: number
}

/** What a stretch of the file said. `looking`: a first reading, of which nothing is stored yet. */
export type TranscriptChunk = {
  readonly doing: 'looking' | 'storing'
  /** How far the file has been read. */
  readonly bytesRead: number
  readonly records: readonly TranscriptRecord[]
}

/**
 * The neutral records. `sessionId` names the conversation, unique for the format; a conversation is declared before its
 * first message.
 */
export type TranscriptRecord =
  | SessionRecord
  | MessageRecord
  | AnswerRecord
  | CompactionRecord
  | PruningRecord
  /** The last one counts, and replaces what is stored. */
  | { readonly kind: 'title'; readonly sessionId: string; readonly title: string }
  /** All messages that lie on branches that were given up, told once after the last message: none of them is seen. */
  | { readonly kind: 'given_up'; readonly sessionId: string; readonly externalIds: ReadonlySet<string> }
  /** Holds no conversation: settings, progress, bookkeeping. */
  | { readonly kind: 'other' }
  /** Stands in the file once more. */
  | { readonly kind: 'repeated' }
  | { readonly kind: 'skipped'; readonly line: number; readonly reason: string }

export type SessionRecord = {
  readonly kind: 'session'
  readonly sessionId: string
  /** The session that spawned this one, or from which it was forked. */
  readonly parentSessionId?: string | null
  readonly title?: string | null
  /** Working directory. */
  readonly cwd?: string | null
  readonly startedAtMs: number
  /** This is the session that the file is about (a file may also hold sub-agents). Default: the first one. */
  readonly isMain?: boolean
}

export type MessageRecord = {
  readonly kind: 'message'
  readonly sessionId: string
  /**
   * With an external id that is the same whenever the file, or one that continues it, is read. Where a format has none
   * it is derived from what the message says (see `DerivedIds`).
   */
  readonly message: NewMessage
  /** Copied from these sessions when this one was forked: left out when one of them, or one above, has it. */
  readonly copiedFrom?: readonly string[]
  /** Where it stands in the file. Left out by a reader that tells records as it reads: that line is meant. */
  readonly line?: number
}

/**
 * An answer of which a later reading may find more, because the agent was still writing. What an earlier import has
 * stored stays as it is; the rest of its text and blocks beyond it become a message `<id>#<n>`.
 */
export type AnswerRecord = {
  readonly kind: 'answer'
  readonly sessionId: string
  readonly externalId: string
  readonly blocks: readonly BlockPart[]
  readonly createdAtMs: number
  /** What the step cost. */
  readonly finish: NewPart | null
  readonly marks: Marks
  readonly copiedFrom?: readonly string[]
  readonly line?: number
}

/**
 * The agent replaced a part of its own window by a summary. Comes after the messages that record it. See
 * docs/decisions/0009-existing-compactions.md.
 */
export type CompactionRecord = {
  readonly kind: 'compaction'
  readonly sessionId: string
  /** Stable: one compaction is taken once. */
  readonly key: string
  /** The agent's own words; null when the transcript does not hold them in the clear. */
  readonly text: string | null
  readonly atMs: number
  /** By a threshold (true) or by hand; null when not known. */
  readonly isAuto: boolean | null
  readonly model: string | null
  /**
   * External ids of the messages by which the transcript records the compaction, its summary among them; the last one
   * is its place. They go under the summary with what it replaced, so that the window says it once.
   */
  readonly recordedBy: readonly [string, ...string[]]
  /** What was replaced: all of the window before its place except what the agent kept, or one stretch. */
  readonly replaced:
    | { readonly kind: 'all' }
    /** All but what stands for earlier ones: no summary was made of these. */
    | { readonly kind: 'all_messages' }
    | { readonly kind: 'all_before'; readonly keptFrom: string }
    | { readonly kind: 'all_but'; readonly kept: ReadonlySet<string> }
    | {
        readonly kind: 'these'
        readonly externalIds: ReadonlySet<string>
        /** Of the agent's summaries it sees the newest alone. */
        readonly withSummaries?: boolean
      }
}

/**
 * The agent took outputs out of its own window and put no summary in their place. Comes after the messages that hold
 * them; what is told again adds what is new.
 */
export type PruningRecord = {
  readonly kind: 'pruning'
  readonly sessionId: string
  /** Stable, as that of a compaction. */
  readonly key: string
  /** What the agent did, as in the contract's `Pruned`. */
  readonly by: string
  readonly atMs: number
  /** By a threshold (true) or by hand; null when not known. */
  readonly isAuto: boolean | null
  /** The agent's own count of what it saved, where the transcript has it. */
  readonly toldTokens: number | null
  readonly outputs: readonly PrunedText[]
  /** It lies on a branch that was given up: the window is what it was before. */
  readonly isGivenUp?: boolean
}

/** The results of a call, or all that a message says. */
export type PrunedText = ({ readonly callId: string } | { readonly externalId: string }) & {
  /** What the model sees instead; null when nothing. */
  readonly seen: string | null
}
