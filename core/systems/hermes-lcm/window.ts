import type { PreparableDb } from '#core/sqlite/uri-db.ts'
import { inRanges } from '../deriving/derived-tables.ts'

export const HERMES_WINDOW_TABLES = /* sql */ `
CREATE TEMP TABLE IF NOT EXISTS hermes_window (
  conversation_id INTEGER NOT NULL,
  ordinal         INTEGER NOT NULL,
  item_type       TEXT NOT NULL,
  message_id      INTEGER,
  summary_id      TEXT,
  PRIMARY KEY (conversation_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS temp.hermes_window_message ON hermes_window (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS temp.hermes_window_summary ON hermes_window (summary_id) WHERE summary_id IS NOT NULL;
-- What nodes and conversations were when the windows were filled.
CREATE TEMP TABLE IF NOT EXISTS hermes_window_state (state TEXT NOT NULL);
`

/** How many of a session's first messages are looked at for its system message. */
const SYSTEM_WITHIN = 100

const queries = {
  state: /* sql */ `SELECT state FROM temp.hermes_window_state`,
  forgetState: /* sql */ `DELETE FROM temp.hermes_window_state`,
  keepState: /* sql */ `INSERT INTO temp.hermes_window_state (state) VALUES (:state)`,
  nextOfSession: /* sql */ `
    SELECT min(store_id) FROM main.messages WHERE session_id = :session AND store_id > :last`,
  forgetWindows: /* sql */ `DELETE FROM temp.hermes_window`,
  // Where the lifecycle table records no frontier, the last compacted message is the last one of the newest node.
  coveredTo: /* sql */ `SELECT max(last_message) FROM temp.hermes_nodes WHERE session_id = :session`,
  systemMessage: /* sql */ `
    SELECT store_id FROM (
      SELECT store_id, role FROM main.messages WHERE session_id = :session ORDER BY store_id LIMIT ${SYSTEM_WITHIN}
    ) WHERE role = 'system' ORDER BY store_id LIMIT 1`,
  addSystem: /* sql */ `
    INSERT INTO temp.hermes_window (conversation_id, ordinal, item_type, message_id)
    VALUES (CAST(:conversation AS INTEGER), 0, 'message', CAST(:message AS INTEGER))`,
  addNodes: /* sql */ `
    INSERT INTO temp.hermes_window (conversation_id, ordinal, item_type, summary_id)
    SELECT CAST(:conversation AS INTEGER),
      row_number() OVER (ORDER BY n.depth DESC, n.created_at, n.node_id) - 1 + CAST(:first AS INTEGER),
      'summary', n.summary_id
    FROM temp.hermes_nodes AS n
    WHERE n.session_id = :session AND NOT EXISTS (
      SELECT 1 FROM temp.hermes_node_sources AS e JOIN temp.hermes_nodes AS d ON d.summary_id = e.summary_id
      WHERE e.source_summary_id = n.summary_id AND d.session_id = n.session_id AND d.depth > n.depth)`,
  addMessages: /* sql */ `
    INSERT INTO temp.hermes_window (conversation_id, ordinal, item_type, message_id)
    SELECT h.conversation_id, row_number() OVER (ORDER BY m.store_id) - 1 + CAST(:first AS INTEGER),
      'message', m.store_id
    FROM main.messages AS m JOIN temp.hermes_messages AS h ON h.message_id = m.store_id
    WHERE m.session_id = :session AND m.store_id > CAST(:after AS INTEGER) AND m.store_id <= :end
      AND m.store_id <> :system
      AND h.conversation_id = CAST(:conversation AS INTEGER)`,
  size: /* sql */ `SELECT coalesce(max(ordinal) + 1, 0) FROM temp.hermes_window WHERE conversation_id = CAST(:conversation AS INTEGER)`,
  windows: /* sql */ `
    SELECT conversation_id AS conversation, window_session AS session, frontier FROM temp.hermes_conversations
    WHERE window_session IS NOT NULL`,
}

/**
 * Fills the windows by the rule that `HERMES_WINDOW` states. Where only messages were added, they are added.
 * @param state what nodes and conversations are made from
 * @param after the last message that was known before, or −Infinity
 */
export function* fillingHermesWindows(db: PreparableDb, state: string, after: number): Generator<void> {
  const isGrown = Number.isFinite(after) && db.value(queries.state) === state
  if (!isGrown) db.exec(queries.forgetWindows)
  type Window = { conversation: number; session: string; frontier: number | null }
  for (const { conversation, session, frontier } of db.all<Window>(queries.windows)) {
    const system = db.value<number>(queries.systemMessage, { session }) ?? null
    const from = frontier ?? db.value<number>(queries.coveredTo, { session }) ?? 0
    if (!isGrown) {
      if (system !== null) db.run(queries.addSystem, { conversation, message: system })
      db.run(queries.addNodes, { conversation, session, first: system === null ? 0 : 1 })
    }
    const begin = isGrown ? Math.max(from, after) : from
    yield* inRanges(
      db,
      (id) => db.value(queries.nextOfSession, { session, last: id }),
      begin,
      ({ last, end }) => {
        const first = db.value<number>(queries.size, { conversation }) ?? 0
        return db.run(queries.addMessages, { conversation, session, first, after: last, end, system: system ?? -1 })
      },
    )
  }
  db.run(queries.forgetState)
  db.run(queries.keepState, { state })
}
