import type { ReadDb } from '#core/sqlite/read-db.ts'

const queries = {
  sources: /* sql */ `
    SELECT source_summary_id AS id, ordinal FROM summary_sources WHERE summary_id = :id
    UNION ALL
    SELECT 'msg_' || message_id, ordinal FROM summary_messages WHERE summary_id = :id
    ORDER BY 2
    LIMIT CAST(:limit AS INTEGER)`,
  dependents: /* sql */ `
    SELECT summary_id FROM summary_sources WHERE source_summary_id = :id
    UNION
    SELECT summary_id FROM summary_messages WHERE message_id = CAST(:number AS INTEGER)
    ORDER BY 1
    LIMIT CAST(:limit AS INTEGER)`,
  among: /* sql */ `
    SELECT summary_id AS "from", source_summary_id AS "to", ordinal
    FROM summary_sources
    WHERE summary_id IN (SELECT value FROM json_each(:ids))
      AND source_summary_id IN (SELECT value FROM json_each(:ids))
    UNION ALL
    SELECT summary_id, 'msg_' || message_id, ordinal
    FROM summary_messages
    WHERE summary_id IN (SELECT value FROM json_each(:ids))
      AND message_id IN (SELECT value FROM json_each(:numbers))
    ORDER BY 1, 3`,
  sourceSummaries: /* sql */ `
    SELECT source_summary_id FROM summary_sources WHERE summary_id = :id ORDER BY ordinal, source_summary_id`,
  messages: /* sql */ `
    SELECT message_id
    FROM summary_messages
    WHERE summary_id = :id
    ORDER BY ordinal, message_id
    LIMIT CAST(:limit AS INTEGER) OFFSET CAST(:offset AS INTEGER)`,
  naming: /* sql */ `
    SELECT message_id, summary_id
    FROM summary_messages
    WHERE message_id IN (SELECT value FROM json_each(:ids))
    ORDER BY summary_id`,
  isNamed: /* sql */ `
    SELECT 1 FROM summary_sources WHERE source_summary_id = :id OR summary_id = :id
    UNION ALL
    SELECT 1 FROM summary_messages WHERE summary_id = :id OR message_id = CAST(:number AS INTEGER)
    LIMIT 1`,
}

/*
 * Links by the ids of nodes, of whatever conversation, whether their ends are there or not. What is asked of a whole
 * conversation is known to its memory.
 */

/** Ids of the sources of a summary in their order, at most as many as asked for. */
export const sourceIds = (db: ReadDb, id: string, limit: number): string[] =>
  db.column<string>(queries.sources, { id, limit })

/**
 * Ids of the summaries that name a summary or a message as their source, at most as many as asked for.
 * @param number of the message, or null
 */
export const dependentIds = (db: ReadDb, id: string, number: number | null, limit: number): string[] =>
  db.column<string>(queries.dependents, { id, number, limit })

type LinkBetween = { readonly from: string; readonly to: string; readonly ordinal: number }

/** All links between some nodes. */
export const linksAmong = (db: ReadDb, ids: readonly string[], messageIds: readonly number[]): LinkBetween[] =>
  db.all<LinkBetween>(queries.among, { ids: JSON.stringify(ids), numbers: JSON.stringify(messageIds) })

/** Ids of the summaries that a summary names as its sources, in their order. */
export const sourceSummaryIds = (db: ReadDb, id: string): string[] => db.column<string>(queries.sourceSummaries, { id })

type Page = { readonly limit: number; readonly offset: number }

/** Numbers of the messages that a summary names, in their order: all, or a page of them. */
export const namedMessages = (db: ReadDb, id: string, { limit, offset }: Page = { limit: -1, offset: 0 }): number[] =>
  db.column<number>(queries.messages, { id, limit, offset })

/** Ids of the summaries that name messages, by the number of the message. */
export const summariesNaming = (db: ReadDb, messageIds: readonly number[]): ReadonlyMap<number, readonly string[]> => {
  const naming = new Map<number, string[]>()
  for (const [message, summary] of db.rows<[number, string]>(queries.naming, {
    ids: JSON.stringify(messageIds),
  })) {
    const known = naming.get(message)
    if (known) known.push(summary)
    else naming.set(message, [summary])
  }
  return naming
}

/** Whether a link names an id at one of its ends, or a message with this number. */
export const isNamedByLink = (db: ReadDb, id: string, number: number | null): boolean =>
  db.value(queries.isNamed, { id, number }) !== undefined
