import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import { isExactInteger } from '#core/sqlite/shown-values.ts'
import type { PreparableDb } from '#core/sqlite/uri-db.ts'
import { BEFORE_ALL, clearDerived, inRanges } from '../deriving/derived-tables.ts'
import { asText } from '../deriving/derived-views.ts'

export const ARGENTOS_WINDOW_TABLES = /* sql */ `
-- What the window of a session was when it was read, up to its last place.
CREATE TEMP TABLE IF NOT EXISTS argentos_windows (
  session_id      TEXT PRIMARY KEY,
  conversation_id INTEGER NOT NULL,
  last            INTEGER NOT NULL,
  stamp           TEXT NOT NULL
) WITHOUT ROWID;
`

/** Differs when an entry came, went, or became another. */
const stamp = (filter: string): string => `
  count(*) ${filter} || ' ' || total(i.position) ${filter} || ' ' || total(i.ref_id) ${filter} || ' ' ||
  total((i.position % 65521) * (i.ref_id % 65521)) ${filter} || ' ' ||
  total((i.kind = 'message') * (i.position % 8191)) ${filter}`

const target = `CAST(i.kind AS TEXT), iif(i.kind = 'message', i.ref_id, NULL),
  iif(i.kind = 'summary', CAST(i.ref_id AS TEXT), NULL)`

/** A message in the window has a number that is read exactly. */
const IS_TOLD = `i.kind IS NOT NULL AND (i.kind <> 'message' OR typeof(i.ref_id) <> 'integer' OR ${isExactInteger('i.ref_id')})`

const queries = {
  hasOddPlace: /* sql */ `
    SELECT 1 FROM main.context_items WHERE kind IS NOT NULL AND typeof(position) <> 'integer' LIMIT 1`,
  sessions: /* sql */ `
    SELECT i.session_id AS session, c.conversation_id AS conversation, w.conversation_id AS knownConversation,
      coalesce(w.last, ${BEFORE_ALL}) AS knownLast, w.stamp AS knownStamp, max(i.position) AS last,
      ${stamp('')} AS stamp,
      ${stamp('FILTER (WHERE i.position <= w.last)')} AS stampBefore
    FROM main.context_items AS i
    JOIN temp.derived_conversations AS c ON c.key = i.session_id
    LEFT JOIN temp.argentos_windows AS w ON w.session_id = i.session_id
    WHERE i.kind IS NOT NULL
    GROUP BY i.session_id`,
  known: /* sql */ `SELECT session_id AS session, conversation_id AS conversation FROM temp.argentos_windows`,
  forget: /* sql */ `DELETE FROM temp.argentos_windows`,
  forgetOne: /* sql */ `DELETE FROM temp.argentos_windows WHERE session_id = :session`,
  keep: /* sql */ `
    INSERT OR REPLACE INTO temp.argentos_windows (session_id, conversation_id, last, stamp)
    VALUES (:session, CAST(:conversation AS INTEGER), CAST(:last AS INTEGER), :stamp)`,
  keepAll: /* sql */ `
    INSERT INTO temp.argentos_windows (session_id, conversation_id, last, stamp)
    SELECT i.session_id, c.conversation_id, max(i.position), ${stamp('')}
    FROM main.context_items AS i
    JOIN temp.derived_conversations AS c ON c.key = i.session_id
    WHERE i.kind IS NOT NULL
    GROUP BY i.session_id`,
  clear: /* sql */ `
    DELETE FROM temp.derived_context_items WHERE conversation_id = CAST(:conversation AS INTEGER)`,
  size: /* sql */ `
    SELECT coalesce(max(ordinal) + 1, 0) FROM temp.derived_context_items
    WHERE conversation_id = CAST(:conversation AS INTEGER)`,
  next: /* sql */ `SELECT min(position) FROM main.context_items WHERE session_id = :session AND position > :last`,
  // Places only grow: the numbers of what was compacted away are never used again, which is no gap.
  append: /* sql */ `
    INSERT INTO temp.derived_context_items (conversation_id, ordinal, item_type, message_id, summary_id)
    SELECT CAST(:conversation AS INTEGER), dense_rank() OVER (ORDER BY i.position) - 1 + CAST(:size AS INTEGER), ${target}
    FROM main.context_items AS i
    WHERE i.session_id = :session AND i.position > :last AND i.position <= :end AND ${IS_TOLD}`,
  fillAll: /* sql */ `
    INSERT INTO temp.derived_context_items (conversation_id, ordinal, item_type, message_id, summary_id)
    SELECT c.conversation_id, dense_rank() OVER (PARTITION BY c.conversation_id ORDER BY i.position) - 1, ${target}
    FROM main.context_items AS i
    JOIN temp.derived_conversations AS c ON c.key = ${asText('i.session_id')}
    WHERE ${IS_TOLD}`,
  entries: /* sql */ `
    SELECT (SELECT count(*) FROM temp.derived_context_items) = (SELECT count(*) FROM main.context_items AS i WHERE ${IS_TOLD})`,
}

type SessionWindow = {
  readonly session: string
  readonly conversation: number
  readonly knownConversation: number | null
  readonly knownLast: number
  readonly knownStamp: string | null
  readonly last: number
  readonly stamp: string
  readonly stampBefore: string
}

/** At most this many windows are brought in step one by one. To make more of them all at once is quicker. */
const MOST_ONE_BY_ONE = 1000

/** Brings the windows in step with the file: where entries were only added behind the last, they are added. */
export function* fillingArgentosWindows(db: PreparableDb, probe: SchemaProbe): Generator<void> {
  const isPlain = probe.isIndexed('context_items', 'session_id') && !db.value(queries.hasOddPlace)
  if (isPlain && (yield* followingWindows(db))) return
  clearDerived(db, 'window')
  db.run(queries.forget)
  db.run(queries.fillAll)
  yield
  if (isPlain) db.run(queries.keepAll)
}

/** Returns false when there is too much to do, or some entries stand under what is no session. */
function* followingWindows(db: PreparableDb): Generator<void, boolean> {
  const sessions = db.all<SessionWindow>(queries.sessions)
  yield
  const isKept = (of: SessionWindow): boolean =>
    of.knownConversation === of.conversation && of.knownStamp === of.stampBefore
  const changed = sessions.filter((of) => !isKept(of) || of.last !== of.knownLast)
  if (changed.length > MOST_ONE_BY_ONE) return false
  const kept = new Set(sessions.filter(isKept).map(({ session }) => session))
  for (const { session, conversation } of db.all<Pick<SessionWindow, 'session' | 'conversation'>>(queries.known)) {
    if (kept.has(session)) continue
    db.run(queries.clear, { conversation })
    db.run(queries.forgetOne, { session })
  }
  for (const of of changed) {
    const { session, conversation, last, stamp: now } = of
    let size = db.value<number>(queries.size, { conversation }) ?? 0
    yield* inRanges(
      db,
      (place) => db.value(queries.next, { session, last: place }),
      isKept(of) ? of.knownLast : BEFORE_ALL,
      (range) => {
        const added = db.run(queries.append, { ...range, session, conversation, size })
        size = db.value<number>(queries.size, { conversation }) ?? 0
        return added
      },
    )
    db.run(queries.keep, { session, conversation, last, stamp: now })
  }
  return db.value(queries.entries) === 1
}
