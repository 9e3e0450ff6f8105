import type { FileInfo } from '../contract/lineage.ts'
import type { ReadDb } from '../sqlite/read-db.ts'

const file = /* sql */ `
  SELECT
    file_id AS id,
    conversation_id AS conversationId,
    file_name AS fileName,
    mime_type AS mimeType,
    byte_size AS bytes,
    storage_uri AS storageUri,
    exploration_summary AS explorationSummary,
    created_at AS createdAtMs
  FROM large_files`

const queries = {
  byId: `${file} WHERE file_id = :id`,
  ofConversation: `${file} WHERE conversation_id = :conversation ORDER BY created_at, file_id`,
}

export const fileById = (db: ReadDb, id: string): FileInfo | undefined => db.get<FileInfo>(queries.byId, { id })

/** Files of a conversation, oldest first. */
export const filesOf = (db: ReadDb, conversationId: number): FileInfo[] =>
  db.all<FileInfo>(queries.ofConversation, { conversation: conversationId })
