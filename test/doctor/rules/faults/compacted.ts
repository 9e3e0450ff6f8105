import type { SqlParams } from '#core/sqlite/read-db.ts'
import type { TestMemory } from '#test/builders/memory.ts'

/** A source of chance that a property test hands out. */
export type Pick = <T>(list: readonly T[]) => T

/** Damage to a compacted memory, which a plan settles; `inject` says whether there was something to damage. */
export type CompactedFault = {
  readonly name: string
  /** The id of the rule that finds it. */
  readonly rule: string
  readonly inject: (memory: TestMemory, pick: Pick) => boolean
}

export const SUMMARIES = 'SELECT summary_id FROM summaries ORDER BY summary_rowid'
export const LEAVES = "SELECT summary_id FROM summaries WHERE kind = 'leaf' ORDER BY summary_rowid"
export const CONDENSED = "SELECT summary_id FROM summaries WHERE kind = 'condensed' ORDER BY summary_rowid"
export const IN_WINDOW = 'SELECT summary_id FROM context_items WHERE summary_id IS NOT NULL ORDER BY ordinal'
/** The newest message stays: without it another rule finds something, too. */
export const RAW = `
  SELECT c.message_id FROM context_items AS c JOIN messages AS m ON m.message_id = c.message_id
  WHERE m.seq < (SELECT max(seq) FROM messages AS n WHERE n.conversation_id = m.conversation_id)
  ORDER BY c.ordinal`

/** A leaf under a summary, the first one. */
export const UNDER = `
  WITH RECURSIVE covered (id) AS (
    VALUES (:id) UNION SELECT e.source_summary_id FROM covered AS b JOIN summary_sources AS e ON e.summary_id = b.id
  )
  SELECT l.summary_id FROM covered AS b JOIN summary_messages AS l ON l.summary_id = b.id ORDER BY l.message_id LIMIT 1`

/** Damage by one statement about something that a query finds. */
export const one = (name: string, rule: string, of: string, sql: string, more: SqlParams = {}): CompactedFault => ({
  name,
  rule,
  inject: (memory, pick) => {
    const found = memory.db.column<string | number>(of)
    if (found.length === 0) return false
    memory.damage(sql, { id: pick(found), ...more })
    return true
  },
})
