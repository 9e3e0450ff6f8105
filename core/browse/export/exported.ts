import { type SummaryKind, SummaryLevel } from '#core/contract/ids.ts'
import type { FileInfo } from '#core/contract/lineage.ts'
import type { ConversationRow } from '#core/contract/memory.ts'
import type { Message, Pruned } from '#core/contract/message.ts'
import type { Note } from '#core/contract/notes.ts'
import { asItIs, type Sanitizer, sanitizeValue, withoutPathName, withoutSecrets } from '#core/sanitize.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { messageNodeId } from '#core/systems/reading/node-id.ts'
import { contentsOfSummaries } from '#core/systems/reading/texts.ts'
import { noSuchConversation } from '#core/systems/records/conversations.ts'
import { type SummaryHead, summaryHeadsOf, summaryRanges, summarySources } from '#core/systems/records/summaries.ts'
import { windowEntries } from '#core/systems/records/window-entries.ts'
import type { RetrievalEngine } from '../retrieval-engine.ts'
import type { MemoryStats } from '../stats/memory-stats.ts'
import type { StrataService } from '../strata.ts'
import type { SummaryDag } from '../summary-dag.ts'
import type { Transcript } from '../transcript.ts'
import { type DrawnStrata, MESSAGE_COLUMNS } from './page/page-strata.ts'

/** How many messages or summaries are read at once. */
const PAGE = 200

type SummaryRow = {
  readonly id: string
  readonly kind: SummaryKind
  readonly depth: number
  readonly tokens: number | null
  readonly level: SummaryLevel
  readonly model: string | null
  readonly createdAtMs: number | null
  readonly earliestAtMs: number | null
  readonly latestAtMs: number | null
  readonly content: string
}
/** A summary with the ids of its sources: first summaries, then messages. */
export type ExportedSummary = SummaryRow & { readonly sources: readonly string[] }
type ExportedItem = { readonly ordinal: number; readonly id: string | null }

export type ExportedNote = Pick<Note, 'isPinned' | 'text'>

/** What is exported of one conversation. The sanitizer has seen every text, and messages come page by page. */
export type Exported = {
  readonly conversation: ConversationRow
  readonly window: readonly ExportedItem[]
  readonly files: readonly FileInfo[]
  /** What some messages and summaries are called. */
  names(ids: readonly string[]): ReadonlyMap<string, string>
  summaries(): Iterable<ExportedSummary>
  /** @param from how many of the oldest are left out */
  messages(from?: number): Iterable<Message>
  strata(): DrawnStrata
  /** What the user noted, by node. Empty unless it was asked for. */
  readonly notes: ReadonlyMap<string, ExportedNote>
}

/** The services that an export uses. */
export type ExportedMemory = {
  readonly read: ReadDb
  readonly stats: MemoryStats
  readonly transcript: Transcript
  readonly retrieval: RetrievalEngine
  readonly dag: SummaryDag
  readonly strata: StrataService
}

/** Returns a conversation in the form from which every format is written. @throws LcmError not_found */
export function exported(
  { read, stats, transcript, retrieval, dag, strata }: ExportedMemory,
  id: number,
  clean: Sanitizer,
  notes: readonly Note[] = [],
): Exported {
  const found = stats.conversation(id)
  if (!found) throw noSuchConversation(read, id)
  const orNull = (text: string | null): string | null => (text === null ? null : clean(text))
  /** A name that is a path is replaced completely. */
  const name = (text: string): string => clean(clean === asItIs ? text : withoutPathName(text))
  /**
   * A path or a key may stand in any field, such as ids, names of tools and models, and fields that are added later.
   */
  const all = <T>(value: T): T => (clean === asItIs ? value : (sanitizeValue(value, withoutSecrets) as T))
  return {
    conversation: all({
      ...found,
      title: found.title === null ? null : name(found.title),
      sessionId: name(found.sessionId),
    }),
    window: all(windowOf(read, id)),
    files: retrieval.files(id).map((file) =>
      all({
        ...file,
        fileName: file.fileName === null ? null : name(file.fileName),
        storageUri: name(file.storageUri),
        explorationSummary: orNull(file.explorationSummary),
      }),
    ),
    *summaries() {
      const heads = summaryHeadsOf(read, id)
      for (let first = 0; first < heads.length; first += PAGE) {
        for (const { content, model, ...summary } of readSummaries(read, heads.slice(first, first + PAGE))) {
          yield all({ ...summary, model: orNull(model), content: clean(content) })
        }
      }
    },
    names: (ids) =>
      new Map(
        Array.from({ length: Math.ceil(ids.length / PAGE) }, (_, page) =>
          dag
            .names(ids.slice(page * PAGE, (page + 1) * PAGE))
            .names.flatMap(({ id, name }) => (name === null ? [] : [[all(id), clean(name)] as const])),
        ).flat(),
      ),
    *messages(from = 0) {
      for (let offset = from; ; offset += PAGE) {
        const page = transcript.page({
          conversationId: id,
          offset,
          limit: PAGE,
          contentChars: Number.MAX_SAFE_INTEGER,
        })
        for (const message of page.messages) yield all(cleaned(message, clean))
        if (offset + PAGE >= page.total) return
      }
    },
    notes: new Map(
      notes.flatMap((note) =>
        note.conversationId === id
          ? [[all(note.id), { isPinned: note.isPinned, text: clean(note.text) }] as const]
          : [],
      ),
    ),
    strata() {
      const layers = strata.get({ conversationId: id, axis: 'messages' })
      const range = { x0: 0, x1: layers.extent, buckets: MESSAGE_COLUMNS }
      const messages = strata.messages({ conversationId: id, axis: 'messages', ...range })
      return all({ strata: layers, messages })
    },
  }
}

const windowOf = (read: ReadDb, id: number): ExportedItem[] =>
  windowEntries(read, id).map(({ ordinal, messageId, summaryId }) => ({
    ordinal,
    id: summaryId ?? (messageId === null ? null : messageNodeId(messageId)),
  }))

function readSummaries(read: ReadDb, heads: readonly SummaryHead[]): ExportedSummary[] {
  const ids = heads.map((head) => head.id)
  const contents = new Map(contentsOfSummaries(read, ids))
  const ranges = summaryRanges(read, ids)
  const sources = Map.groupBy(summarySources(read, ids), ([summaryId]) => summaryId)
  return heads.map(({ id, kind, depth, tokens, level, model, createdAtMs }) => {
    const named = sources.get(id) ?? []
    return {
      id,
      kind,
      depth,
      tokens,
      level: SummaryLevel.options.find((known) => known === level) ?? 'unknown',
      model,
      createdAtMs,
      earliestAtMs: ranges.get(id)?.earliestAtMs ?? null,
      latestAtMs: ranges.get(id)?.latestAtMs ?? null,
      content: contents.get(id) ?? '',
      sources: [
        ...named.flatMap(([, , sourceId]) => sourceId ?? []),
        ...named.flatMap(([, messageId]) => (messageId === null ? [] : messageNodeId(messageId))),
      ],
    }
  })
}

function cleaned(message: Message, clean: Sanitizer): Message {
  const orNull = (text: string | null): string | null => (text === null ? null : clean(text))
  // The note that replaces a pruned output may quote that output.
  const cleanPruned = ({ pruned }: { readonly pruned?: Pruned | undefined }) =>
    pruned ? { pruned: { ...pruned, seen: orNull(pruned.seen) } } : {}
  return {
    ...message,
    ...cleanPruned(message),
    content: clean(message.content),
    parts: message.parts.map((part) => ({
      ...part,
      text: orNull(part.text),
      toolInput: orNull(part.toolInput),
      toolOutput: orNull(part.toolOutput),
      toolError: orNull(part.toolError),
      fileName: orNull(part.fileName),
      fileUrl: orNull(part.fileUrl),
      metadata: orNull(part.metadata),
      ...cleanPruned(part),
    })),
  }
}
