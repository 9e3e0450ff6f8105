import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import type { PreparableDb } from '#core/sqlite/uri-db.ts'
import { textOf } from '../deriving/canonical.ts'

/** At most this many pairs of a node and a session are compared by their times. Each takes a lookup by index. */
const MOST_COMPARED = 100_000

const ends = (of: string): string => `
  CASE WHEN json_valid(${of}.source_ids) THEN json_extract(${of}.source_ids, '$[0]') END AS first,
  CASE WHEN json_valid(${of}.source_ids) THEN json_extract(${of}.source_ids, '$[#-1]') END AS last`

const queries = {
  /** Nodes whose first and last source are of one other session. */
  linked: (source: 'messages' | 'nodes', table: string, key: string) => /* sql */ `
    SELECT DISTINCT ${textOf('a.session_id')} AS session, ${textOf('n.session_id')} AS into_
    FROM (SELECT session_id, ${ends('x')} FROM main.summary_nodes AS x WHERE x.source_type = '${source}') AS n
    JOIN main.${table} AS a ON a.${key} = CAST(n.first AS INTEGER)
    JOIN main.${table} AS b ON b.${key} = CAST(n.last AS INTEGER) AND b.session_id = a.session_id
    WHERE a.session_id <> n.session_id`,
  /** Nodes of which a source is gone, with the times of the messages that they were made from. */
  pruned: /* sql */ `
    SELECT ${textOf('n.session_id')} AS into_, n.earliest_at AS earliest, n.latest_at AS latest
    FROM (SELECT session_id, earliest_at, latest_at, ${ends('x')} FROM main.summary_nodes AS x
      WHERE x.source_type = 'nodes' AND typeof(x.earliest_at) = 'real' AND typeof(x.latest_at) = 'real') AS n
    WHERE NOT EXISTS (SELECT 1 FROM main.summary_nodes AS s WHERE s.node_id = CAST(n.first AS INTEGER))`,
  said: /* sql */ `SELECT 1 FROM main.messages WHERE session_id = :session AND timestamp = :at LIMIT 1`,
}

type Span = { readonly first: number; readonly last: number }

/**
 * Sessions that another one goes on from. When a session is followed by a new one, its deep nodes move over to it, and the
 * lifecycle table forgets all but the last two: that a session in the middle belongs to the same conversation shows only
 * by what its messages or shallow nodes were made into. Where these were pruned, the times tell: a node keeps those of
 * its first and last message.
 * @param spans first and last message of each session
 * @param open sessions that nothing else says a conversation of
 * @returns by session, the one whose nodes were made of it
 */
export function followedSessions(
  db: PreparableDb,
  probe: SchemaProbe,
  spans: ReadonlyMap<string, Span>,
  open: ReadonlySet<string>,
): Map<string, string> {
  const followed = new Map<string, string>()
  if (open.size === 0 || !probe.has('summary_nodes', 'source_type')) return followed
  const follow = (session: string, into: string): void => {
    const [from, to] = [spans.get(session), spans.get(into)]
    if (session === into || !open.has(session) || followed.has(session) || !from) return
    // A session that is not over yet is followed by none.
    if (to && to.first <= from.last) return
    followed.set(session, into)
  }
  type Link = { session: string; into_: string }
  const links = [
    ...db.all<Link>(queries.linked('messages', 'messages', 'store_id')),
    ...db.all<Link>(queries.linked('nodes', 'summary_nodes', 'node_id')),
  ]
  for (const { session, into_ } of links) follow(session, into_)
  if (!probe.has('messages', 'timestamp') || !probe.has('summary_nodes', 'latest_at')) return followed
  type Pruned = { into_: string; earliest: number; latest: number }
  const pruned = db.all<Pruned>(queries.pruned)
  const left = [...open].filter((session) => !followed.has(session))
  if (pruned.length * left.length > MOST_COMPARED) return followed
  for (const { into_, earliest, latest } of pruned) {
    for (const session of left) {
      const said = (at: number): boolean => db.value(queries.said, { session, at }) !== undefined
      if (!followed.has(session) && said(earliest) && said(latest)) follow(session, into_)
    }
  }
  return followed
}
