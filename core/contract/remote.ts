import { z } from 'zod'
import { ConversationId } from './ids.ts'
import { GrepInput } from './retrieval.ts'

const Count = z.number().int().nonnegative()

/** A conversation that was copied from PostgreSQL into a native file. */
export const PullReport = z.object({
  path: z.string(),
  tenant: z.string(),
  conversationId: ConversationId,
  messages: Count,
  summaries: Count,
  edges: Count,
  contextItems: Count,
  /** Messages that were not in the file before. */
  newMessages: Count,
  /** The file was pulled before, and was brought up to date. */
  isUpdate: z.boolean(),
  parentConversationId: ConversationId.nullable(),
  /** Large files whose content could not be had: it is not in the store, or not what its row says. */
  unavailableFiles: z.array(z.object({ id: z.string(), reason: z.string() })),
  /**
   * Every row was read again, here and on the server, and compared. Otherwise those that were written since the last
   * pull, or the server is a replica that is behind the file.
   */
  comparedAll: z.boolean(),
})
export type PullReport = z.infer<typeof PullReport>

/** The content of a large file that was fetched from the server, and has the hash of its row. */
export const FetchReport = z.object({ id: z.string(), bytes: Count })
export type FetchReport = z.infer<typeof FetchReport>

/** Rows that were added, replaced and removed, by table. The links of a summary count as one. */
export const ChangedTables = z.array(z.object({ table: z.string(), added: Count, replaced: Count, removed: Count }))
export type ChangedTables = z.infer<typeof ChangedTables>

/** Changes of a pulled file that were written to PostgreSQL. */
export const PushReport = z.object({
  path: z.string(),
  tenant: z.string(),
  conversationId: ConversationId,
  tables: ChangedTables,
  /** Every replaced row was compared with what was pulled. */
  compared: Count,
  /** New large files whose content is not in this memory, so that only their rows were written. */
  filesWithoutContent: z.array(z.string()),
  /** Conversations of the file that were not pulled, such as those of imported sub-agents. They stay in the file. */
  otherConversations: Count,
})
export type PushReport = z.infer<typeof PushReport>

/** Conversations of a file that were copied into a tenant. */
export const SendReport = z.object({
  address: z.string(),
  tenant: z.string(),
  conversations: z.array(
    z.object({
      from: ConversationId,
      to: ConversationId,
      messages: Count,
      summaries: Count,
      /** Its session is in the tenant already, so nothing was copied. */
      isThere: z.boolean(),
      /** Large files whose content is not in this memory, so that only their rows were copied. */
      filesWithoutContent: z.array(z.string()),
    }),
  ),
  /** Rows that belong to no conversation, and cannot be copied. */
  leftOut: z.array(z.object({ table: z.string(), rows: Count })),
  verified: z.literal(true),
})
export type SendReport = z.infer<typeof SendReport>

/** Conversations of a tenant that were copied into one file. */
export const TenantReport = z.object({
  address: z.string(),
  tenant: z.string(),
  path: z.string(),
  conversations: z.array(
    z.object({
      conversationId: ConversationId,
      messages: Count,
      summaries: Count,
      /** A copy that was interrupted had stored it already. */
      isThere: z.boolean(),
      /** Other conversations have some of its numbers or ids, so it has new ones in the file. */
      isRenumbered: z.boolean(),
      /** Large files whose content could not be had. */
      unavailableFiles: z.array(z.object({ id: z.string(), reason: z.string() })),
    }),
  ),
  /** Rows of large files whose id another conversation of the file has. */
  leftOut: z.array(z.object({ table: z.string(), rows: Count })),
  notes: z.array(z.string()),
  verified: z.literal(true),
})
export type TenantReport = z.infer<typeof TenantReport>

/** The contents in the store of large files beside PostgreSQL, and which of them no conversation refers to. */
export const ObjectsReport = z.object({
  address: z.string(),
  store: z.string(),
  objects: Count,
  bytes: Count,
  /** Those that no row names, and that were stored more than a day ago. */
  found: Count,
  foundBytes: Count,
  /** Those that no row names, and whose age the store does not say readably. They stay. */
  undated: Count,
  /** The first 1000 of them. */
  orphans: z.array(z.object({ hash: z.string(), bytes: Count, modifiedAtMs: z.number() })),
  removed: Count,
})
export type ObjectsReport = z.infer<typeof ObjectsReport>

export const PgAction = z.enum(['migrate', 'status', 'roles'])

/** The tables in PostgreSQL. */
export const PgReport = z.object({
  action: PgAction,
  address: z.string().nullable(),
  /** The version of the tables before; 0 where there were none. */
  from: Count.nullable(),
  version: Count,
  isCurrent: z.boolean(),
  /** SQL to be run by an administrator. */
  sql: z.string().nullable(),
})
export type PgReport = z.infer<typeof PgReport>

/** What a worker did with one conversation. */
export const WorkerOutcome = z.object({
  tenant: z.string(),
  conversationId: ConversationId,
  /**
   * `conflict`: another program changed the same window meanwhile; the job is tried again later. `busy`: another worker
   * is compacting the conversation.
   */
  outcome: z.enum(['compacted', 'nothing_to_do', 'conflict', 'busy', 'failed']),
  created: Count,
  error: z.string().nullable(),
})
export type WorkerOutcome = z.infer<typeof WorkerOutcome>

/** What a worker did until nothing was due any more. */
export const WorkerReport = z.object({
  address: z.string(),
  conversations: z.array(WorkerOutcome),
})
export type WorkerReport = z.infer<typeof WorkerReport>

/** A search in all conversations of a tenant. */
export const RemoteGrepInput = z.object({
  query: z.string().min(1).max(10_000).describe('words, "phrases", prefix*, OR, NOT'),
  mode: GrepInput.shape.mode,
  caseSensitive: GrepInput.shape.caseSensitive,
  match: GrepInput.shape.match,
  conversationIds: z.array(ConversationId).optional().describe('narrow to a conversation'),
  limit: z.int().min(1).max(1000).default(50).describe('hits a page'),
  cursor: z.string().optional().describe('where the last page ended: nextCursor of its answer'),
})
export type RemoteGrepInput = z.infer<typeof RemoteGrepInput>

const RemoteHit = z.object({
  conversationId: ConversationId,
  id: z.string(),
  kind: z.enum(['message', 'leaf', 'condensed']),
  seq: z.number().int().nullable(),
  role: z.string().nullable(),
  depth: z.number().int().nullable(),
  createdAtMs: z.number(),
  /** Where the snippet is from. */
  field: z.enum(['content', 'tool_input', 'tool_output', 'reasoning']),
  snippet: z.string(),
  /** Ranges in the snippet in UTF-16 units, end exclusive. */
  matches: z.array(z.tuple([z.number(), z.number()])),
  /** Of a hit of a question: the words of the question that it has. */
  words: z.array(z.string()).optional(),
})
export type RemoteHit = z.infer<typeof RemoteHit>

export const RemoteHits = z.object({
  tenant: z.string(),
  /** The newest first. For a question: first the hits with all words, then the hits with most of the rare words. */
  hits: z.array(RemoteHit),
  /** The conversations of the hits. */
  conversations: z.array(z.object({ conversationId: ConversationId, label: z.string(), messages: Count })),
  /** Where the next page begins. A page that took long ends early: it may have fewer hits than were asked for. */
  nextCursor: z.string().nullable(),
  /** True when the query was taken for a question. Then a hit has any of its words, in any form with the same stem. */
  isQuestion: z.boolean(),
  notes: z.array(z.string()),
  /** Texts that the server sent because they might be hits. */
  readTexts: Count,
})
export type RemoteHits = z.infer<typeof RemoteHits>
