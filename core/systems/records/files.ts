import type { FileInfo } from '#core/contract/lineage.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'

const columns = `file_id AS id, conversation_id AS conversationId, file_name AS fileName, mime_type AS mimeType,
      byte_size AS bytes, storage_uri AS storageUri, exploration_summary AS explorationSummary,
      created_at AS createdAtMs`

const queries = {
  all: /* sql */ `SELECT ${columns} FROM large_files ORDER BY file_id`,
  byId: /* sql */ `SELECT ${columns} FROM large_files WHERE file_id = :id`,
  ofConversation: /* sql */ `
    SELECT ${columns}
    FROM large_files
    WHERE conversation_id = :conversation
    ORDER BY created_at, file_id`,
  /** The list is JSON text; an id is never part of another within quotes. */
  ofSummaries: /* sql */ `
    SELECT s.summary_id AS summaryId, l.file_id AS fileId
    FROM json_each(:ids) AS i
    CROSS JOIN summaries AS s ON s.summary_id = i.value
    CROSS JOIN json_each(iif(json_valid(s.file_ids), s.file_ids, '[]')) AS f
    CROSS JOIN large_files AS l ON l.file_id = f.value
    WHERE s.file_ids <> '[]'
    ORDER BY i.key, f.key`,
  summariesNaming: /* sql */ `
    SELECT summary_id AS id, conversation_id AS conversationId
    FROM summaries
    WHERE instr(file_ids, :quoted) > 0
    ORDER BY depth, created_at, summary_id`,
  /** Reads only messages that may name the file: those of the leaves that name it, and those in the window. */
  messagesNaming: /* sql */ `
    SELECT message_id
    FROM messages
    WHERE message_id IN (
      SELECT l.message_id
      FROM summary_messages AS l
      WHERE l.summary_id IN (SELECT value FROM json_each(:leaves))
      UNION
      SELECT c.message_id FROM context_items AS c WHERE c.conversation_id = :conversation AND c.message_id IS NOT NULL
    ) AND instr(content, :id) > 0
    ORDER BY message_id
    LIMIT 1000`,
  // A page of another table in the place of one of these may have what the schema forbids. SQLite takes IS NOT NULL from
  // the schema, and looks at the type of the value.
  stored: /* sql */ `
    SELECT file_id AS id, conversation_id AS conversationId, byte_size AS bytes, content_hash AS hash,
      storage_uri AS uri
    FROM large_files
    WHERE typeof(storage_uri) = 'text'`,
  storedById: /* sql */ `
    SELECT file_id AS id, conversation_id AS conversationId, byte_size AS bytes, content_hash AS hash,
      storage_uri AS uri
    FROM large_files
    WHERE file_id = :id`,
  pathsOfContent: /* sql */ `
    SELECT DISTINCT storage_uri
    FROM large_files
    WHERE content_hash = :hash AND typeof(storage_uri) = 'text'
    ORDER BY created_at
    LIMIT 20`,
  smallest: /* sql */ `SELECT min(byte_size) FROM large_files`,
  ids: /* sql */ `SELECT file_id FROM large_files`,
}

/** Every large file of a memory, in the order of their ids. */
export const allFiles = (db: ReadDb): FileInfo[] => db.all<FileInfo>(queries.all)

export const fileById = (db: ReadDb, id: string): FileInfo | undefined => db.get<FileInfo>(queries.byId, { id })

/** Files of a conversation, oldest first. */
export const filesOf = (db: ReadDb, conversationId: number): FileInfo[] =>
  db.all<FileInfo>(queries.ofConversation, { conversation: conversationId })

/** A text that was moved out of a conversation to a file. */
export type StoredFileRow = {
  readonly id: string
  readonly conversationId: number
  readonly bytes: number | null
  readonly hash: string | null
  readonly uri: string
}

/** All files that say where they are. */
export const fileRows = (db: ReadDb): StoredFileRow[] => db.all<StoredFileRow>(queries.stored)

export const fileRow = (db: ReadDb, id: string): StoredFileRow | undefined =>
  db.get<StoredFileRow>(queries.storedById, { id })

export const fileIds = (db: ReadDb): ReadonlySet<string> => new Set(db.column<string>(queries.ids))

/** Where the same content may stand already. */
export const pathsOfContent = (db: ReadDb, hash: string): string[] =>
  db.column<string>(queries.pathsOfContent, { hash })

/** Bytes of the smallest large file, or null when there is none. */
export const smallestFile = (db: ReadDb): number | null => db.value<number | null>(queries.smallest) ?? null

/** Ids of the large files of a memory that some summaries carry on, by the id of the summary. */
export const filesOfSummaries = (db: ReadDb, ids: readonly string[]): ReadonlyMap<string, readonly string[]> => {
  type Row = { readonly summaryId: string; readonly fileId: string }
  const rows = Map.groupBy(db.all<Row>(queries.ofSummaries, { ids: JSON.stringify(ids) }), (row) => row.summaryId)
  return new Map([...rows].map(([id, named]) => [id, named.map(({ fileId }) => fileId)]))
}

/** Who refers to a file. */
export type FileReferences = {
  /** Summaries that carry its id on, leaves first. */
  readonly summaries: readonly { readonly id: string; readonly conversationId: number }[]
  /** Numbers of messages in which its id stands. */
  readonly messages: readonly number[]
}

export function fileReferences(db: ReadDb, fileId: string, conversation: number): FileReferences {
  const quoted = JSON.stringify(fileId)
  const summaries = db.all<FileReferences['summaries'][number]>(queries.summariesNaming, { quoted })
  const leaves = JSON.stringify(summaries.map(({ id }) => id))
  return { summaries, messages: db.column<number>(queries.messagesNaming, { leaves, conversation, id: fileId }) }
}

const FILE_ID = /\bfile_[0-9a-f]{16}\b/g

/** Ids of large files that stand in some texts, each once, in the order of their first mention. */
export const fileIdsIn = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => (text.includes('file_') ? (text.match(FILE_ID) ?? []) : []))),
]
