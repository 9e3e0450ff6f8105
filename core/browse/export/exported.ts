import type { FileInfo } from '../../contract/lineage.ts'
import type { ConversationRow } from '../../contract/memory.ts'
import type { Message, Pruned } from '../../contract/message.ts'
import { asItIs, type Sanitizer, sanitizeValue, withoutPathName, withoutSecrets } from '../../sanitize.ts'
import { shownValue } from '../../sqlite/native-values.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import type { RetrievalEngine } from '../retrieval-engine.ts'
import type { MemoryStats } from '../stats/memory-stats.ts'
import type { Transcript } from '../transcript.ts'

const queries = {
  summaries: /* sql */ `
    SELECT s.summary_id AS id, ${shownValue('summaries.kind', 's')} AS kind, s.depth, s.token_count AS tokens, ${shownValue('summaries.level', 's')} AS level, s.model,
      s.created_at AS createdAtMs, s.earliest_at AS earliestAtMs, s.latest_at AS latestAtMs, s.content
    FROM summaries AS s
    WHERE s.conversation_id = :conversation
    ORDER BY s.depth DESC, s.created_at, s.summary_rowid`,
  sources: /* sql */ `
    SELECT source_summary_id FROM summary_sources WHERE summary_id = :id ORDER BY ordinal, source_summary_id`,
  messages: /* sql */ `
    SELECT 'msg_' || message_id FROM summary_messages WHERE summary_id = :id ORDER BY ordinal, message_id`,
  window: /* sql */ `
    SELECT ordinal, coalesce(summary_id, 'msg_' || message_id) AS id
    FROM context_items
    WHERE conversation_id = :conversation
    ORDER BY ordinal`,
}

/** Messages that are read at once. */
const PAGE = 200

type SummaryRow = {
  readonly id: string
  readonly kind: 'leaf' | 'condensed'
  readonly depth: number
  readonly tokens: number
  readonly level: string
  readonly model: string | null
  readonly createdAtMs: number | null
  readonly earliestAtMs: number | null
  readonly latestAtMs: number | null
  readonly content: string
}
/** A summary with the ids of what it was made from: summaries, then messages. */
export type ExportedSummary = SummaryRow & { readonly sources: readonly string[] }
type ExportedItem = { readonly ordinal: number; readonly id: string | null }

/** What goes out of one conversation: every text has been through the sanitizer, and messages come page by page. */
export type Exported = {
  readonly conversation: ConversationRow
  readonly window: readonly ExportedItem[]
  readonly files: readonly FileInfo[]
  summaries(): Iterable<ExportedSummary>
  messages(): Iterable<Message>
}

/** The services that an export asks. */
type ExportedMemory = {
  readonly read: ReadDb
  readonly stats: MemoryStats
  readonly transcript: Transcript
  readonly retrieval: RetrievalEngine
}

/** A conversation as it is exported in every format. */
export function exported(
  { read, stats, transcript, retrieval }: ExportedMemory,
  id: number,
  clean: Sanitizer,
): Exported {
  const found = stats.conversations().find((row) => row.conversationId === id)
  if (!found) throw new Error(`conversation ${id} was listed before`)
  const orNull = (text: string | null): string | null => (text === null ? null : clean(text))
  /** A name that is a path is one as a whole. */
  const name = (text: string): string => clean(clean === asItIs ? text : withoutPathName(text))
  /** Ids, names of tools and models, and whatever is added later: a path or a key may stand in any field. */
  const all = <T>(value: T): T => (clean === asItIs ? value : (sanitizeValue(value, withoutSecrets) as T))
  return {
    conversation: all({
      ...found,
      title: found.title === null ? null : name(found.title),
      sessionId: name(found.sessionId),
    }),
    window: all(read.all<ExportedItem>(queries.window, { conversation: id })),
    files: retrieval.files(id).map((file) =>
      all({
        ...file,
        fileName: file.fileName === null ? null : name(file.fileName),
        storageUri: name(file.storageUri),
        explorationSummary: orNull(file.explorationSummary),
      }),
    ),
    *summaries() {
      // Statements of their own: one that is being walked must not be asked anything else meanwhile.
      for (const row of read.all<SummaryRow>(queries.summaries, { conversation: id })) {
        const sources = [
          ...read.column<string>(queries.sources, { id: row.id }),
          ...read.column<string>(queries.messages, { id: row.id }),
        ]
        yield all({ ...row, content: clean(row.content), model: orNull(row.model), sources })
      }
    },
    *messages() {
      for (let offset = 0; ; offset += PAGE) {
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
  }
}

function cleaned(message: Message, clean: Sanitizer): Message {
  const orNull = (text: string | null): string | null => (text === null ? null : clean(text))
  // What stands in the place of an output may quote it.
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
