import type { ReadDb } from '../../sqlite/read-db.ts'

/** The key in `lcm_meta` under which an import notes what a session cost by its agent's own account. */
export const statedCostKey = (importer: string, sessionId: string): string => `agent_cost:${importer}:${sessionId}`

const queries = {
  all: /* sql */ `
    SELECT c.conversation_id AS conversationId, f.value AS cost
    FROM lcm_meta AS f JOIN conversations AS c ON f.key = 'agent_cost:' || c.importer || ':' || c.session_id
    WHERE f.key >= 'agent_cost:' AND f.key < 'agent_cost;'`,
  one: /* sql */ `
    SELECT f.value
    FROM conversations AS c JOIN lcm_meta AS f ON f.key = 'agent_cost:' || c.importer || ':' || c.session_id
    WHERE c.conversation_id = :conversationId`,
}

/**
 * What whole conversations cost, where their agent notes that of a session and not of its answers. It counts what their
 * sub-agents cost.
 */
export const statedCosts = (db: ReadDb): ReadonlyMap<number, number> =>
  new Map(
    db
      .all<{ conversationId: number; cost: string }>(queries.all)
      .flatMap(({ conversationId, cost }): [number, number][] => {
        const known = costIn(cost)
        return known === null ? [] : [[conversationId, known]]
      }),
  )

export const statedCost = (db: ReadDb, conversationId: number): number | null =>
  costIn(db.value<string>(queries.one, { conversationId }) ?? '')

/** Null for a damaged note. */
const costIn = (note: string): number | null =>
  note.trim() !== '' && Number.isFinite(Number(note)) ? Number(note) : null
