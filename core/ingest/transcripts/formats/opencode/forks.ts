import type { ReadDb } from '#core/sqlite/read-db.ts'

const queries = {
  // A copy keeps the time of its original, so what is older than its session was copied.
  copied: /* sql */ `
    SELECT min(time_created) AS first, max(time_created) AS last FROM message
    WHERE session_id = :id AND time_created < :createdAtMs`,
  // The origin has the first of these and, if it was not removed since, the last one. A session in which the origin
  // itself began has only the first.
  origin: /* sql */ `
    SELECT s.id FROM session AS s
    WHERE s.project_id = :projectId AND s.id <> :id AND s.time_created <= :createdAtMs
      AND EXISTS (SELECT 1 FROM message AS m WHERE m.session_id = s.id AND m.time_created = :first)
    ORDER BY
      EXISTS (SELECT 1 FROM message AS m WHERE m.session_id = s.id AND m.time_created = :last) DESC,
      s.time_created, s.rowid
    LIMIT 1`,
  // Of messages within one millisecond the first is the copy of the first, unless one was removed since.
  pairs: /* sql */ `
    WITH numbered AS (
      SELECT id, session_id, time_created, row_number() OVER same AS number,
        count(*) OVER (PARTITION BY session_id, time_created) AS total
      FROM message
      WHERE session_id IN (:id, :origin) AND time_created < :createdAtMs
        AND time_created IN (SELECT time_created FROM message WHERE rowid IN (SELECT value FROM json_each(:places)))
      WINDOW same AS (PARTITION BY session_id, time_created ORDER BY id)
    )
    SELECT copy.id AS copy, original.id AS original
    FROM numbered AS copy JOIN numbered AS original USING (time_created, number, total)
    WHERE copy.session_id = :id AND original.session_id = :origin`,
}

type Session = {
  readonly id: string
  readonly project_id: string
  readonly time_created: number
}
type Pair = { readonly copy: string; readonly original: string }

/**
 * Returns the session from which this one was forked. Null when it is no fork, or that session was deleted. Nothing in
 * the rows names it.
 */
export function originOf(db: ReadDb, { id, project_id: projectId, time_created: createdAtMs }: Session): string | null {
  const copied = db.get<{ first: number | null; last: number | null }>(queries.copied, { id, createdAtMs })
  if (copied?.first == null) return null
  return db.value<string>(queries.origin, { id, projectId, createdAtMs, ...copied }) ?? null
}

/** Returns the ids of copied messages with those of their originals, among the messages at the given places. */
export function copiesAt(
  db: ReadDb,
  { id, time_created: createdAtMs }: Session,
  origin: string,
  places: string,
): Pair[] {
  return db.all<Pair>(queries.pairs, { id, origin, createdAtMs, places })
}
