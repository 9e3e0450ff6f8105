import type { ReadDb } from '#core/sqlite/read-db.ts'

const queries = {
  // The first message of a fork is a copy of the first one of its origin, and its time is copied, too.
  origins: /* sql */ `
    SELECT s.id FROM session AS s
    WHERE s.id <> :id AND s.directory IS :directory AND s.time_created <= :createdAtMs
      AND EXISTS (
        SELECT 1 FROM message AS m WHERE m.session_id = s.id
          AND m.time_created = (SELECT min(time_created) FROM message WHERE session_id = :id)
      )
    ORDER BY s.time_created, s.rowid LIMIT 50`,
  pairs: /* sql */ `
    WITH numbered AS (
      SELECT id, session_id, time_created, iif(json_valid(data), data ->> 'role', NULL) AS role,
        row_number() OVER (PARTITION BY session_id, time_created ORDER BY id) AS number
      FROM message WHERE session_id IN (:id, :origin) AND time_created < :createdAtMs
    )
    SELECT copy.id AS copy, original.id AS original
    FROM numbered AS copy JOIN numbered AS original
      ON original.time_created = copy.time_created AND original.number = copy.number AND original.role = copy.role
    WHERE copy.session_id = :id AND original.session_id = :origin`,
}

type Session = {
  readonly id: string
  readonly title: string | null
  readonly directory: string | null
  readonly time_created: number
}
type Pair = { readonly copy: string; readonly original: string }

/** What a session copied from the one that it was forked from. */
export type OpenCodeFork = {
  readonly originId: string
  /** The id of the message in the origin, by the id of its copy. */
  readonly originals: ReadonlyMap<string, string>
}

/** opencode gives a fork such a title, and nothing else in it says from which session it was forked. */
export const isNamedAsFork = (title: string | null): boolean => / \(fork #\d+\)$/.test(title ?? '')

/**
 * Finds the session of which this one repeats most messages. A fork has copies with ids of their own, which keep the
 * time, the role and everything else of the original. Null when it is no fork, or its origin was deleted.
 */
export function forkOf(db: ReadDb, { id, title, directory, time_created: createdAtMs }: Session): OpenCodeFork | null {
  if (!isNamedAsFork(title)) return null
  let found: OpenCodeFork | null = null
  for (const origin of db.column<string>(queries.origins, { id, directory, createdAtMs })) {
    const pairs = db.all<Pair>(queries.pairs, { id, origin, createdAtMs })
    if (pairs.length > (found?.originals.size ?? 0))
      found = { originId: origin, originals: new Map(pairs.map(({ copy, original }) => [copy, original])) }
  }
  return found
}
