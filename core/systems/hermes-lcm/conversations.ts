import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import type { PreparableDb } from '#core/sqlite/uri-db.ts'
import { secondsMs, textOf } from '../deriving/canonical.ts'
import { followedSessions } from './chains.ts'

/** The messages of a session that name the same conversation (or none). */
export type HermesThread = {
  readonly session: string
  /** What the messages themselves say; '' in files of the older schema. */
  readonly own: string
  readonly messages: number
  readonly numbers: number
  readonly first: number
  readonly last: number
  /** The same figures of the messages that were there when the tables were last filled. */
  readonly knownMessages: number
  readonly knownNumbers: number
  conversation: number
}

type Lifecycle = {
  readonly key: string
  readonly current: string | null
  readonly finalized: string | null
  readonly frontier: number | null
  readonly finalizedFrontier: number | null
}

const queries = {
  nodeSessions: /* sql */ `
    SELECT coalesce(${textOf('session_id')}, '') FROM main.summary_nodes GROUP BY session_id ORDER BY min(node_id)`,
  lifecycle: (column: (name: string) => string) => /* sql */ `
    SELECT ${textOf('conversation_id')} AS key, ${textOf(column('current_session_id'))} AS current,
      ${textOf(column('last_finalized_session_id'))} AS finalized,
      CAST(${column('current_frontier_store_id')} AS INTEGER) AS frontier,
      CAST(${column('last_finalized_frontier_store_id')} AS INTEGER) AS finalizedFrontier
    FROM main.lcm_lifecycle_state WHERE conversation_id IS NOT NULL ORDER BY rowid`,
  known: /* sql */ `SELECT conversation_id AS id, key FROM temp.hermes_conversations`,
  forget: /* sql */ `DELETE FROM temp.hermes_conversations`,
  add: (time: string) => /* sql */ `
    INSERT INTO temp.hermes_conversations
      (conversation_id, key, window_session, frontier, created_at, updated_at)
    SELECT CAST(:id AS INTEGER), :key, :session, CAST(:frontier AS INTEGER), ${time}`,
}

/** SQL of the first and last time of the sessions in `:sessions`. It uses an index where there is one. */
const span = (probe: SchemaProbe): string => {
  if (!probe.has('messages', 'timestamp')) return 'NULL, NULL'
  const end = (name: 'min' | 'max'): string =>
    `(SELECT ${name}(${secondsMs('at')}) FROM (SELECT
      (SELECT ${name}(m.timestamp) FROM main.messages AS m WHERE m.session_id = j.value) AS at
      FROM json_each(:sessions) AS j))`
  return `${end('min')}, ${end('max')}`
}

/**
 * Finds the conversation of every session, and the session whose window each conversation shows. A conversation is what
 * the messages name, else what the lifecycle table says of their session, else that of the session that followed it,
 * else the session itself. Numbers follow the first message, and stay the same while the file is open. Sets
 * `conversation` of the threads.
 * @returns the sessions' conversations (by name), and what tells this state from another
 */
export function hermesConversations(
  db: PreparableDb,
  probe: SchemaProbe,
  threads: readonly HermesThread[],
): { readonly sessions: ReadonlyMap<string, number>; readonly stamp: string } {
  const lifecycles = readLifecycles(db, probe)
  const ofSession = new Map<string, string>()
  for (const { key, finalized } of lifecycles) if (finalized) ofSession.set(finalized, key)
  for (const { key, current } of lifecycles) if (current) ofSession.set(current, key)
  const ordered = [...threads].sort((a, b) => a.first - b.first)
  for (const { session, own } of ordered) if (own !== '' && !ofSession.has(session)) ofSession.set(session, own)

  const followed = followedSessions(db, probe, spansOf(threads), unnamed(ordered, lifecycles, ofSession))
  for (const session of followed.keys()) ofSession.set(session, lastOf(session, followed, ofSession))

  const keyOf = (session: string, own = ''): string => own || (ofSession.get(session) ?? session)
  const nodeSessions = db.column<string>(queries.nodeSessions)
  const keys = new Set([
    ...ordered.map(({ session, own }) => keyOf(session, own)),
    ...nodeSessions.map((session) => keyOf(session)),
    ...lifecycles.map(({ key }) => key),
  ])
  const numbers = numbersOf(db, [...keys])
  const numberOf = (key: string): number => numbers.get(key) ?? 0
  for (const thread of threads) thread.conversation = numberOf(keyOf(thread.session, thread.own))

  const names = new Set([...threads.map(({ session }) => session), ...nodeSessions])
  const sessions = new Map([...names].map((session) => [session, numberOf(keyOf(session))]))
  const windows = [...keys].map((key) => {
    const own = ordered.filter((thread) => keyOf(thread.session, thread.own) === key)
    const lifecycle = lifecycles.find((row) => row.key === key)
    return { id: numberOf(key), key, own, ...windowOf(lifecycle, own, key) }
  })
  db.exec(queries.forget)
  for (const { id, key, own, session, frontier } of windows) {
    const sessionsOf = JSON.stringify(own.map((thread) => thread.session))
    db.run(queries.add(span(probe)), { id, key, session, frontier, sessions: sessionsOf })
  }
  const stamp = JSON.stringify(windows.map(({ id, session, frontier }) => [id, session, frontier]))
  return { sessions, stamp }
}

/** Returns the first and last message of each session. */
function spansOf(threads: readonly HermesThread[]): Map<string, { first: number; last: number }> {
  const spans = new Map<string, { first: number; last: number }>()
  for (const { session, first, last } of threads) {
    const known = spans.get(session) ?? { first, last }
    spans.set(session, { first: Math.min(known.first, first), last: Math.max(known.last, last) })
  }
  return spans
}

/** Returns the sessions whose conversation neither their messages nor the lifecycle table name. */
function unnamed(
  threads: readonly HermesThread[],
  lifecycles: readonly Lifecycle[],
  named: ReadonlyMap<string, string>,
): Set<string> {
  const keys = new Set(lifecycles.map(({ key }) => key))
  const open = threads.filter(({ session, own }) => own === '' && !named.has(session) && !keys.has(session))
  return new Set(open.map(({ session }) => session))
}

/** Returns the conversation of the last session that went on from this one. */
function lastOf(session: string, followed: ReadonlyMap<string, string>, named: ReadonlyMap<string, string>): string {
  let at = session
  // Every step leads to later messages, or to a session without any, which nothing follows.
  for (let next = followed.get(at); next !== undefined; next = followed.get(at)) at = next
  return named.get(at) ?? at
}

/** Returns the session that the model is in, or else the last one, and where its raw messages begin. */
function windowOf(lifecycle: Lifecycle | undefined, own: readonly HermesThread[], key: string) {
  if (lifecycle?.current) return { session: lifecycle.current, frontier: lifecycle.frontier }
  if (lifecycle?.finalized) return { session: lifecycle.finalized, frontier: lifecycle.finalizedFrontier }
  const newest = own.reduce<HermesThread | null>((a, b) => (a && a.last > b.last ? a : b), null)
  return { session: newest?.session ?? key, frontier: null }
}

function readLifecycles(db: PreparableDb, probe: SchemaProbe): Lifecycle[] {
  const table = 'lcm_lifecycle_state'
  if (!probe.has(table, 'conversation_id')) return []
  return db.all(queries.lifecycle((name) => (probe.has(table, name) ? name : 'NULL')))
}

function numbersOf(db: PreparableDb, keys: readonly string[]): Map<string, number> {
  const known = new Map(db.all<{ id: number; key: string }>(queries.known).map(({ id, key }) => [key, id]))
  let next = known.values().reduce((highest, id) => Math.max(highest, id), 0) + 1
  return new Map(
    keys.map((key) => {
      const id = known.get(key) ?? next
      if (id === next) next += 1
      return [key, id]
    }),
  )
}
