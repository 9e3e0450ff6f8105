import type { ReadDb } from '../sqlite/read-db.ts'

const queries = {
  /** The list is JSON text; an id is never part of another within quotes. */
  summaries: /* sql */ `
    SELECT summary_id AS id, conversation_id AS conversationId
    FROM summaries
    WHERE instr(file_ids, :quoted) > 0
    ORDER BY depth, created_at, summary_id`,
  /** Only messages that may hold it are read: those of the leaves that name the file, and those in the window. */
  messages: /* sql */ `
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
}

/** Who refers to a file. */
export type FileReferences = {
  /** Summaries that carry its id on, leaves first. */
  readonly summaries: readonly { readonly id: string; readonly conversationId: number }[]
  /** Numbers of messages in which its id stands. */
  readonly messages: readonly number[]
}

export function fileReferences(db: ReadDb, fileId: string, conversation: number): FileReferences {
  const summaries = db.all<FileReferences['summaries'][number]>(queries.summaries, { quoted: JSON.stringify(fileId) })
  const leaves = JSON.stringify(summaries.map(({ id }) => id))
  return { summaries, messages: db.column<number>(queries.messages, { leaves, conversation, id: fileId }) }
}

const FILE_ID = /\bfile_[0-9a-f]{16}\b/g

/** Ids of large files that stand in a text, each once. */
export const fileIdsIn = (text: string): string[] => [...new Set(text.match(FILE_ID) ?? [])]
